import type { Worker } from "node:worker_threads";
import { BlockRing, type Scanned, type Share, SLOTS } from "./block-ring.ts";
import { BlockScanner, type ReadAt } from "./block-scanner.ts";
import { KernelRoom } from "./kernel-room.ts";
import { createLineKernel, type EventKeys, type LineKernel } from "./line-kernel.ts";
import { type FileFacts, identityOf } from "./open-file.ts";
import { takeScanWorker } from "./scan-worker.ts";
import { isSystemError } from "./unreadable.ts";

/** How a log is to be scanned. */
export interface ScanWish {
  readonly keys: EventKeys;
  readonly blockBytes: number;
  /** Lines are taken for readable. */
  readonly isQuick: boolean;
}

/** What a thread that scans ahead is told first. */
export interface AheadSetting extends ScanWish {
  readonly ring: SharedArrayBuffer;
  readonly room: WebAssembly.Memory;
  readonly share: Share;
}

/** A file to scan, which has to be this very one. */
export interface AheadFile {
  readonly file: string;
  readonly identity: string;
}

/** What it is told after that. Null lets it end. */
export type AheadOrder = AheadFile | null;

/** A block of a file; without `scanned` its lines are still to be scanned. */
export interface Block {
  readonly bytes: Buffer;
  readonly scanned?: Scanned | undefined;
}

/** No block takes that long; threads that do not answer are ended, and done without. */
const PATIENCE_MS = 2_000;
/** Of fewer blocks hardly one would be left to others. */
const LEAST_BLOCKS = 4;

/** The room of all threads: the same for each of them. */
export function roomFor(
  helpers: number,
  blockBytes: number,
  from: ConstructorParameters<typeof KernelRoom>[1],
): KernelRoom {
  return new KernelRoom({ kernels: helpers + 1, blocks: SLOTS, blockBytes }, from);
}

/** Other threads that read and scan blocks of a file before the grading thread comes to them. */
export class ScanAhead {
  /** The grading thread's own kernel, which has its blocks where the others' are. */
  readonly kernel: LineKernel;
  readonly #ring = new BlockRing();
  readonly #scanner: BlockScanner;
  readonly #workers: readonly Worker[];
  readonly #blockBytes: number;
  #isOpen = false;
  #lost: Promise<unknown> | undefined;

  private constructor(kernel: LineKernel, { memory }: KernelRoom, wish: ScanWish & { readonly helpers: number }) {
    const { helpers, ...scan } = wish;
    this.kernel = kernel;
    this.#scanner = new BlockScanner(kernel, scan);
    this.#blockBytes = wish.blockBytes;
    this.#workers = Array.from({ length: helpers }, (_, at) => {
      const share = { threads: helpers + 1, index: at + 1 };
      const worker = takeScanWorker();
      worker.on("error", () => this.#lose());
      worker.postMessage({ ...scan, ring: this.#ring.memory, room: memory, share } satisfies AheadSetting);
      return worker;
    });
  }

  /** Starts so many threads; undefined where the engine cannot have them. */
  static start(helpers: number, wish: ScanWish): ScanAhead | undefined {
    const { keys, blockBytes } = wish;
    const room = roomFor(helpers, blockBytes, { isShared: true });
    const kernel = createLineKernel(keys, blockBytes, { room, index: 0 });
    return kernel === undefined ? undefined : new ScanAhead(kernel, room, { ...wish, helpers });
  }

  /** The grading thread begins with the file; a small one it reads alone. */
  begin(file: string, facts: FileFacts): void {
    if (this.#lost !== undefined || facts.size < LEAST_BLOCKS * this.#blockBytes) return;
    const identity = identityOf(facts);
    this.#ring.restart();
    this.#isOpen = true;
    for (const worker of this.#workers) {
      this.#ring.enter();
      worker.postMessage({ file, identity } satisfies AheadOrder);
    }
  }

  /** True when the block at this position is left to another thread, which is asked for it by `take`. */
  isTheirs(position: number): boolean {
    if (!this.#isOpen) return false;
    if (position % this.#blockBytes === 0) return !this.#ring.claim(position / this.#blockBytes);
    this.end(); // the file grows: its last block was cut short
    return false;
  }

  /**
   * The block at this position, which was to be read into `into`; undefined when the other thread failed to bring it.
   * Until it is there, this thread reads and scans others behind it.
   */
  take(position: number, into: Buffer, readAt: ReadAt): Block | undefined {
    const block = position / this.#blockBytes;
    this.#scanBehind(block, readAt);
    const taken = this.#ring.take(block, PATIENCE_MS);
    if (taken === undefined) this.#lose();
    if (taken?.length === undefined) return undefined;
    return { bytes: into.subarray(0, taken.length), scanned: taken.scanned };
  }

  #scanBehind(block: number, readAt: ReadAt): void {
    while (!this.#ring.isDone(block)) {
      const next = this.#ring.claimBehind(block);
      if (next === undefined) return;
      try {
        this.#scanner.fill(this.#ring, next, readAt);
      } catch (error) {
        if (!isSystemError(error)) throw error; // it is met again where that block is graded
        return;
      }
    }
  }

  /** The grading thread is at the block at this position now. */
  reach(position: number): void {
    if (this.#isOpen) this.#ring.reach(Math.floor(position / this.#blockBytes));
  }

  /** The grading thread is through with the file. */
  end(): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    if (!this.#ring.stop(PATIENCE_MS)) this.#lose();
  }

  /** Nothing more is to be scanned. */
  close(): void {
    this.end();
    for (const worker of this.#workers) worker.postMessage(null satisfies AheadOrder);
  }

  /**
   * Resolves once no other thread writes into any block any more; undefined as long as they are relied on. One that was
   * given up on may still wait for its read to come back.
   */
  get lost(): Promise<unknown> | undefined {
    return this.#lost;
  }

  #lose(): void {
    this.#isOpen = false;
    this.#lost ??= Promise.all(this.#workers.map((worker) => worker.terminate()));
  }
}
