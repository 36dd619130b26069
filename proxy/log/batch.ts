import { controlLine, lossLine } from "./control.ts";
import type { Waiting } from "./queue.ts";

/** Bytes of UTF-8 for one UTF-16 code unit, at most. */
const MAX_UTF8_PER_CHAR = 3;

/** Waiting entries as the bytes that go to the file. Each entry is one line; `ends[i]` is where the i-th ends. */
export interface Batch {
  readonly entries: readonly Waiting[];
  readonly buffer: Buffer;
}

export interface BatchParts {
  /** The number of the first record. */
  readonly firstSeq: number;
  readonly at: number;
  /** The bytes are put in there when they fit; it must not be in use. */
  readonly scratch?: Buffer;
}

/** Numbers the records from `firstSeq` on and joins the lines. */
export function makeBatch(entries: readonly Waiting[], { firstSeq, at, scratch }: BatchParts): Batch {
  let seq = firstSeq;
  let text = "";
  for (const entry of entries) {
    if (entry.kind === "record") text += `${entry.line.before}${seq++}${entry.line.after}\n`;
    else text += entry.kind === "loss" ? lossLine(at, entry.loss) : controlLine("tick", at, {});
  }
  const isFitting = scratch !== undefined && text.length * MAX_UTF8_PER_CHAR <= scratch.length;
  if (!isFitting) return { entries, buffer: Buffer.from(text, "utf8") };
  return { entries, buffer: scratch.subarray(0, scratch.write(text, "utf8")) };
}

/** The part of a batch whose lines end within `maxBytes`; found by line ends, of which each line has exactly one. */
export function wholeLines({ buffer, entries }: Batch, maxBytes: number): { bytes: number; lines: number } {
  if (buffer.length <= maxBytes) return { bytes: buffer.length, lines: entries.length };
  let bytes = 0;
  let lines = 0;
  for (let end = buffer.indexOf(0x0a); end >= 0 && end < maxBytes; end = buffer.indexOf(0x0a, end + 1)) {
    bytes = end + 1;
    lines++;
  }
  return { bytes, lines };
}

/** How many of the first `lines` entries are records. */
export function recordsIn(entries: readonly Waiting[], lines: number = entries.length): number {
  let records = 0;
  for (let index = 0; index < lines; index++) if (entries[index]?.kind === "record") records++;
  return records;
}
