import { controlLine, lossLine } from "./control.ts";
import { createNumbering } from "./numbering.ts";
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

/** Characters that are put together before they go into the buffer; one text of a whole batch would be a large object each time. */
const PIECE_CHARS = 16_384;
/** Of a line besides a record's own text. */
const NUMBER_CHARS = 20;

/** Numbers the records from `firstSeq` on and joins the lines. */
export function makeBatch(entries: readonly Waiting[], { firstSeq, at, scratch }: BatchParts): Batch {
  const digitsOf = createNumbering();
  let seq = firstSeq;
  const lineOf = (entry: Waiting): string => {
    if (entry.kind === "record") return `${entry.line.before}${digitsOf(seq++)}${entry.line.after}\n`;
    return entry.kind === "loss" ? lossLine(at, entry.loss) : controlLine("tick", at, {});
  };
  if (scratch !== undefined && isFitting(entries, scratch.length)) {
    return { entries, buffer: scratch.subarray(0, fill(scratch, entries, lineOf)) };
  }
  let text = "";
  for (const entry of entries) text += lineOf(entry);
  return { entries, buffer: Buffer.from(text, "utf8") };
}

/** Certain only of records; control lines among them send a batch the other way, which they are too few to matter for. */
function isFitting(entries: readonly Waiting[], bytes: number): boolean {
  let chars = 0;
  for (const entry of entries) {
    if (entry.kind !== "record") return false;
    chars += entry.line.before.length + entry.line.after.length + NUMBER_CHARS;
  }
  return chars * MAX_UTF8_PER_CHAR <= bytes;
}

function fill(scratch: Buffer, entries: readonly Waiting[], lineOf: (entry: Waiting) => string): number {
  let end = 0;
  let piece = "";
  for (const entry of entries) {
    piece += lineOf(entry);
    if (piece.length < PIECE_CHARS) continue;
    end += scratch.write(piece, end, "utf8");
    piece = "";
  }
  return end + scratch.write(piece, end, "utf8");
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
