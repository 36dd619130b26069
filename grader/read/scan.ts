import { isUtf8 } from "node:buffer";
import { commonDay } from "./common-time.ts";
import { ASK, LOOK_AT, PASS } from "./kernel-fold.ts";
import { EVENT, FIELD, type LineKernel, QUICK, RECORD, UNKNOWN_NAME } from "./line-kernel.ts";
import { createLineSplitter, type LineSink, type LineSplitter, type Rest, startsWithBom } from "./lines.ts";
import { PassedEvent } from "./passed-event.ts";
import type { PassedRun } from "./passed-run.ts";
import type { Interest, Selection } from "./selection.ts";

/** Takes the lines of a log; those that nobody has to see come as `pass`. */
export interface ScanSink extends LineSink {
  /** Says which events have to be seen; undefined while all do. */
  readonly selection: Selection | undefined;
  pass(event: PassedEvent): void;
  /** Lines in a row of which none has to be seen. */
  passRun(run: PassedRun): void;
  /** The number the next record has to have to be passed in a run; undefined when no run can begin here. */
  runsFrom(): number | undefined;
  /** As long as it stays the same, an endpoint that was passed once needs no second look. */
  readonly endpointsEpoch: number;
}

export interface ScanOptions {
  /** Longest line, in bytes. */
  readonly maxBytes: number;
  /** Lines are taken for readable: an event that nobody has to see is passed although most of its line was not read. */
  readonly isQuick: boolean;
}

const LF = 10;
const CR = 13;
/** How JSON spells a character that could also stand there as it is. */
const ESCAPE = Buffer.from("\\u");

/**
 * Splits the bytes of a file into lines as `createLineSplitter` does, and validates each without parsing it: only lines
 * whose event is wanted, and those the kernel cannot vouch for, are handed over to be parsed. The bytes pushed have to
 * stand in the kernel's blocks, in turn.
 */
export class LineScanner implements LineSplitter {
  readonly #kernel: LineKernel;
  readonly #maxBytes: number;
  readonly #sink: ScanSink;
  readonly #event: PassedEvent;
  readonly #names: string[] = ["", ""];
  /** By name id, the reasons to see an event of that name, and when they were asked for. */
  readonly #asked: ({ readonly generation: number; readonly interests: readonly Interest[] } | undefined)[] = [];
  #generation: number | undefined;
  #endpointsEpoch: number | undefined;
  #isFileStart = true;
  /** The beginning of a line, as yet without its LF. */
  #carried: { readonly start: number; readonly end: number } | undefined;
  /** Holds a line that is too long to be carried. */
  #long: LineSplitter | undefined;

  constructor(kernel: LineKernel, sink: ScanSink, { maxBytes, isQuick }: ScanOptions) {
    if (isQuick) kernel.takeForReadable();
    this.#kernel = kernel;
    this.#maxBytes = maxBytes;
    this.#sink = sink;
    this.#event = new PassedEvent(kernel.bytes, kernel.records);
    kernel.passing.mostBytes = maxBytes;
  }

  push(chunk: Buffer): void {
    if (chunk.length === 0) return;
    const end = chunk.byteOffset + chunk.length;
    let from = this.#carriedTo(chunk);
    if (this.#long !== undefined) {
      const at = chunk.indexOf(LF);
      this.#long.push(at === -1 ? chunk : chunk.subarray(0, at + 1));
      if (at === -1) return;
      this.#long = undefined;
      this.#isFileStart = false;
      from = chunk.byteOffset + at + 1;
    }
    const lastEnd = chunk.lastIndexOf(LF) + chunk.byteOffset + 1;
    const rest = lastEnd > chunk.byteOffset ? lastEnd : from;
    if (rest > from) this.#scan(from, rest);
    if (end > rest) this.#keep(rest, end, chunk);
  }

  end(): Rest {
    const { bytes } = this.#kernel;
    const carried = this.#carried;
    const splitter = this.#long ?? this.#splitter();
    if (carried !== undefined) splitter.push(bytes.subarray(carried.start, carried.end));
    this.#carried = undefined;
    this.#long = undefined;
    this.#isFileStart = true;
    return splitter.end();
  }

  /** Where the line begins that the chunk goes on with: before the chunk when there is a beginning of it. */
  #carriedTo(chunk: Buffer): number {
    const carried = this.#carried;
    this.#carried = undefined;
    if (carried === undefined) return chunk.byteOffset;
    if (carried.end === chunk.byteOffset) return carried.start;
    return this.#kernel.carry(carried.start, carried.end, chunk) ?? chunk.byteOffset;
  }

  #splitter(): LineSplitter {
    return createLineSplitter(this.#maxBytes, this.#sink, this.#isFileStart);
  }

  #keep(start: number, end: number, chunk: Buffer): void {
    const { blocks, bytes } = this.#kernel;
    const other = blocks[0].byteOffset === chunk.byteOffset ? blocks[1] : blocks[0];
    const to = this.#kernel.carry(start, end, other);
    if (to !== undefined) {
      this.#carried = { start: to, end: to + end - start };
      return;
    }
    this.#long = this.#splitter();
    this.#long.push(bytes.subarray(start, end));
  }

  #scan(start: number, end: number): void {
    const kernel = this.#kernel;
    const { bytes } = kernel;
    const from = this.#isFileStart && startsWithBom(bytes, start, end) ? start + 3 : start;
    this.#isFileStart = false;
    const isText = isUtf8(bytes.subarray(from, end));
    for (let at = from; at < end; at = kernel.next) {
      const count = kernel.scan(at, end);
      for (let line = 0; line < count; line++) {
        if (isText) line = this.#passFrom(line, count);
        if (line < count) this.#line(line, isText);
      }
    }
  }

  /** Lets the kernel pass what nobody has to see; returns the first line that it leaves. */
  #passFrom(line: number, count: number): number {
    const nextSeq = this.#sink.runsFrom();
    if (nextSeq === undefined || this.#sink.selection === undefined) return line;
    this.#forgetOld(this.#sink.selection.generation);
    const { passing } = this.#kernel;
    passing.begin(nextSeq);
    passing.numberTimes = this.#sink.selection.numberTimes;
    const stop = this.#kernel.fold(line, count);
    if (stop > line) this.#sink.passRun(passing.passed(line, stop));
    return stop;
  }

  /** What the kernel was told holds for one generation of reasons, and for what is known of endpoints. */
  #forgetOld(generation: number): void {
    const { passing } = this.#kernel;
    if (generation !== this.#generation) {
      passing.forgetNames();
      this.#kernel.tests.clear();
    }
    this.#generation = generation;
    if (this.#endpointsEpoch !== this.#sink.endpointsEpoch) passing.forgetEndpoints();
    this.#endpointsEpoch = this.#sink.endpointsEpoch;
  }

  #line(line: number, isText: boolean): void {
    const { records, bytes } = this.#kernel;
    const base = line * RECORD;
    const start = records[base + FIELD.start] ?? 0;
    const end = records[base + FIELD.end] ?? 0;
    const length = end - start - (bytes[end - 1] === CR && end > start ? 1 : 0);
    if (length > this.#maxBytes) this.#sink.tooLong();
    else if (!isEvent(records[base + FIELD.kind]) || this.#isWanted(base)) this.#sink.line(bytes, start, end);
    else if (!isText && !isUtf8(bytes.subarray(start, end))) this.#sink.line(bytes, start, end);
    else this.#pass(line);
  }

  #pass(line: number): void {
    const event = this.#event;
    event.moveTo(line);
    this.#sink.pass(event);
    const { passing } = this.#kernel;
    const day = commonDay(event);
    if (day !== undefined) passing.knowDay(day.at, day.startMs);
    const endpoint = this.#kernel.knowsEndpoint(line) ? undefined : event.endpointBytes();
    if (endpoint !== undefined) passing.knowEndpoint(endpoint.host, endpoint.path);
  }

  #isWanted(base: number): boolean {
    const { selection } = this.#sink;
    if (selection === undefined) return true;
    const id = this.#nameId(base);
    const interests = this.#interests(id, base, selection);
    const program = interests.length === 0 ? undefined : this.#kernel.tests.program(interests);
    const isWanted = this.#couldBe(base, program) && this.#concerns(interests, base);
    const { passing } = this.#kernel;
    if (isWanted) this.#asked[id] = undefined; // what comes of it may leave fewer reasons
    if (id === UNKNOWN_NAME) return isWanted;
    if (isWanted) passing.settle(id, ASK);
    else if (program !== undefined) passing.settleByProgram(id, program);
    else passing.settle(id, interests.length === 0 ? PASS : LOOK_AT);
    return isWanted;
  }

  #couldBe(base: number, program: number | undefined): boolean {
    return program === undefined || this.#kernel.isAwaited(this.#kernel.records[base + FIELD.start] ?? 0, program);
  }

  #interests(id: number, base: number, selection: Selection): readonly Interest[] {
    const { generation } = selection;
    const asked = this.#asked[id];
    if (id !== UNKNOWN_NAME && asked?.generation === generation) return asked.interests;
    const interests = selection.interests(id === UNKNOWN_NAME ? this.#nameAt(base) : (this.#names[id] ?? ""));
    this.#asked[id] = { generation, interests };
    return interests;
  }

  /** The id of the name in this record; UNKNOWN_NAME when there is no room for more names. */
  #nameId(base: number): number {
    const id = this.#kernel.nameId(base);
    if (id !== UNKNOWN_NAME) return id;
    const { records } = this.#kernel;
    const entered = this.#kernel.enterName(
      (records[base + FIELD.name] ?? 0) + 1,
      (records[base + FIELD.name + 1] ?? 0) - 1,
    );
    if (entered !== UNKNOWN_NAME) this.#names[entered] = this.#nameAt(base);
    return entered;
  }

  #nameAt(base: number): string {
    const { records, bytes } = this.#kernel;
    return bytes.toString("utf8", (records[base + FIELD.name] ?? 0) + 1, (records[base + FIELD.name + 1] ?? 0) - 1);
  }

  #concerns(interests: readonly Interest[], base: number): boolean {
    if (interests.length === 0) return false;
    const { records, bytes } = this.#kernel;
    const line = bytes.subarray(records[base + FIELD.start], records[base + FIELD.end]);
    let isSpelled: boolean | undefined;
    for (const { tests, least } of interests) {
      let possible = 0;
      for (const { bytes: text } of tests) if (text === undefined || line.includes(text)) possible += 1;
      if (possible >= least) return true;
      isSpelled ??= line.includes(ESCAPE);
      if (isSpelled) return true;
    }
    return false;
  }
}

function isEvent(kind: number | undefined): boolean {
  return kind === EVENT || kind === QUICK;
}
