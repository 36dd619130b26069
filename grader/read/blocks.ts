import type { Blocks } from "./kernel-room.ts";
import type { OpenFile } from "./open-file.ts";
import type { Block, ScanAhead } from "./scan-ahead.ts";

/** Takes the next block; false when no more are wanted. */
export type TakeBlock = (block: Block) => void;

/** Brings a block; what is left to another thread is waited for only then. */
type Coming = () => Promise<Block>;

/**
 * Reads a file block by block, into some blocks in turn: while one is taken in, the next one is read, or scanned by another
 * thread.
 */
export class BlockReader {
  readonly #blocks: Blocks;
  readonly #ahead: ScanAhead | undefined;

  constructor(blocks: Blocks, ahead: ScanAhead | undefined) {
    this.#blocks = blocks;
    this.#ahead = ahead;
  }

  /** Hands over what stands in the file from `position` on, until its end or `isDone`. */
  async read(
    handle: OpenFile,
    position: number,
    { take, isDone }: { readonly take: TakeBlock; readonly isDone: () => boolean },
  ): Promise<void> {
    let at = position;
    let coming = this.#next(handle, at, 0);
    for (let turn = 1; ; turn++) {
      const block = await coming();
      if (block.bytes.length === 0 || isDone()) return;
      this.#ahead?.reach(at);
      at += block.bytes.length;
      coming = this.#next(handle, at, turn);
      try {
        take(block);
      } catch (error) {
        await coming().catch(() => undefined); // nobody else would; the first error is the one that counts
        throw error;
      }
    }
  }

  #next(handle: OpenFile, position: number, turn: number): Coming {
    const into = this.#blocks[turn % this.#blocks.length] ?? this.#blocks[0];
    if (this.#ahead?.isTheirs(position) === true) {
      return async () => this.#ahead?.take(position, into) ?? readInto(handle, into, position);
    }
    const reading = readInto(handle, into, position);
    return () => reading;
  }
}

async function readInto(handle: OpenFile, into: Buffer, position: number): Promise<Block> {
  const { bytesRead } = await handle.read(into, 0, into.length, position);
  return { bytes: into.subarray(0, bytesRead) };
}
