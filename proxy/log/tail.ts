import { type FileHandle, open } from "node:fs/promises";
import { isObject, type JsonValue, parseJson } from "../record/json.ts";

const CHUNK = 65_536;
const NEWLINE = 0x0a;

/** Where the last newline before `end` stands; -1 when there is none. */
export async function lastNewline(file: FileHandle, end: number): Promise<number> {
  const chunk = Buffer.alloc(CHUNK);
  for (let to = end; to > 0; ) {
    const from = Math.max(0, to - CHUNK);
    const { bytesRead } = await file.read(chunk, 0, to - from, from);
    const at = chunk.subarray(0, bytesRead).lastIndexOf(NEWLINE);
    if (at >= 0) return from + at;
    to = from;
  }
  return -1;
}

/** The bytes from `start` to `end` as text. */
export async function readText(file: FileHandle, start: number, end: number): Promise<string> {
  return (await readBytes(file, start, end)).toString("utf8");
}

/** The bytes from `start` to `end`, fewer when the file ends before. */
export async function readBytes(file: FileHandle, start: number, end: number): Promise<Buffer> {
  const buffer = Buffer.alloc(end - start);
  let filled = 0;
  while (filled < buffer.length) {
    const { bytesRead } = await file.read(buffer, filled, buffer.length - filled, start + filled);
    if (bytesRead === 0) break;
    filled += bytesRead;
  }
  return buffer.subarray(0, filled);
}

/**
 * The number that comes after the last one used in a file: one past the last record's `seq`, or what its `start` line
 * promised. Reads from the end only as far as it must. Undefined for a file that tells nothing of numbers.
 */
export async function nextSeqOf(path: string): Promise<number | undefined> {
  const file = await open(path, "r");
  try {
    let end = await lastNewline(file, (await file.stat()).size);
    while (end >= 0) {
      const before = await lastNewline(file, end);
      const next = nextSeqAfter(await readText(file, before + 1, end));
      if (next !== undefined) return next;
      end = before;
    }
    return undefined;
  } finally {
    await file.close();
  }
}

function nextSeqAfter(line: string): number | undefined {
  const value = parsed(line);
  const meta = isObject(value) ? value["$capture"] : undefined;
  if (!isObject(meta)) return undefined;
  const { seq, control, first_seq: first } = meta;
  if (isCount(seq)) return seq + 1;
  return control === "start" && isCount(first) ? first : undefined;
}

function isCount(value: JsonValue | undefined): value is number {
  return typeof value === "number" && Number.isSafeInteger(value) && value > 0;
}

/** The line's value; undefined for a line that is no JSON (another program's, or damaged). */
export function parsed(line: string): JsonValue | undefined {
  try {
    return parseJson(line);
  } catch {
    return undefined; // the caller only asks whether it is one
  }
}
