import { waymarkError } from "../../proxy/record/fault.ts";
import { isObject, type JsonObject, type JsonValue } from "../../proxy/record/json.ts";
import { RECORD_FORMAT } from "../../proxy/record/record.ts";
import { Endpoints } from "./endpoints.ts";
import type { ParsedLine } from "./parse.ts";
import { arrivalMs, describeRange, type RangeRule } from "./range.ts";
import { Sequence } from "./sequence.ts";

/** Where a line stands: its file, its line there (from 1), its physical line in the series (from 0). */
export interface LinePlace {
  readonly file: string;
  readonly line: number;
  readonly record: number;
}

/** Takes what the graded range holds, in the order of its lines. */
export interface RangeSink {
  /** A newer capture begins: everything handed over so far is outside the range and forgotten. */
  restart(): void;
  event(event: JsonObject, place: LinePlace): void;
  tick(atMs: number): void;
  /** Something is missing or unreadable here. */
  gap(place: LinePlace, why: string): void;
}

/** What reading a range found, beside its events. */
export interface RangeSummary {
  /** The range in words, for every output. */
  readonly range: string;
  /** The files the range lies in, in order. */
  readonly files: readonly string[];
  readonly events: number;
  readonly undecoded: number;
  readonly linesBad: number;
  /** The first 100 bad lines; `linesBad` counts all. */
  readonly badLines: readonly { readonly file: string; readonly line: number; readonly why: string }[];
  /** Why the evidence is not whole; undefined when nothing says so. */
  readonly cut?: string;
}

export interface IntakeOptions {
  readonly rule: RangeRule;
  readonly sink: RangeSink;
  /** The file that stands before the first one read and is not part of the range. */
  readonly fileBefore?: string;
  /** Physical lines of the series that stand before the first one read. */
  readonly recordsBefore?: number;
}

const MAX_BAD_LISTED = 100;

interface RangeState {
  events: number;
  undecoded: number;
  linesBad: number;
  badLines: { file: string; line: number; why: string }[];
  files: string[];
  firstLine: number;
  startedAt: string | undefined;
  begun: boolean;
  cut: string | undefined;
  lastTorn: LinePlace | undefined;
}

/**
 * Decides, line by line, what belongs to the graded range and whether its evidence is whole: control lines, numbering,
 * unreadable lines, cuts. Memory is constant. Throws `WM_LOG_NEWER_FORMAT` on a `start` line it is too old for.
 */
export class Intake {
  readonly #options: IntakeOptions;
  readonly #sink: RangeSink;
  #record: number;
  #filesRead = 0;
  #file = "";
  #sequence = new Sequence();
  #endpoints = new Endpoints();
  #state = emptyState();
  #waitingForSince: boolean;
  #done = false;

  constructor(options: IntakeOptions) {
    this.#options = options;
    this.#sink = options.sink;
    this.#record = options.recordsBefore ?? 0;
    this.#waitingForSince = options.rule.kind === "since";
  }

  /** True once the range has ended although the series goes on. */
  get done(): boolean {
    return this.#done;
  }

  /** The lines of this file come next. */
  openFile(file: string): void {
    this.#filesRead++;
    this.#file = file;
    this.#state.files.push(file);
  }

  /** The place of the next physical line; counts it. */
  place(line: number): LinePlace {
    return { file: this.#file, line, record: this.#record++ };
  }

  /** Evidence is missing here, for a reason that no line tells. The first reason is kept. */
  cut(why: string): void {
    this.#state.cut ??= why;
  }

  line(parsed: ParsedLine, place: LinePlace): void {
    if (parsed.kind === "blank" || this.#done) return;
    if (parsed.kind === "control") this.#control(parsed.value, place);
    else if (!this.#waitingForSince) this.#content(parsed, place);
    else if (this.#reachesSince(parsed)) {
      this.#state.files = [place.file];
      this.#state.firstLine = place.line;
      this.#content(parsed, place);
    }
  }

  #content(parsed: Exclude<ParsedLine, { kind: "blank" | "control" }>, place: LinePlace): void {
    this.#state.lastTorn = undefined;
    if (parsed.kind === "bad") this.#bad(parsed, place);
    else if (!this.#isNew(parsed.value, place)) return;
    else if (parsed.kind === "undecoded") this.#undecoded(parsed.value, place);
    else {
      this.#state.events++;
      this.#endpoints.decoded(parsed.value["$capture"]);
      this.#sink.event(parsed.value, place);
    }
  }

  /** Settles the range: nothing more comes. */
  finish(): RangeSummary {
    const { lastTorn, files, firstLine, startedAt, ...state } = this.#state;
    if (lastTorn !== undefined) this.cut(`${lastTorn.file} ends inside a record (line ${lastTorn.line})`);
    const { cut } = this.#state;
    return {
      range: describeRange({
        rule: this.#options.rule,
        files,
        firstLine,
        ...(startedAt === undefined ? {} : { startedAt }),
      }),
      files,
      events: state.events,
      undecoded: state.undecoded,
      linesBad: state.linesBad,
      badLines: state.badLines,
      ...(cut === undefined ? {} : { cut }),
    };
  }

  #bad(parsed: ParsedLine & { kind: "bad" }, place: LinePlace): void {
    const state = this.#state;
    state.linesBad++;
    if (state.badLines.length < MAX_BAD_LISTED) {
      state.badLines.push({ file: place.file, line: place.line, why: parsed.why });
    }
    if (parsed.whole) return;
    state.lastTorn = place;
    this.#sink.gap(place, parsed.why);
  }

  #undecoded(record: JsonObject, place: LinePlace): void {
    this.#state.undecoded++;
    const meta = isObject(record["$capture"]) ? record["$capture"] : {};
    this.#endpoints.undecoded(meta, (why) => this.#sink.gap(place, why));
  }

  /** Checks the record's number; false when this very record was handed over before. */
  #isNew(record: JsonObject, place: LinePlace): boolean {
    const seq = sequenceNumber(record);
    this.#begin(seq, place);
    if (seq === undefined) return true;
    const { last } = this.#sequence;
    const step = this.#sequence.step(seq);
    if (step === "next") return true;
    const where = `${place.file}:${place.line}`;
    const why = {
      gap: `records ${(last ?? 0) + 1} to ${seq - 1} are missing before ${where}`,
      late: `record ${seq} stands out of order at ${where}`,
      repeat: `record ${seq} stands a second time at ${where}`,
    }[step];
    this.cut(why);
    this.#sink.gap(place, why);
    return step !== "repeat";
  }

  /** A range that begins neither with a `start` line nor with record 1 has lost its beginning. */
  #begin(seq: number | undefined, place: LinePlace): void {
    if (this.#state.begun) return;
    this.#state.begun = true;
    const { fileBefore } = this.#options;
    if (seq !== undefined && seq !== 1) {
      this.cut(`the beginning is missing: ${place.file} begins with record ${seq} of its capture`);
    } else if (seq === undefined && fileBefore !== undefined) {
      this.cut(`the beginning is missing: ${fileBefore} stands before ${place.file}`);
    }
  }

  /** True at the first event that arrived in time; the range begins with it. */
  #reachesSince(parsed: ParsedLine): boolean {
    const { rule } = this.#options;
    const isEvent = parsed.kind === "event" || parsed.kind === "undecoded";
    const arrived = isEvent ? arrivalMs(parsed.value) : undefined;
    if (rule.kind !== "since" || !isEvent) return false;
    if (arrived === undefined || arrived < rule.sinceMs) {
      // something older stands here, so that nothing of the range asked for can be missing before it
      if (arrived !== undefined) this.#state.begun = true;
      return false;
    }
    this.#waitingForSince = false;
    return true;
  }

  #control(line: JsonObject, place: LinePlace): void {
    const meta = isObject(line["$capture"]) ? line["$capture"] : {};
    if (meta["control"] === "start") this.#start(meta, place);
    if (this.#waitingForSince || this.#done) return;
    this.#state.lastTorn = undefined;
    if (meta["control"] === "loss") {
      const why = lossText(meta, place);
      this.cut(why);
      this.#sink.gap(place, why);
    }
    const at = arrivalMs(line);
    if (meta["control"] === "tick" && at !== undefined) this.#sink.tick(at);
  }

  #start(meta: JsonObject, place: LinePlace): void {
    refuseNewerFormat(meta, place);
    const { rule } = this.#options;
    if (rule.kind === "from file" && this.#filesRead > 1) {
      this.#done = true;
      this.#state.files = this.#state.files.filter((file) => file !== place.file);
      return;
    }
    if (rule.kind === "newest" || rule.kind === "from file") this.#beginAgain(place);
    this.#sequence.restart(positive(meta["first_seq"]));
    if (rule.kind !== "since" || this.#waitingForSince) this.#state.begun = true;
    if (typeof meta["at"] === "string" && this.#state.startedAt === undefined) this.#state.startedAt = meta["at"];
  }

  #beginAgain(place: LinePlace): void {
    this.#state = { ...emptyState(), files: [place.file], firstLine: place.line };
    this.#sequence = new Sequence();
    this.#endpoints = new Endpoints();
    this.#sink.restart();
  }
}

function emptyState(): RangeState {
  return {
    events: 0,
    undecoded: 0,
    linesBad: 0,
    badLines: [],
    files: [],
    firstLine: 1,
    startedAt: undefined,
    begun: false,
    cut: undefined,
    lastTorn: undefined,
  };
}

function sequenceNumber(record: JsonObject): number | undefined {
  const meta = record["$capture"];
  return positive(isObject(meta) ? meta["seq"] : undefined);
}

function positive(value: JsonValue | undefined): number | undefined {
  return typeof value === "number" && Number.isSafeInteger(value) && value > 0 ? value : undefined;
}

function lossText(meta: JsonObject, place: LinePlace): string {
  const { records, why } = meta;
  const lost = typeof records === "number" ? `${records} record${records === 1 ? "" : "s"}` : "records";
  return `${lost} lost at ${place.file}:${place.line}${typeof why === "string" ? ` (${why})` : ""}`;
}

function refuseNewerFormat(meta: JsonObject, place: LinePlace): void {
  const format = meta["record_format"];
  if (typeof format !== "number" || format <= RECORD_FORMAT) return;
  throw waymarkError(
    "WM_LOG_NEWER_FORMAT",
    `${place.file} is written in record format ${format}; this waymark reads formats up to ${RECORD_FORMAT}`,
    { place: { file: place.file, line: place.line, column: 1 } },
  );
}
