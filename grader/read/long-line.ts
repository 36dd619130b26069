import { KernelTests, TESTS_BYTES } from "./kernel-tests.ts";
import { type EventKeys, type KernelExports, RECORD } from "./line-kernel.ts";
import type { Interest } from "./selection.ts";

/** Where things stand in its memory: the two keys, one record, what is looked for in the line, the line. */
const KEYS_AT = 1 << 16;
const RECORD_AT = KEYS_AT + (1 << 12);
const TESTS_AT = 2 << 16;
const LINE_AT = TESTS_AT + TESTS_BYTES;
const PAGE_BYTES = 1 << 16;
const FIRST_PAGES = 64;
const MOST_PAGES = 1 << 16;
/** The kernel loads 32 bytes at a time, so it may read behind the line. */
const SLACK = 64;
/** More memory than this is given back once its line is done. */
const KEPT_BYTES = 1 << 24;

/** Where a line stands that has come to its end, without its LF, and the kernel's record of it. */
export interface WholeLine {
  readonly bytes: Buffer;
  readonly start: number;
  readonly end: number;
  readonly records: Uint32Array;
  /** False when the bytes of an event say that none of these interests is about it. */
  couldBe(interests: readonly Interest[]): boolean;
}

/**
 * Holds one line too long for a block while it comes, in a kernel's memory, so that nothing has to be made of it to know
 * whether it is one JSON object. A line over the limit is forgotten as it comes.
 */
export class LongLine {
  readonly #memory = new WebAssembly.Memory({ initial: FIRST_PAGES, maximum: MOST_PAGES });
  readonly #exports: KernelExports;
  readonly #maxHeld: number;
  #bytes: Buffer;
  #length = 0;
  #isOver = false;

  constructor(module: WebAssembly.Module, keys: EventKeys, maxHeld: number) {
    const env = { memory: this.#memory };
    this.#exports = new WebAssembly.Instance(module, { env }).exports as unknown as KernelExports;
    this.#maxHeld = Math.min(maxHeld, MOST_PAGES * PAGE_BYTES - LINE_AT - SLACK);
    this.#bytes = Buffer.from(this.#memory.buffer);
    const nameLength = this.#bytes.write(keys.name, KEYS_AT);
    const timeLength = this.#bytes.write(keys.time, KEYS_AT + nameLength);
    this.#exports.configure(KEYS_AT, nameLength, KEYS_AT + nameLength, timeLength);
  }

  /** Takes a piece of the line, none of them its LF. */
  push(piece: Buffer): void {
    this.#isOver ||= this.#length + piece.length > this.#maxHeld;
    if (this.#isOver) return;
    const needed = LINE_AT + this.#length + piece.length + SLACK;
    if (needed > this.#bytes.length) this.#grow(needed);
    piece.copy(this.#bytes, LINE_AT + this.#length);
    this.#length += piece.length;
  }

  /** The bytes so far; undefined when they are too many. */
  get held(): Buffer | undefined {
    return this.#isOver ? undefined : this.#bytes.subarray(LINE_AT, LINE_AT + this.#length);
  }

  /** The line is whole; `skip` bytes at its start do not belong to it. */
  whole(skip: number): WholeLine {
    const [start, end] = [LINE_AT + skip, LINE_AT + this.#length];
    this.#bytes[end] = 10;
    this.#exports.scan(start, end + 1, RECORD_AT, 1);
    const records = new Uint32Array(this.#memory.buffer, RECORD_AT, RECORD);
    return { bytes: this.#bytes, start, end, records, couldBe: (interests) => this.#couldBe(start, interests) };
  }

  #couldBe(start: number, interests: readonly Interest[]): boolean {
    if (interests.length === 0) return false;
    const program = new KernelTests(this.#bytes, TESTS_AT).program(interests);
    return program === undefined || this.#exports.isAwaited(start, program) !== 0;
  }

  /** Makes room for the next line; false when it takes more than it is worth keeping. */
  clear(): boolean {
    this.#length = 0;
    this.#isOver = false;
    return this.#bytes.length <= KEPT_BYTES;
  }

  /** Memory that nothing was written to costs nothing, so it is doubled. */
  #grow(needed: number): void {
    const pages = Math.max(Math.ceil(needed / PAGE_BYTES), Math.min((2 * this.#bytes.length) / PAGE_BYTES, MOST_PAGES));
    this.#memory.grow(pages - this.#bytes.length / PAGE_BYTES);
    this.#bytes = Buffer.from(this.#memory.buffer);
  }
}
