import type { Scanned } from "./block-ring.ts";
import type { PassedEvent } from "./passed-event.ts";

/** What a splitter hands out: a stretch of bytes that holds one line, without its LF (a CR before it may still stand). */
export interface LineSink {
  /** One physical line. The bytes belong to the splitter and are only good during the call. */
  line(bytes: Buffer, start: number, end: number): void;
  /** A physical line over the limit; its bytes were dropped as they came. */
  tooLong(): void;
}

export interface LineSplitter {
  /** Takes the next bytes of the file; calls the sink once per line they complete. What is known of them may be given. */
  push(chunk: Buffer, scanned?: Scanned): void;
  /** The file ends here: hands over what stands behind the last LF, and starts afresh for the next file. */
  end(): Rest;
}

/** What stood behind the last LF of a file. */
export type Rest =
  | { readonly kind: "none" }
  | { readonly kind: "too long" }
  /** An event that nobody has to see; good until the next push. */
  | { readonly kind: "passed"; readonly event: PassedEvent }
  | { readonly kind: "bytes"; readonly bytes: Buffer };

const LF = 10;
const CR = 13;
const BOM = Buffer.from([0xef, 0xbb, 0xbf]);

/**
 * Splits the bytes of one file into lines, whatever the chunks they come in. Only LF ends a line; a UTF-8 byte order
 * mark at the very start (of the file, when `isFileStart`) is skipped. A line of more than `maxBytes` bytes (line end not counted) is never held in
 * memory: it is dropped as it arrives and reported once. Memory is at most one line, never the file.
 */
export function createLineSplitter(maxBytes: number, sink: LineSink, isFileStart = true): LineSplitter {
  let pieces: Buffer[] = [];
  let held = 0;
  let overflowed = false;
  let atFileStart = isFileStart;

  /** Room for a byte order mark and a CR: neither counts, and both are only seen once the line is whole. */
  const maxHeld = maxBytes + BOM.length + 1;

  function emit(bytes: Buffer, start: number, end: number): void {
    const from = atFileStart && startsWithBom(bytes, start, end) ? start + BOM.length : start;
    atFileStart = false;
    if (lengthOf(bytes, from, end) > maxBytes) sink.tooLong();
    else sink.line(bytes, from, end);
  }

  function hold(piece: Buffer): void {
    if (overflowed || piece.length === 0) return;
    held += piece.length;
    overflowed = held > maxHeld;
    if (overflowed) pieces = [];
    else pieces.push(Buffer.from(piece));
  }

  function finishHeld(): void {
    if (overflowed) {
      atFileStart = false;
      sink.tooLong();
      forget();
    } else {
      const whole = Buffer.concat(pieces, held);
      forget(); // first, as the sink may throw: a line is handed over once
      emit(whole, 0, whole.length);
    }
  }

  function forget(): void {
    pieces = [];
    held = 0;
    overflowed = false;
  }

  return {
    push(chunk) {
      let start = 0;
      if (held > 0) {
        const end = chunk.indexOf(LF);
        hold(end === -1 ? chunk : chunk.subarray(0, end));
        if (end === -1) return;
        finishHeld();
        start = end + 1;
      }
      for (let end = chunk.indexOf(LF, start); end !== -1; end = chunk.indexOf(LF, start)) {
        emit(chunk, start, end);
        start = end + 1;
      }
      hold(chunk.subarray(start));
    },
    end() {
      const rest = restOf(pieces, { held, overflowed, atFileStart });
      forget();
      atFileStart = true;
      const isLong = rest.kind === "bytes" && lengthOf(rest.bytes, 0, rest.bytes.length) > maxBytes;
      return isLong ? { kind: "too long" } : rest;
    },
  };
}

function restOf(
  pieces: readonly Buffer[],
  state: { readonly held: number; readonly overflowed: boolean; readonly atFileStart: boolean },
): Rest {
  if (state.overflowed) return { kind: "too long" };
  if (state.held === 0) return { kind: "none" };
  const whole = Buffer.concat(pieces, state.held);
  const bytes = state.atFileStart && startsWithBom(whole, 0, whole.length) ? whole.subarray(BOM.length) : whole;
  return { kind: "bytes", bytes };
}

/** Bytes of a line without the CR of its line end. */
export function lengthOf(bytes: Buffer, start: number, end: number): number {
  return end - start - (end > start && bytes[end - 1] === CR ? 1 : 0);
}

/** True when the bytes begin with a UTF-8 byte order mark. */
export function startsWithBom(bytes: Buffer, start: number, end: number): boolean {
  return end - start >= 3 && bytes[start] === BOM[0] && bytes[start + 1] === BOM[1] && bytes[start + 2] === BOM[2];
}
