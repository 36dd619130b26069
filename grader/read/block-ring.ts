import { RECORD } from "./line-kernel.ts";

/** Blocks of a file between the thread that grades and those that scan ahead of it; with four, a sixth of the time was waiting. */
export const SLOTS = 6;
/** How far before the grading thread's block the first one is that can be scanned ahead. */
const LEAD = 1;
/** From here on a thread that has scanned its share takes what is another's. */
const FAR = 4;
/** Room for the records of one block: 2.4 MB in all. Of one whose lines are shorter than 86 bytes, the rest is left unscanned. */
const MOST_LINES = 6 << 10;

/** The length of a block that could not be read. */
const UNREAD = -1;

/** Stands for the current block once the file is let go of. */
const STOPPED = -1 - SLOTS - LEAD;

/** Where the shared numbers stand: first those of the file, then those of each slot. */
const AT = { current: 0, stop: 1, busy: 2, slots: 4 } as const;
const SLOT = { claimed: 0, done: 1, length: 2, from: 3, end: 4, lines: 5, isText: 6, numbers: 8 } as const;

/** What stands in a block, when a thread has scanned it; the addresses are those of a kernel's memory. */
export interface Scanned {
  /** Where its first line begins, which may be before the block, and where the last line ends that has a record. */
  readonly from: number;
  readonly end: number;
  /** Whether all of it is UTF-8. */
  readonly isText: boolean;
  /** The records of its lines, one after the other. */
  readonly records: Uint32Array;
}

/** Which blocks are a thread's: each of `threads` in turn has one; the grading thread's index is 0. */
export interface Share {
  readonly threads: number;
  readonly index: number;
}

/**
 * Blocks of one file, shared by threads. Each block is claimed by one of them; one that scans ahead takes the next block
 * of its share at some distance before the grading thread, keeps the records here and says so. The grading
 * thread takes its own share, and what the others have not come to; while it would have to wait, it scans ahead as well.
 */
export class BlockRing {
  readonly memory: SharedArrayBuffer;
  readonly #numbers: Int32Array;

  constructor(memory?: SharedArrayBuffer) {
    const head = 4 * (AT.slots + SLOTS * SLOT.numbers);
    this.memory = memory ?? new SharedArrayBuffer(head + SLOTS * 4 * RECORD * MOST_LINES);
    this.#numbers = new Int32Array(this.memory, 0, AT.slots + SLOTS * SLOT.numbers);
  }

  /** A new file begins; nobody may be busy with another one. */
  restart(): void {
    this.#numbers.fill(0);
    for (let block = 0; block < SLOTS; block++) {
      this.#numbers[this.#at(block, SLOT.claimed)] = -1;
      this.#numbers[this.#at(block, SLOT.done)] = -1;
    }
  }

  /** The grading thread is at this block, and through with all before it. */
  reach(block: number): void {
    Atomics.store(this.#numbers, AT.current, block);
    Atomics.notify(this.#numbers, AT.current);
  }

  /** Claims the block; false when another thread has it. */
  claim(block: number): boolean {
    const at = this.#at(block, SLOT.claimed);
    const known = Atomics.load(this.#numbers, at);
    return known < block && Atomics.compareExchange(this.#numbers, at, known, block) === known;
  }

  /** Claims a block of one's share to scan ahead, waiting until there is one; undefined once the file is let go of. */
  claimAhead({ threads, index }: Share): number | undefined {
    while (!this.#isStopped) {
      const current = Atomics.load(this.#numbers, AT.current);
      for (let block = current + LEAD; block < current + SLOTS; block++) {
        const isOwn = block % threads === index || block >= current + FAR;
        if (isOwn && this.claim(block)) return block;
      }
      Atomics.wait(this.#numbers, AT.current, current);
    }
    return undefined;
  }

  /** Whether the thread that claimed the block is through with it. */
  isDone(block: number): boolean {
    return Atomics.load(this.#numbers, this.#at(block, SLOT.done)) === block;
  }

  /** Claims for the grading thread, which waits for `block`, one behind it; undefined when others have all there is room for. */
  claimBehind(block: number): number | undefined {
    const end = Atomics.load(this.#numbers, AT.current) + SLOTS;
    for (let next = block + 1; next < end; next++) if (this.claim(next)) return next;
    return undefined;
  }

  /** Where the records of a block go. */
  records(block: number): Uint32Array {
    const at = 4 * this.#numbers.length + (block % SLOTS) * 4 * RECORD * MOST_LINES;
    return new Uint32Array(this.memory, at, RECORD * MOST_LINES);
  }

  /** The block holds so many bytes; without `scanned`, nothing else is known of it. */
  finish(block: number, length: number, scanned?: Omit<Scanned, "records"> & { readonly lines: number }): void {
    const base = this.#at(block, 0);
    this.#numbers[base + SLOT.length] = length;
    this.#numbers[base + SLOT.from] = scanned?.from ?? 0;
    this.#numbers[base + SLOT.end] = scanned?.end ?? 0;
    this.#numbers[base + SLOT.lines] = scanned?.lines ?? 0;
    this.#numbers[base + SLOT.isText] = scanned?.isText === true ? 1 : 0;
    Atomics.store(this.#numbers, base + SLOT.done, block);
    Atomics.notify(this.#numbers, base + SLOT.done);
  }

  /** The block could not be read: it is left to whoever asks for it. */
  giveUp(block: number): void {
    this.finish(block, UNREAD);
  }

  /**
   * What another thread found in the block it had claimed; undefined when it is not through with it in time. Without
   * `length` the block could not be read.
   */
  take(
    block: number,
    timeoutMs: number,
  ): { readonly length?: number; readonly scanned: Scanned | undefined } | undefined {
    const base = this.#at(block, 0);
    const known = Atomics.load(this.#numbers, base + SLOT.done);
    if (known !== block) Atomics.wait(this.#numbers, base + SLOT.done, known, timeoutMs);
    if (Atomics.load(this.#numbers, base + SLOT.done) !== block) return undefined;
    const of = (field: number): number => this.#numbers[base + field] ?? 0;
    if (of(SLOT.length) === UNREAD) return { scanned: undefined };
    const [from, end] = [of(SLOT.from), of(SLOT.end)];
    const records = this.records(block).subarray(0, RECORD * of(SLOT.lines));
    const scanned = { from, end, isText: of(SLOT.isText) === 1, records };
    return { length: of(SLOT.length), scanned: end === 0 ? undefined : scanned };
  }

  /** A thread begins with the file, or is through with it. */
  enter(): void {
    Atomics.add(this.#numbers, AT.busy, 1);
  }

  leave(): void {
    Atomics.sub(this.#numbers, AT.busy, 1);
    Atomics.notify(this.#numbers, AT.busy);
  }

  /** Lets go of the file; true once nobody scans ahead in it any more. */
  stop(timeoutMs: number): boolean {
    Atomics.store(this.#numbers, AT.stop, 1);
    this.reach(STOPPED); // another number, so that nobody begins to wait for one after the last look
    for (let busy = this.#busy; busy > 0; busy = this.#busy) {
      if (Atomics.wait(this.#numbers, AT.busy, busy, timeoutMs) === "timed-out") return false;
    }
    return true;
  }

  get #busy(): number {
    return Atomics.load(this.#numbers, AT.busy);
  }

  get #isStopped(): boolean {
    return Atomics.load(this.#numbers, AT.stop) === 1;
  }

  #at(block: number, field: number): number {
    return AT.slots + (block % SLOTS) * SLOT.numbers + field;
  }
}
