import type { JsonObject, JsonValue } from "../../proxy/record/json.ts";
import { CaptureCount } from "./capture-count.ts";
import { captureOf, isKnownFormat, lossText, positive } from "./control-line.ts";
import { Endpoints } from "./endpoints.ts";
import type { EventKeys } from "./line-kernel.ts";
import type { ParsedLine } from "./parse.ts";
import type { PassedEvent } from "./passed-event.ts";
import type { PassedRun } from "./passed-run.ts";
import { arrivalMs } from "./range.ts";
import { type IntakeOptions, type LinePlace, type RangeSink, whereIs } from "./range-sink.ts";
import type { Selection } from "./selection.ts";
import { Sequence, stepText } from "./sequence.ts";
import { type RangeSummary, RangeTally } from "./tally.ts";

export type { LinePlace, RangeSink } from "./range-sink.ts";

type Content = Exclude<ParsedLine, { kind: "blank" | "control" }>;

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
  #tally = new RangeTally();
  /** The range has its beginning: a `start` line, record 1, or something older than `--since`. */
  #begun = false;
  /** Evidence is missing before the next line, for a reason that no line tells. */
  #missing: string | undefined;
  #waitingForSince: boolean;
  readonly #count = new CaptureCount();
  #done = false;
  #endpointsEpoch = 0;

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

  /** Which events have to come by `line`; undefined while all do. */
  get selection(): Selection | undefined {
    return this.#waitingForSince ? undefined : this.#sink.selection;
  }

  /** The keys by which a sink that need not see every event tells them apart. */
  get eventKeys(): EventKeys | undefined {
    return this.#sink.selection?.keys;
  }

  /**
   * The number of the next record for events to be passed in a run, 0 when none that has a number can be; undefined when
   * each has to be passed by itself.
   */
  get runsFrom(): number | undefined {
    const isReady = this.#begun && this.#missing === undefined && this.#count.isOpen && !this.#done;
    return isReady && !this.#waitingForSince ? this.#sequence.next : undefined;
  }

  /** As long as it stays the same, an endpoint of which an event was passed needs no second look. */
  get endpointsEpoch(): number {
    return this.#endpointsEpoch;
  }

  /** The lines of this file come next. */
  openFile(file: string): void {
    this.#filesRead++;
    this.#file = file;
    this.#tally.addFile(file);
  }

  /** The place of the next physical line; counts it. */
  place(line: number): LinePlace {
    return { file: this.#file, line, record: this.#record++ };
  }

  /** Evidence is missing before the next line. The first reason of a range is the one that is told. */
  cut(why: string): void {
    this.#tally.cut ??= why;
    this.#missing ??= why;
  }

  /** The place of the last event of a run that begins at the next physical line; counts the lines of the run. */
  placeInRun({ lines, lastEvent }: PassedRun, line: number): LinePlace {
    const record = this.#record + lastEvent - 1;
    this.#record += lines;
    return { file: this.#file, line: line + lastEvent, record };
  }

  line(parsed: ParsedLine, place: LinePlace): void {
    if (parsed.kind === "blank" || this.#done) return;
    if (parsed.kind === "control") {
      this.#control(parsed.value, place);
      return;
    }
    if (parsed.kind !== "bad") this.#count.record();
    if (!this.#waitingForSince || this.#reachesSince(parsed, place)) this.#content(parsed, place);
  }

  /** As `line`, for an event that `selection` does not want. */
  pass(event: PassedEvent, place: LinePlace): void {
    if (this.#done) return;
    this.#count.record();
    this.#begins(place);
    if (!this.#isNew(event.seq(), place)) return;
    this.#tally.events++;
    if (event.isUnchecked) this.#tally.unchecked++;
    const endpoint = event.endpoint();
    if (endpoint !== undefined) this.#endpoints.decodedAt(endpoint);
    this.#sink.selection?.pass(event, place);
  }

  /** As `pass` for each event of a run, whose records go on from `runsFrom`. */
  passRun(run: PassedRun, last: LinePlace): void {
    this.#count.record(run.events);
    this.#tally.tornAt = undefined;
    this.#sequence.passTo(run.nextSeq);
    this.#tally.events += run.events;
    this.#tally.unchecked += run.unchecked;
    this.#sink.selection?.passRun(run, last);
  }

  /** Settles the range: nothing more comes. */
  finish(): RangeSummary {
    return this.#tally.summary(this.#options.rule);
  }

  #content(parsed: Content, place: LinePlace): void {
    this.#begins(place);
    if (parsed.kind === "bad") this.#bad(parsed, place);
    else if (!this.#isNew(captureOf(parsed.value)["seq"], place)) return;
    else if (parsed.kind === "undecoded") this.#undecoded(parsed.value, place);
    else {
      this.#tally.events++;
      this.#endpoints.decoded(parsed.value["$capture"]);
      this.#sink.event(parsed.value, place);
    }
  }

  /** Something stands here: what was missing before it is a gap, and the line before it was not the last. */
  #begins(place: LinePlace): void {
    this.#tally.tornAt = undefined;
    if (this.#missing !== undefined) this.#sink.gap(place, this.#missing);
    this.#missing = undefined;
    if (this.#count.goesOnAfterStop()) {
      this.#cutAt(place, `records go on behind the end of their capture at ${whereIs(place)}`);
    }
  }

  #bad({ why, whole }: ParsedLine & { kind: "bad" }, place: LinePlace): void {
    this.#tally.bad(place, why);
    if (whole) return;
    this.#tally.tornAt = place;
    this.#sink.gap(place, why);
  }

  #undecoded(record: JsonObject, place: LinePlace): void {
    this.#endpointsEpoch++;
    this.#tally.undecoded++;
    this.#endpoints.undecoded(captureOf(record), (why) => this.#sink.gap(place, why));
  }

  /** Evidence is missing right here. */
  #cutAt(place: LinePlace, why: string): void {
    this.#tally.cut ??= why;
    this.#sink.gap(place, why);
  }

  /** Checks the record's number; false when this very record was handed over before. */
  #isNew(number: JsonValue | undefined, place: LinePlace): boolean {
    const seq = positive(number);
    this.#begin(seq, place);
    if (seq === undefined) {
      if (number !== undefined) this.#cutAt(place, `a record without a readable number stands at ${whereIs(place)}`);
      return true;
    }
    const { last } = this.#sequence;
    const step = this.#sequence.step(seq);
    if (step === "next") return true;
    this.#cutAt(place, stepText({ step, seq, last }, whereIs(place)));
    return step !== "repeat";
  }

  /** A range that begins neither with a `start` line nor with record 1 has lost its beginning. */
  #begin(seq: number | undefined, place: LinePlace): void {
    if (this.#begun) return;
    this.#begun = true;
    const { fileBefore } = this.#options;
    if (seq !== undefined && seq !== 1) {
      this.#cutAt(place, `the beginning is missing: ${place.file} begins with record ${seq} of its capture`);
    } else if (seq === undefined && fileBefore !== undefined) {
      this.#cutAt(place, `the beginning is missing: ${fileBefore} stands before ${place.file}`);
    }
  }

  /** True at the first event that arrived in time; the range begins with it. */
  #reachesSince(parsed: Content, place: LinePlace): boolean {
    const { rule } = this.#options;
    if (rule.kind !== "since" || parsed.kind === "bad") return false;
    const arrived = arrivalMs(parsed.value);
    if (arrived === undefined) return false;
    if (arrived < rule.sinceMs) {
      this.#passOlder(parsed.value);
      return false;
    }
    this.#waitingForSince = false;
    const { cut } = this.#tally;
    this.#tally = new RangeTally(place);
    this.#tally.cut = cut;
    return true;
  }

  /** An event before the range: what is missing before it does not matter, and its number tells what comes next. */
  #passOlder(record: JsonObject): void {
    this.#begun = true;
    this.#missing = undefined;
    this.#tally.cut = undefined;
    const seq = positive(captureOf(record)["seq"]);
    if (seq !== undefined) this.#sequence.step(seq);
  }

  #control(line: JsonObject, place: LinePlace): void {
    const meta = captureOf(line);
    const at = arrivalMs(line);
    if (meta["control"] === "start") this.#start(meta, place);
    if (this.#done) return;
    if (meta["control"] === "loss") {
      this.#count.loss();
      this.#loss(lossText(meta, place), { place, at });
    }
    if (meta["control"] === "stop") this.#stop(meta, { place, at });
    if (this.#waitingForSince) return;
    this.#tally.tornAt = undefined;
    if (meta["control"] === "tick" && at !== undefined) this.#sink.tick(at);
  }

  #loss(why: string, { place, at }: { readonly place: LinePlace; readonly at: number | undefined }): void {
    const { rule } = this.#options;
    if (!this.#waitingForSince) this.#cutAt(place, why);
    else if (rule.kind === "since" && (at === undefined || at >= rule.sinceMs)) this.cut(why);
  }

  #stop(meta: JsonObject, { place, at }: { readonly place: LinePlace; readonly at: number | undefined }): void {
    if (!this.#waitingForSince) this.#sink.stop?.();
    const why = this.#count.stop(meta);
    if (why !== undefined) this.#loss(`the capture that ends at ${whereIs(place)} is not whole: ${why}`, { place, at });
  }

  #start(meta: JsonObject, place: LinePlace): void {
    const isKnown = isKnownFormat(meta, place);
    const { rule } = this.#options;
    if (rule.kind === "from file" && this.#filesRead > 1) {
      this.#done = true;
      this.#tally.dropLastFile();
      return;
    }
    if (rule.kind === "newest" || rule.kind === "from file") this.#beginAgain(place);
    this.#sequence.restart(positive(meta["first_seq"]));
    this.#begun = true;
    this.#count.start(!this.#waitingForSince);
    if (!isKnown) this.#cutAt(place, `the start line at ${whereIs(place)} names no readable record format`);
    if (typeof meta["at"] === "string") this.#tally.startedAt ??= meta["at"];
  }

  #beginAgain(place: LinePlace): void {
    this.#tally = new RangeTally(place);
    this.#missing = undefined;
    this.#sequence = new Sequence();
    this.#endpoints = new Endpoints();
    this.#endpointsEpoch++;
    this.#sink.restart();
  }
}
