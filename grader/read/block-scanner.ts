import { isUtf8 } from "node:buffer";
import type { Scanned } from "./block-ring.ts";
import { type LineKernel, RECORD } from "./line-kernel.ts";

const LF = 10;
/** Read before a block for the beginning of its first line; of a longer one the block is left unscanned. */
const BEFORE_BYTES = 1 << 14;

/** Reads bytes of a file at a position, as many as there are up to the length of `into`; returns how many. */
export type ReadAt = (into: Buffer, position: number) => number;

/** A block, and the beginning of its first line that stands before it; undefined where that is not known. */
interface ReadBlock {
  readonly bytes: Buffer;
  readonly before: Buffer | undefined;
}

/** Scans single blocks of a file as a `LineScanner` scans them in a row: into the same addresses, with the same records. */
export class BlockScanner {
  readonly #kernel: LineKernel;
  readonly #blockBytes: number;
  readonly #before = Buffer.allocUnsafeSlow(BEFORE_BYTES);
  readonly #isQuick: boolean;

  /** `isQuick`: lines are taken for readable. */
  constructor(kernel: LineKernel, { isQuick }: { readonly isQuick: boolean }) {
    if (isQuick) kernel.takeForReadable();
    this.#isQuick = isQuick;
    this.#kernel = kernel;
    this.#blockBytes = kernel.blocks[0].length;
  }

  /** Reads the block with this number, counted from 0. */
  read(block: number, readAt: ReadAt): ReadBlock {
    const { blocks } = this.#kernel;
    const into = blocks[block % blocks.length] ?? blocks[0];
    const start = block * this.#blockBytes;
    const length = readAt(into, start);
    const beforeBytes = Math.min(BEFORE_BYTES, start);
    const before = this.#before.subarray(0, readAt(this.#before.subarray(0, beforeBytes), start - beforeBytes));
    const lineStart = before.lastIndexOf(LF) + 1;
    const isKnown = before.length === beforeBytes && (lineStart > 0 || beforeBytes === start);
    return { bytes: into.subarray(0, length), before: isKnown ? before.subarray(lineStart) : undefined };
  }

  /** Scans what was read last; undefined when that takes more room than there is, or the line was begun too long ago. */
  scan(
    { bytes, before }: ReadBlock,
    records: Uint32Array,
  ): (Omit<Scanned, "records"> & { readonly lines: number }) | undefined {
    const end = bytes.byteOffset + bytes.lastIndexOf(LF) + 1;
    if (before === undefined || end === bytes.byteOffset) return undefined;
    const from = bytes.byteOffset - before.length;
    before.copy(this.#kernel.bytes, from);
    const lines = this.#records(from, end, records);
    if (lines === undefined) return undefined;
    return { from, end, lines, isText: this.#isQuick || isUtf8(this.#kernel.bytes.subarray(from, end)) };
  }

  #records(from: number, end: number, records: Uint32Array): number | undefined {
    const kernel = this.#kernel;
    let lines = 0;
    for (let at = from; at < end; at = kernel.next) {
      const count = kernel.scan(at, end);
      if (RECORD * (lines + count) > records.length) return undefined;
      records.set(kernel.records.subarray(0, RECORD * count), RECORD * lines);
      lines += count;
    }
    return lines;
  }
}
