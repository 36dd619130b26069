import { isUtf8 } from "node:buffer";
import type { Scanned } from "./block-ring.ts";
import { commonDay } from "./common-time.ts";
import { EVENT, FIELD, type LineKernel, QUICK, RECORD } from "./line-kernel.ts";
import { createLineSplitter, type LineSink, type LineSplitter, lengthOf, type Rest, startsWithBom } from "./lines.ts";
import type { LongLine, WholeLine } from "./long-line.ts";
import { LARGE_BYTES } from "./parse.ts";
import { PassedEvent } from "./passed-event.ts";
import type { PassedRun } from "./passed-run.ts";
import type { Selection } from "./selection.ts";
import { nameIn, WantedNames } from "./wanted-names.ts";

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
/** Bytes of a byte order mark and a CR, which do not count as the line's. */
const LINE_ENDS = 4;

/**
 * Splits the bytes of a file into lines as `createLineSplitter` does, and validates each without parsing it: only lines
 * whose event is wanted, and those the kernel cannot vouch for, are handed over to be parsed. The bytes pushed have to
 * stand in the kernel's blocks, in turn.
 */
export class LineScanner implements LineSplitter {
  readonly #kernel: LineKernel;
  readonly #maxBytes: number;
  readonly #isQuick: boolean;
  readonly #sink: ScanSink;
  readonly #event: PassedEvent;
  readonly #names: WantedNames;
  #generation: number | undefined;
  #endpointsEpoch: number | undefined;
  #isFileStart = true;
  /** The beginning of a line, as yet without its LF. */
  #carried: { readonly start: number; readonly end: number } | undefined;
  /** Holds a line that is too long to be carried; kept for the next one. */
  #long: LongLine | undefined;
  #isInLong = false;

  constructor(kernel: LineKernel, sink: ScanSink, { maxBytes, isQuick }: ScanOptions) {
    if (isQuick) kernel.takeForReadable();
    if (isQuick) kernel.passing.countAsUnchecked();
    this.#isQuick = isQuick;
    this.#kernel = kernel;
    this.#maxBytes = maxBytes;
    this.#sink = sink;
    this.#event = new PassedEvent(kernel.bytes, kernel.records);
    this.#names = new WantedNames(kernel);
    kernel.passing.mostBytes = maxBytes;
  }

  push(chunk: Buffer, scanned?: Scanned): void {
    if (chunk.length === 0) return;
    const end = chunk.byteOffset + chunk.length;
    let from = this.#carriedTo(chunk);
    if (this.#isInLong && this.#long !== undefined) {
      const at = chunk.indexOf(LF);
      this.#long.push(at === -1 ? chunk : chunk.subarray(0, at));
      if (at === -1) return;
      this.#endLong(this.#long);
      from = chunk.byteOffset + at + 1;
    }
    const lastEnd = chunk.lastIndexOf(LF) + chunk.byteOffset + 1;
    const rest = lastEnd > chunk.byteOffset ? lastEnd : from;
    if (rest > from) this.#scan(from, rest, scanned);
    if (end > rest) this.#keep(rest, end, chunk);
  }

  end(): Rest {
    const passed = this.#isInLong ? this.#passedRest() : undefined;
    const rest: Rest = passed === undefined ? this.#rest() : { kind: "passed", event: passed };
    if (this.#isInLong) this.#leaveLong();
    this.#carried = undefined;
    this.#isFileStart = true;
    return rest;
  }

  /** A long line without its LF, as an event that nobody has to see. */
  #passedRest(): PassedEvent | undefined {
    const long = this.#long;
    return long?.held === undefined ? undefined : this.#passable(long.whole(this.#isFileStart));
  }

  #rest(): Rest {
    const { bytes } = this.#kernel;
    const carried = this.#carried;
    const held = this.#isInLong ? this.#long?.held : bytes.subarray(carried?.start ?? 0, carried?.end ?? 0);
    const splitter = createLineSplitter(this.#maxBytes, this.#sink, this.#isFileStart);
    if (held !== undefined) splitter.push(held);
    return held === undefined ? { kind: "too long" } : splitter.end();
  }

  /** Where the line begins that the chunk goes on with: before the chunk when there is a beginning of it. */
  #carriedTo(chunk: Buffer): number {
    const carried = this.#carried;
    this.#carried = undefined;
    if (carried === undefined) return chunk.byteOffset;
    if (carried.end === chunk.byteOffset) return carried.start;
    return this.#kernel.carry(carried.start, carried.end, chunk) ?? chunk.byteOffset;
  }

  #keep(start: number, end: number, chunk: Buffer): void {
    const { blocks, bytes } = this.#kernel;
    const index = blocks.findIndex(({ byteOffset }) => byteOffset === chunk.byteOffset);
    const to = this.#kernel.carry(start, end, blocks[(index + 1) % blocks.length] ?? blocks[0]);
    if (to !== undefined) {
      this.#carried = { start: to, end: to + end - start };
      return;
    }
    this.#long ??= this.#kernel.longLine(this.#maxBytes + LINE_ENDS);
    this.#isInLong = true;
    this.#long.push(bytes.subarray(start, end));
  }

  /** Takes a long line that has come to its end. */
  #endLong(long: LongLine): void {
    if (long.held === undefined) this.#sink.tooLong();
    else this.#takeLong(long.whole(this.#isFileStart));
    this.#isFileStart = false;
    this.#leaveLong();
  }

  #takeLong(line: WholeLine): void {
    const { bytes, start, end } = line;
    const passed = this.#passable(line);
    if (passed !== undefined) this.#sink.pass(passed);
    else if (lengthOf(bytes, start, end) > this.#maxBytes) this.#sink.tooLong();
    else this.#sink.line(bytes, start, end);
  }

  /** The line when it is an event that nobody has to see. */
  #passable({ bytes, start, end, records, isText, couldBe }: WholeLine): PassedEvent | undefined {
    const { selection } = this.#sink;
    if (lengthOf(bytes, start, end) > this.#maxBytes || !isEvent(records[FIELD.kind])) return undefined;
    if (!isText || selection === undefined) return undefined;
    const name = nameIn(bytes, records, 0);
    const interests = selection.interests(name, end - start > LARGE_BYTES);
    if (couldBe(interests)) return undefined;
    const event = new PassedEvent(bytes, records);
    if (interests.some(({ counts }) => counts)) event.countedName = name;
    return event;
  }

  #leaveLong(): void {
    this.#isInLong = false;
    if (this.#long?.clear() === false) this.#long = undefined;
  }

  /** `scanned` counts only where it is about the first of these lines. */
  #scan(start: number, end: number, scanned: Scanned | undefined): void {
    const kernel = this.#kernel;
    const { bytes } = kernel;
    let from = this.#isFileStart && startsWithBom(bytes, start, end) ? start + 3 : start;
    this.#isFileStart = false;
    if (scanned?.from === from && scanned.end <= end) {
      this.#takeScanned(scanned);
      from = scanned.end;
    }
    if (from === end) return;
    // What is no UTF-8 is unreadable too; lines that are taken for readable are not looked at for it.
    const isText = this.#isQuick || isUtf8(bytes.subarray(from, end));
    for (let at = from; at < end; at = kernel.next) this.#takeBatch(kernel.scan(at, end), isText);
  }

  #takeScanned({ records, isText }: Scanned): void {
    const own = this.#kernel.records;
    for (let at = 0; at < records.length; at += own.length) {
      const batch = records.subarray(at, at + own.length);
      own.set(batch);
      this.#takeBatch(batch.length / RECORD, isText);
    }
  }

  /** Takes the lines whose records the kernel has now. */
  #takeBatch(count: number, isText: boolean): void {
    for (let line = 0; line < count; line++) {
      if (isText) line = this.#passFrom(line, count);
      if (line < count) this.#line(line, isText);
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
    if (generation !== this.#generation) this.#names.forget();
    this.#generation = generation;
    if (this.#endpointsEpoch !== this.#sink.endpointsEpoch) passing.forgetEndpoints();
    this.#endpointsEpoch = this.#sink.endpointsEpoch;
  }

  #line(line: number, isText: boolean): void {
    const { records, bytes } = this.#kernel;
    const base = line * RECORD;
    const start = records[base + FIELD.start] ?? 0;
    const end = records[base + FIELD.end] ?? 0;
    if (lengthOf(bytes, start, end) > this.#maxBytes) this.#sink.tooLong();
    else if (!isEvent(records[base + FIELD.kind]) || this.#isWanted(base)) this.#sink.line(bytes, start, end);
    else if ((this.#isQuick || !isText) && !isUtf8(bytes.subarray(start, end))) this.#sink.line(bytes, start, end);
    else this.#pass(line);
  }

  #isWanted(base: number): boolean {
    const { selection } = this.#sink;
    return selection === undefined || this.#names.isWanted(base, selection);
  }

  #pass(line: number): void {
    const event = this.#event;
    event.moveTo(line);
    event.countedName = this.#names.countedName;
    this.#sink.pass(event);
    const { passing } = this.#kernel;
    const day = commonDay(event);
    if (day !== undefined) passing.knowDay(day.at, day.startMs);
    const endpoint = this.#kernel.knowsEndpoint(line) ? undefined : event.endpointBytes();
    if (endpoint !== undefined) passing.knowEndpoint(endpoint.host, endpoint.path);
  }
}

function isEvent(kind: number | undefined): boolean {
  return kind === EVENT || kind === QUICK;
}
