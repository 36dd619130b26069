import { closeSync, openSync, readSync } from "node:fs";

const BLOCK_BYTES = 1 << 20;
const [LF, QUOTE, COLON, BACKSLASH] = [10, 34, 58, 92] as const;
const KEY = Buffer.from('"name"');
/** A longer name is not counted. */
const MOST_BYTES = 256;

/**
 * How many lines of a file seem to be events of each name, told by the first `"name":"…"` in a line. It is a guess made
 * in a tenth of the time that reading takes: what stands inside other fields, or in lines that are no JSON, is counted too.
 * Nothing is counted of a file that cannot be read; reading it properly will tell why.
 */
export function countNames(file: string, counts = new Map<string, number>()): Map<string, number> {
  let handle: number;
  try {
    handle = openSync(file, "r");
  } catch {
    return counts;
  }
  try {
    countIn(handle, counts);
  } catch {
    return counts; // a folder, or a disk that fails: as above
  } finally {
    closeSync(handle);
  }
  return counts;
}

function countIn(handle: number, counts: Map<string, number>): void {
  const block = Buffer.allocUnsafe(BLOCK_BYTES);
  let held = 0;
  for (;;) {
    const read = readSync(handle, block, held, BLOCK_BYTES - held, null);
    const bytes = block.subarray(0, held + read);
    const end = read === 0 ? bytes.length : bytes.lastIndexOf(LF) + 1;
    countLines(bytes.subarray(0, end), counts);
    if (read === 0) return;
    held = bytes.length - end;
    if (held === BLOCK_BYTES)
      held = 0; // a line longer than the block: its next part is taken for a line
    else block.copyWithin(0, end, bytes.length);
  }
}

function countLines(bytes: Buffer, counts: Map<string, number>): void {
  for (let at = bytes.indexOf(KEY); at !== -1; ) {
    const name = nameAt(bytes, at + KEY.length);
    if (name !== undefined) counts.set(name, (counts.get(name) ?? 0) + 1);
    const lineEnd = bytes.indexOf(LF, at);
    at = lineEnd === -1 ? -1 : bytes.indexOf(KEY, lineEnd + 1);
  }
}

/** The text behind a key, when a text stands there; one with escapes is passed over. */
function nameAt(bytes: Buffer, from: number): string | undefined {
  let at = afterSpace(bytes, from);
  if (bytes[at] !== COLON) return undefined;
  at = afterSpace(bytes, at + 1);
  if (bytes[at] !== QUOTE) return undefined;
  const start = at + 1;
  for (let end = start; end < start + MOST_BYTES; end++) {
    if (bytes[end] === QUOTE) return bytes.toString("utf8", start, end);
    if (bytes[end] === BACKSLASH || bytes[end] === undefined) return undefined;
  }
  return undefined;
}

function afterSpace(bytes: Buffer, from: number): number {
  let at = from;
  while (bytes[at] === 32 || bytes[at] === 9) at++;
  return at;
}

/** The counts of both together. */
export function addCounts(a: ReadonlyMap<string, number>, b: ReadonlyMap<string, number>): ReadonlyMap<string, number> {
  const sum = new Map(a);
  for (const [name, count] of b) sum.set(name, (sum.get(name) ?? 0) + count);
  return sum;
}
