import { setImmediate } from "node:timers/promises";
import type { Blocks } from "./kernel-room.ts";
import type { OpenFile } from "./open-file.ts";
import type { Block, ScanAhead } from "./scan-ahead.ts";

/** What becomes of the blocks of a file. */
export interface BlockUse {
  readonly take: (block: Block) => void;
  /** True when no more are wanted. */
  readonly isDone: () => boolean;
}

/** What is asked of other threads. */
export type Ahead = Pick<ScanAhead, "isTheirs" | "take" | "reach" | "end" | "lost">;

/** As long as nothing else of the process gets its turn. */
const BREATH_MS = 20;

/** Reads a file block by block, into some blocks in turn. */
export class BlockReader {
  readonly #blocks: Blocks;
  readonly #ahead: Ahead | undefined;

  constructor(blocks: Blocks, ahead: Ahead | undefined) {
    this.#blocks = blocks;
    this.#ahead = ahead;
  }

  /** Hands over what stands in the file from `position` on, until its end or `isDone`. */
  async read(file: OpenFile, position: number, use: BlockUse): Promise<void> {
    if (this.#ahead === undefined) await this.#readAlone(file, position, use);
    else await this.#readTogether(file, position, { ...use, ahead: this.#ahead });
  }

  /** While a block is taken in, the next one is read. */
  async #readAlone(file: OpenFile, position: number, { take, isDone }: BlockUse): Promise<void> {
    const breath = new Breath();
    let at = position;
    let coming = this.#next(file, at, 0);
    for (let turn = 1; ; turn++) {
      const bytes = await coming;
      await breath.draw(); // a stream may have the next bytes at once, each time
      if (bytes.length === 0 || isDone()) return;
      at += bytes.length;
      coming = this.#next(file, at, turn);
      try {
        take({ bytes });
      } catch (error) {
        coming.catch(() => undefined); // the first error is the one that counts, at once: a stream may be silent for long
        throw error;
      }
    }
  }

  async #next(file: OpenFile, position: number, turn: number): Promise<Buffer> {
    const into = this.#into(turn);
    return into.subarray(0, await file.read(into, position));
  }

  /**
   * Takes from other threads what they have read and scanned. The rest this thread reads itself, in one go with scanning it:
   * all processors have enough to do, and what a thread has read is in the caches of the one that scans it.
   */
  async #readTogether(
    file: OpenFile,
    position: number,
    { take, isDone, ahead }: BlockUse & { readonly ahead: Ahead },
  ): Promise<void> {
    const breath = new Breath();
    let at = position;
    for (let turn = 0; ; turn++) {
      const into = this.#into(turn);
      const taken = ahead.isTheirs(at) ? ahead.take(at, into, file.readNow) : undefined;
      if (ahead.lost !== undefined) await ahead.lost;
      const block = taken ?? { bytes: into.subarray(0, file.readNow(into, at)) };
      if (block.bytes.length === 0) return;
      // the next block begins elsewhere than other threads think, who write to where the end of this one is carried
      if (block.bytes.length < into.length) await letGo(ahead);
      ahead.reach(at);
      at += block.bytes.length;
      take(block);
      if (isDone()) return;
      await breath.draw();
    }
  }

  #into(turn: number): Buffer {
    return this.#blocks[turn % this.#blocks.length] ?? this.#blocks[0];
  }
}

/** Resolves once nobody else writes into a block. */
async function letGo(ahead: Ahead): Promise<void> {
  ahead.end();
  await ahead.lost;
}

/** Lets timers, signals and whatever else the process does have their turn, once in a while. */
class Breath {
  #drawnAt = clockMs();

  async draw(): Promise<void> {
    if (clockMs() - this.#drawnAt < BREATH_MS) return;
    await setImmediate();
    this.#drawnAt = clockMs();
  }
}

/** From the start of the process; `performance` would be loaded first, which costs the start of a small grade some milliseconds. */
function clockMs(): number {
  return 1000 * process.uptime();
}
