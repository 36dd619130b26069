import { isUtf8 } from "node:buffer";
import type { BlockRing, Scanned } from "./block-ring.ts";
import { type LineKernel, RECORD } from "./line-kernel.ts";

const LF = 10;
/** Read before a block for the beginning of its first line; of a longer one the block is left unscanned. */
const BEFORE_BYTES = 1 << 14;

/** Reads bytes of a file at a position, as many as there are up to the length of `into`; returns how many. */
export type ReadAt = (into: Buffer, position: number) => number;

/** A block, and where its first line begins, which stands before it; undefined where that is not known. */
interface ReadBlock {
  readonly bytes: Buffer;
  readonly from: number | undefined;
}

/** Scans single blocks of a file as a `LineScanner` scans them in a row: into the same addresses, with the same records. */
export class BlockScanner {
  readonly #kernel: LineKernel;
  readonly #blockBytes: number;
  readonly #isQuick: boolean;

  /** `isQuick`: lines are taken for readable. */
  constructor(kernel: LineKernel, { isQuick }: { readonly isQuick: boolean }) {
    if (isQuick) kernel.takeForReadable();
    this.#isQuick = isQuick;
    this.#kernel = kernel;
    this.#blockBytes = kernel.blocks[0].length;
  }

  /**
   * Reads and scans a claimed block for whoever takes it; returns how many bytes it has. Throws what reading it throws. Of
   * a read that came short of the block nobody knows yet whether the file ends there: whoever takes it has to look.
   */
  fill(ring: BlockRing, block: number, readAt: ReadAt): number {
    try {
      const read = this.read(block, readAt);
      if (read.bytes.length === 0) ring.giveUp(block);
      else ring.finish(block, read.bytes.length, this.scan(read, ring.records(block)));
      return read.bytes.length;
    } catch (error) {
      ring.giveUp(block);
      throw error;
    }
  }

  /** Reads the block with this number, counted from 0. */
  read(block: number, readAt: ReadAt): ReadBlock {
    const { blocks, bytes } = this.#kernel;
    const { byteOffset: at } = blocks[block % blocks.length] ?? blocks[0];
    const start = block * this.#blockBytes;
    const beforeBytes = Math.min(BEFORE_BYTES, start);
    const read = readAt(bytes.subarray(at - beforeBytes, at + this.#blockBytes), start - beforeBytes);
    const lineStart = bytes.subarray(at - beforeBytes, at).lastIndexOf(LF) + 1;
    const isKnown = read >= beforeBytes && (lineStart > 0 || beforeBytes === start);
    return {
      bytes: bytes.subarray(at, at + Math.max(0, read - beforeBytes)),
      from: isKnown ? at - beforeBytes + lineStart : undefined,
    };
  }

  /** Scans as many lines of what was read last as there is room for; undefined when its first line was begun too long ago. */
  scan(
    { bytes, from }: ReadBlock,
    records: Uint32Array,
  ): (Omit<Scanned, "records"> & { readonly lines: number }) | undefined {
    const last = bytes.byteOffset + bytes.lastIndexOf(LF) + 1;
    if (from === undefined || last === bytes.byteOffset) return undefined;
    const { end, lines } = this.#records(from, last, records);
    return { from, end, lines, isText: this.#isQuick || isUtf8(this.#kernel.bytes.subarray(from, end)) };
  }

  #records(from: number, last: number, records: Uint32Array): { readonly end: number; readonly lines: number } {
    const kernel = this.#kernel;
    let lines = 0;
    let end = from;
    while (end < last && RECORD * lines + kernel.records.length <= records.length) {
      const count = kernel.scan(end, last);
      records.set(kernel.records.subarray(0, RECORD * count), RECORD * lines);
      lines += count;
      end = kernel.next;
    }
    return { end, lines };
  }
}
