import { readFileSync } from "node:fs";
import { FOLD_BYTES, KernelFold } from "./kernel-fold.ts";
import { type Blocks, CARRY_BYTES, KernelRoom } from "./kernel-room.ts";
import { KernelTests, TESTS_BYTES } from "./kernel-tests.ts";
import { LongLine } from "./long-line.ts";
import { isSystemError } from "./unreadable.ts";

/** What the kernel found a line to be; a LOOK line is for `parseLine`. */
export const BLANK = 0;
export const EVENT = 1;
/** An event whose line is taken for readable. */
export const QUICK = 3;

/** Where the numbers of a line's record stand (kernel/lines.ts writes them); a value's range ends at 0 when it is absent. */
export const FIELD = {
  start: 0,
  end: 1,
  kind: 2,
  nameId: 3,
  name: 4,
  time: 6,
  seq: 8,
  at: 10,
  host: 12,
  path: 14,
} as const;

/** Numbers of one record. */
export const RECORD = 16;
/** Lines per call: few enough for their records to stay in the processor's cache. */
const MOST_LINES = 1024;
/** Ids that are no entered name: not entered, and an event without a name. */
export const UNKNOWN_NAME = 0;
export const NAMELESS = 1;
const MOST_NAMES = 4096;
const NAME_BYTES = 1 << 18;
const BUCKETS = 4 * MOST_NAMES;

/** What the compiled kernel offers. */
export interface KernelExports {
  readonly next: { readonly value: number };
  configure(name: number, nameLength: number, time: number, timeLength: number): void;
  useTable(table: number, size: number): void;
  enter(at: number, length: number, id: number): void;
  scan(from: number, end: number, out: number, most: number): number;
  setQuick(on: number): void;
  useFold(at: number, names: number, programs: number): void;
  fold(records: number, from: number, count: number): number;
  isAwaited(start: number, program: number): number;
  nameOf(record: number): number;
  isKnownEndpoint(record: number): number;
  beginPieces(start: number, stack: number, record: number): void;
  readPieces(end: number): void;
  endPieces(end: number): number;
}

/** The keys of an event that hold its name and its time. */
export interface EventKeys {
  readonly name: string;
  readonly time: string;
}

/** The WebAssembly kernel with its memory: blocks to read a file into, and one record per line scanned. */
export class LineKernel {
  /** All of the memory; addresses in records are positions in it. */
  readonly bytes: Buffer;
  readonly records: Uint32Array;
  readonly blocks: Blocks;
  /** What the passing of events needs and finds. */
  readonly passing: KernelFold;
  /** What it looks at in events of which only some can be passed. */
  readonly tests: KernelTests;
  readonly #exports: KernelExports;
  readonly #keys: EventKeys;
  readonly #recordsAt: number;
  #nextName: number;
  readonly #namesEnd: number;
  #entered = NAMELESS;

  /** `module` is the program for a memory such as the room's. */
  constructor(module: WebAssembly.Module, keys: EventKeys, { room, index }: { room: KernelRoom; index: number }) {
    this.#keys = keys;
    const { at: keysAt, end } = room.own(index);
    const tableAt = keysAt + (1 << 12);
    const foldAt = tableAt + 16 * BUCKETS;
    const wantedAt = foldAt + FOLD_BYTES;
    const programsAt = wantedAt + 2 * MOST_NAMES;
    const testsAt = programsAt + 8 * MOST_NAMES;
    const namesAt = testsAt + TESTS_BYTES;
    const recordsAt = namesAt + NAME_BYTES;
    if (recordsAt + 4 * RECORD * MOST_LINES > end) throw new Error("a kernel's own things need more room");
    const { memory, bytes, blocks } = room;
    this.#exports = new WebAssembly.Instance(module, { env: { memory } }).exports as unknown as KernelExports;
    this.bytes = bytes;
    this.records = new Uint32Array(memory.buffer, recordsAt, RECORD * MOST_LINES);
    this.blocks = blocks;
    this.#recordsAt = recordsAt;
    this.#nextName = namesAt;
    this.#namesEnd = recordsAt;
    const nameLength = this.bytes.write(keys.name, keysAt);
    const timeLength = this.bytes.write(keys.time, keysAt + nameLength);
    this.#exports.configure(keysAt, nameLength, keysAt + nameLength, timeLength);
    this.#exports.useTable(tableAt, BUCKETS);
    this.#exports.useFold(foldAt, wantedAt, programsAt);
    this.passing = new KernelFold(this.bytes, foldAt, {
      names: this.bytes.subarray(wantedAt, programsAt),
      programs: new Uint32Array(memory.buffer, programsAt, 2 * MOST_NAMES),
    });
    this.tests = new KernelTests(this.bytes, testsAt);
  }

  /** From now on lines are taken for readable: scans look only at what the records need. */
  takeForReadable(): void {
    this.#exports.setQuick(1);
  }

  /** Scans whole lines from `from`, each ending with LF, up to `end`; returns how many have a record now. */
  scan(from: number, end: number): number {
    return this.#exports.scan(from, end, this.#recordsAt, MOST_LINES);
  }

  /** Passes the events that nobody has to see; returns the first line, from `line` on, that is none, or `count`. */
  fold(line: number, count: number): number {
    return this.#exports.fold(this.#recordsAt, line, count);
  }

  /** For a line that is too long to be carried, of at most so many bytes. */
  longLine(maxHeld: number): LongLine {
    const plain = compileKernel(PLAIN);
    if (plain === null) throw new Error(`${PLAIN} is no longer where it was`);
    return new LongLine(plain, this.#keys, maxHeld);
  }

  /** Where the next scan has to begin. */
  get next(): number {
    return this.#exports.next.value;
  }

  /** The id of the name in the record whose numbers begin at `base`; UNKNOWN_NAME when it was not entered. */
  nameId(base: number): number {
    return this.#exports.nameOf(this.#recordsAt + 4 * base);
  }

  /** True when the event that begins at `start` could be what a program of `tests` asks for. */
  isAwaited(start: number, program: number): boolean {
    return this.#exports.isAwaited(start, program) !== 0;
  }

  /** True when events of this line's endpoint can be passed, as it has none or one that was made known. */
  knowsEndpoint(line: number): boolean {
    return this.#exports.isKnownEndpoint(this.#recordsAt + 4 * RECORD * line) !== 0;
  }

  /** Gives the name that stands at these bytes an id; UNKNOWN_NAME when there is no room for it. */
  enterName(start: number, end: number): number {
    const length = end - start;
    if (this.#entered >= MOST_NAMES || this.#nextName + length > this.#namesEnd) return UNKNOWN_NAME;
    this.bytes.copyWithin(this.#nextName, start, end);
    this.#entered += 1;
    this.#exports.enter(this.#nextName, length, this.#entered);
    this.#nextName += length;
    return this.#entered;
  }

  /** Copies the beginning of a line before the block that will hold its end; undefined when it is too long for that. */
  carry(start: number, end: number, block: Buffer): number | undefined {
    const length = end - start;
    if (length > CARRY_BYTES) return undefined;
    const to = block.byteOffset - length;
    this.bytes.copyWithin(to, start, end);
    return to;
  }
}

const PLAIN = "kernel.wasm";
const SHARED = "kernel-shared.wasm";
const compiled = new Map<string, WebAssembly.Module | null>();

/**
 * A kernel of its own for one log, or with `shared` for one thread of several; undefined where the engine has no
 * WebAssembly SIMD or the package's kernel.wasm is not there. Everything works without it, only slower.
 */
export function createLineKernel(
  keys: EventKeys,
  blockBytes: number,
  shared?: { readonly room: KernelRoom; readonly index: number },
): LineKernel | undefined {
  const module = compileKernel(shared === undefined ? PLAIN : SHARED);
  const isOverlong = Buffer.byteLength(keys.name) + Buffer.byteLength(keys.time) > 1 << 12;
  if (module === null || isOverlong) return undefined;
  const room = shared?.room ?? new KernelRoom({ kernels: 1, blocks: 2, blockBytes }, { isShared: false });
  return new LineKernel(module, keys, { room, index: shared?.index ?? 0 });
}

/** Whether there can be a kernel at all. */
export function hasLineKernel(): boolean {
  return compileKernel(PLAIN) !== null;
}

/** The program of that name, compiled once; null where it cannot be had. */
function compileKernel(name: string): WebAssembly.Module | null {
  const known = compiled.get(name);
  if (known !== undefined) return known;
  const module = tryToCompile(name);
  compiled.set(name, module);
  return module;
}

function tryToCompile(name: string): WebAssembly.Module | null {
  if (typeof WebAssembly === "undefined") return null; // as under --jitless
  try {
    return new WebAssembly.Module(readFileSync(new URL(`./${name}`, import.meta.url)));
  } catch (error) {
    if (isSystemError(error) || error instanceof WebAssembly.CompileError) return null;
    throw error;
  }
}
