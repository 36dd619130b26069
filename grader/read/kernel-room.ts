/** Below it stands what the compiler put into the memory. */
const FIRST = 1 << 16;
/** What one kernel needs beside the blocks; a page that nobody touches takes no memory. */
const OWN_BYTES = 4 << 20;
/** Room before each block for the beginning of a line that the block before it ends with. */
export const CARRY_BYTES = 1 << 18;
/** The kernel loads sixteen bytes at a time, so it may read behind the last line. */
const SLACK = 64;
const PAGE = 65_536;

/** What a file is read into, one after the other. */
export type Blocks = readonly [Buffer, Buffer, ...Buffer[]];

export interface RoomSize {
  readonly kernels: number;
  /** At least two. */
  readonly blocks: number;
  readonly blockBytes: number;
}

/** A memory for one kernel, or for one of each thread, and the blocks that a file is read into. */
export class KernelRoom {
  readonly memory: WebAssembly.Memory;
  /** All of the memory. */
  readonly bytes: Buffer;
  readonly blocks: Blocks;

  /** `isShared`: for several threads; the others get the memory handed over. */
  constructor({ kernels, blocks, blockBytes }: RoomSize, from: { readonly isShared: boolean } | WebAssembly.Memory) {
    const blocksAt = FIRST + kernels * OWN_BYTES;
    const each = CARRY_BYTES + blockBytes + SLACK;
    const pages = Math.ceil((blocksAt + blocks * each) / PAGE);
    this.memory =
      "isShared" in from
        ? new WebAssembly.Memory({ initial: pages, maximum: pages, ...(from.isShared ? { shared: true } : {}) })
        : from;
    this.bytes = Buffer.from(this.memory.buffer);
    const block = (index: number): Buffer => {
      const at = blocksAt + index * each + CARRY_BYTES;
      return this.bytes.subarray(at, at + blockBytes);
    };
    this.blocks = [block(0), block(1), ...Array.from({ length: blocks - 2 }, (_, index) => block(index + 2))];
  }

  /** Where the things of a kernel begin, and what is behind them. */
  own(kernel: number): { readonly at: number; readonly end: number } {
    return { at: FIRST + kernel * OWN_BYTES, end: FIRST + (kernel + 1) * OWN_BYTES };
  }
}
