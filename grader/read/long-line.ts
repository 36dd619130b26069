import { isUtf8 } from "node:buffer";
import { KernelTests, TESTS_BYTES } from "./kernel-tests.ts";
import { type EventKeys, type KernelExports, RECORD } from "./line-kernel.ts";
import { startsWithBom } from "./lines.ts";
import type { Interest } from "./selection.ts";

/** Where things stand in its memory: the two keys, one record, the brackets that are open, what is looked for in the line, the line. */
const KEYS_AT = 1 << 16;
const RECORD_AT = KEYS_AT + (1 << 12);
const BRACKETS_AT = RECORD_AT + (1 << 10);
const TESTS_AT = 2 << 16;
const LINE_AT = TESTS_AT + TESTS_BYTES;
const PAGE_BYTES = 1 << 16;
const FIRST_PAGES = 64;
const MOST_PAGES = 1 << 16;
/** The kernel loads 32 bytes at a time, so it may read behind the line. */
const SLACK = 64;
/** More memory than this is given back once its line is done. */
const KEPT_BYTES = 1 << 24;

const LF = 10;
/** Bytes of the longest character. */
const CHARACTER_BYTES = 4;

/** Where a line stands that has come to its end, without its LF, and the kernel's record of it. */
export interface WholeLine {
  readonly bytes: Buffer;
  readonly start: number;
  readonly end: number;
  readonly records: Uint32Array;
  /** All of it is UTF-8. */
  readonly isText: boolean;
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
  /** Up to where it was looked at for UTF-8, and whether it was that. */
  #checked = LINE_AT;
  #isText = true;

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
    if (this.#length === 0) this.#begin();
    const needed = LINE_AT + this.#length + piece.length + SLACK;
    if (needed > this.#bytes.length) this.#grow(needed);
    piece.copy(this.#bytes, LINE_AT + this.#length);
    this.#length += piece.length;
    const end = LINE_AT + this.#length;
    this.#bytes[end] = LF;
    this.#exports.readPieces(end);
    this.#checkText(end - cutCharacter(this.#bytes, end));
  }

  /** The bytes so far; undefined when they are too many. */
  get held(): Buffer | undefined {
    return this.#isOver ? undefined : this.#bytes.subarray(LINE_AT, LINE_AT + this.#length);
  }

  /** The line is whole; a byte order mark at the start of a file does not belong to it. */
  whole(isFileStart: boolean): WholeLine {
    const end = LINE_AT + this.#length;
    const start = isFileStart && startsWithBom(this.#bytes, LINE_AT, end) ? LINE_AT + 3 : LINE_AT;
    this.#checkText(end);
    const isRead = this.#isText && start === LINE_AT && this.#exports.endPieces(end) !== 0;
    if (!isRead) this.#exports.scan(start, end + 1, RECORD_AT, 1);
    const records = new Uint32Array(this.#memory.buffer, RECORD_AT, RECORD);
    const couldBe = (interests: readonly Interest[]): boolean => this.#couldBe(start, interests);
    return { bytes: this.#bytes, start, end, records, isText: this.#isText, couldBe };
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

  #begin(): void {
    this.#exports.beginPieces(LINE_AT, BRACKETS_AT, RECORD_AT);
    this.#checked = LINE_AT;
    this.#isText = true;
  }

  /** Up to `end`, which is not within a character. */
  #checkText(end: number): void {
    if (end <= this.#checked) return;
    this.#isText &&= isUtf8(this.#bytes.subarray(this.#checked, end));
    this.#checked = end;
  }

  /** Memory that nothing was written to costs nothing, so it is doubled. */
  #grow(needed: number): void {
    const pages = Math.max(Math.ceil(needed / PAGE_BYTES), Math.min((2 * this.#bytes.length) / PAGE_BYTES, MOST_PAGES));
    this.#memory.grow(pages - this.#bytes.length / PAGE_BYTES);
    this.#bytes = Buffer.from(this.#memory.buffer);
  }
}

/** How many of the last bytes before `end` belong to a character that goes on behind it, as far as that can be told. */
function cutCharacter(bytes: Buffer, end: number): number {
  for (let cut = 1; cut < CHARACTER_BYTES; cut++) {
    const byte = bytes[end - cut] ?? 0;
    if (byte >= 0xc0) return cut;
    if (byte < 0x80) return 0;
  }
  return 0;
}
