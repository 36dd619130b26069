import type { PassedRun } from "./passed-run.ts";
import type { NumberTimes } from "./selection.ts";

/** Where the fold's numbers stand (kernel/fold.ts and kernel/times.ts have the same): f64 by eights of bytes, u32 by fours. */
const F64 = { mostBytes: 0, nextSeq: 1, first: 2, last: 3, largest: 4, dayStart: 5 } as const;
const U32 = {
  events: 12,
  timed: 13,
  stepsBack: 14,
  lastEvent: 15,
  endpoints: 20,
  unchecked: 21,
  numberUnit: 22,
  noneChecked: 23,
} as const;
const UNITS: Record<NumberTimes, number> = { guess: 1, s: 2, ms: 3, us: 4, ns: 5 };
const DAY_AT = 64;
const ENDPOINT_AT = 96;
const ENDPOINT_BYTES = 512;
const MOST_ENDPOINTS = 16;

export const FOLD_BYTES = ENDPOINT_AT + MOST_ENDPOINTS * ENDPOINT_BYTES + 32;

/** What the kernel does with the events of a name; it hands over those of a name it has not been told about. */
export const ASK = 0;
export const PASS = 1;
export const LOOK_AT = 2;
/** It passes those in which the name's program finds nothing that is asked for. */
const TEST = 3;

/** One entry for each name id. */
interface NameTables {
  readonly names: Buffer;
  readonly programs: Uint32Array;
}

/** The numbers that JavaScript and the kernel share while the kernel passes events that nobody has to see. */
export class KernelFold {
  readonly #bytes: Buffer;
  readonly #at: number;
  readonly #f64: Float64Array;
  readonly #u32: Uint32Array;
  #nextSlot = 0;
  /** By name id, what becomes of its events, and where the program is that tells. */
  readonly #names: Buffer;
  readonly #programs: Uint32Array;

  constructor(bytes: Buffer, at: number, { names, programs }: NameTables) {
    this.#bytes = bytes;
    this.#at = at;
    this.#f64 = new Float64Array(bytes.buffer, at, ENDPOINT_AT / 8);
    this.#u32 = new Uint32Array(bytes.buffer, at, ENDPOINT_AT / 4);
    this.#names = names;
    this.#programs = programs;
  }

  /** From now on this becomes of the events with this name id. */
  settle(id: number, what: typeof ASK | typeof PASS | typeof LOOK_AT): void {
    this.#names[id] = what;
  }

  /** From now on the program at this place tells which events with this name id are passed. */
  settleByProgram(id: number, program: number): void {
    this.#programs[id] = program;
    this.#names[id] = TEST;
  }

  /** Every name is to be asked about again. */
  forgetNames(): void {
    this.#names.fill(ASK);
  }

  /** Lines of more bytes are handed over. */
  set mostBytes(bytes: number) {
    this.#f64[F64.mostBytes] = Math.min(bytes, 2 ** 32 - 1);
  }

  /** Every line passed counts as taken for readable. */
  countAsUnchecked(): void {
    this.#u32[U32.noneChecked] = 1;
  }

  /** What times that are whole numbers count; while it is undefined, events with such a time are handed over. */
  set numberTimes(unit: NumberTimes | undefined) {
    this.#u32[U32.numberUnit] = unit === undefined ? 0 : UNITS[unit];
  }

  /** Forgets what was passed; records are to go on with this number, 0 when none can be passed that has one. */
  begin(nextSeq: number): void {
    this.#f64[F64.nextSeq] = nextSeq;
    this.#u32[U32.events] = 0;
    this.#u32[U32.timed] = 0;
    this.#u32[U32.stepsBack] = 0;
    this.#u32[U32.unchecked] = 0;
  }

  /** What was passed since `begin`; `from` and `to` are the lines of the batch that it went over. */
  passed(from: number, to: number): PassedRun {
    const timed = this.#u32[U32.timed] ?? 0;
    return {
      lines: to - from,
      events: this.#u32[U32.events] ?? 0,
      lastEvent: (this.#u32[U32.lastEvent] ?? 0) - from,
      unchecked: this.#u32[U32.unchecked] ?? 0,
      nextSeq: this.#f64[F64.nextSeq] ?? 0,
      times: timed === 0 ? undefined : this.#times(),
    };
  }

  #times(): NonNullable<PassedRun["times"]> {
    return {
      first: this.#f64[F64.first] ?? 0,
      last: this.#f64[F64.last] ?? 0,
      largest: this.#f64[F64.largest] ?? 0,
      stepsBack: this.#u32[U32.stepsBack] ?? 0,
    };
  }

  /** Times of the day whose ten bytes stand at `start` can be read: it begins at these milliseconds. */
  knowDay(start: number, dayStart: number): void {
    this.#bytes.copyWithin(this.#at + DAY_AT, start, start + 10);
    this.#f64[F64.dayStart] = dayStart;
  }

  forgetEndpoints(): void {
    this.#u32[U32.endpoints] = 0;
    this.#nextSlot = 0;
  }

  /** Events of this endpoint, the bytes of its two values, can be passed from now on; the oldest known goes for it. */
  knowEndpoint(host: Buffer, path: Buffer): void {
    if (8 + host.length + path.length > ENDPOINT_BYTES) return;
    const count = this.#u32[U32.endpoints] ?? 0;
    const entry = this.#at + ENDPOINT_AT + this.#nextSlot * ENDPOINT_BYTES;
    this.#nextSlot = (this.#nextSlot + 1) % MOST_ENDPOINTS;
    this.#bytes.writeUInt32LE(host.length, entry);
    this.#bytes.writeUInt32LE(path.length, entry + 4);
    host.copy(this.#bytes, entry + 8);
    path.copy(this.#bytes, entry + 8 + host.length);
    this.#u32[U32.endpoints] = Math.min(count + 1, MOST_ENDPOINTS);
  }
}
