import type { JsonObject } from "../../proxy/record/json.ts";
import type { PassedRun } from "../read/passed-run.ts";
import { ANY, type Interest } from "../read/selection.ts";
import type { EventTime } from "./event-time.ts";
import { UNTIMED } from "./occurrence.ts";
import type { CaptureEnd, EventPlace } from "./outcome.ts";
import type { Program } from "./program.ts";
import { Session } from "./session.ts";
import { settleSession } from "./settle.ts";
import type { TraceOutcome } from "./trace.ts";

/** An event on its way into its session. */
export interface SessionEvent {
  readonly event: JsonObject;
  readonly place: EventPlace;
  readonly time: EventTime | undefined;
}

/** Counters of the whole stream, shown with every session. */
export interface StreamTotals {
  readonly late: number;
  readonly duplicates: number;
  readonly limitsHit: readonly string[];
  readonly clockJumps?: number;
}

/** What stands for the value of a stream that is not split. */
export const ONLY = "";

interface Open {
  readonly name: string;
  readonly session: Session;
  /** Time of its latest event, for `idle`. */
  lastAt: number | undefined;
}

/** A session that is over: settled both ways, since whether the capture is cut is known only at the end. */
interface Ended {
  readonly whole: TraceOutcome;
  readonly cut: TraceOutcome;
}

/** The sessions of a stream: one when the scenario splits none, else one per value (LANGUAGE.md section 6). */
export class SessionSet {
  readonly #program: Program;
  readonly #max: number;
  readonly #isSplit: boolean;
  /** Sessions by value, the one with the oldest latest event first. */
  readonly #open = new Map<string, Open>();
  readonly #ended: Ended[] = [];
  readonly #lives = new Map<string, number>();
  readonly #broadcast: SessionEvent[] = [];
  #withoutSession = 0;
  #afterEnd = 0;
  #gaps = 0;
  #gap: string | undefined;
  #isLimitHit = false;

  constructor(program: Program, max: number) {
    this.#program = program;
    this.#max = max;
    this.#isSplit = program.scenario.events.session !== undefined;
  }

  /** Hands an event to its session; `value` is undefined for an event that names none. */
  event(value: string | undefined, arrived: SessionEvent): void {
    if (value === undefined) {
      this.#withoutSession += 1;
      if (this.#program.scenario.events.sessionless === "broadcast") this.#toAll(arrived);
      return;
    }
    const open = this.#enter(value, arrived.time);
    if (open !== undefined) this.#grade(value, open, arrived);
  }

  /** Which events of this name matter to the one session there is; before its first event, any that is not large. */
  interests(name: string, isLarge = false): readonly Interest[] {
    const open = this.#open.get(ONLY);
    if (open !== undefined) return open.session.interests(name, isLarge);
    return isLarge ? this.#beginning().interests(name, isLarge) : [ANY];
  }

  /** A session that waits for its first event. */
  #beginning(): Session {
    const session = new Session(this.#program);
    session.matcher.begin(UNTIMED);
    return session;
  }

  get generation(): number {
    const open = this.#open.get(ONLY);
    return open?.session.generation ?? 0;
  }

  /** An event that is not wanted, in a stream that is not split; `at` is its time, `name` as `Session.pass` has it. */
  pass(at: number | undefined, place: EventPlace, name?: string): void {
    const open = this.#open.get(ONLY) ?? this.#enter(ONLY, undefined);
    open?.session.pass(at, place, name);
  }

  /** Events in a row that are not wanted, all with the time they have in `run`; `last` is where the last one stands. */
  passRun(run: PassedRun, last: EventPlace): void {
    const open = this.#open.get(ONLY);
    open?.session.passRun(run, last);
  }

  #toAll(arrived: SessionEvent): void {
    // A session that begins later gets them too: they concern every session.
    if (this.#broadcast.length < this.#program.scenario.limits.pending) this.#broadcast.push(arrived);
    for (const [value, open] of [...this.#open]) this.#grade(value, open, arrived);
  }

  /** The open session of a value: a new one at its first event, or when the one before is over. */
  #enter(value: string, time: EventTime | undefined): Open | undefined {
    const known = this.#open.get(value);
    const { idleMs } = this.#program.scenario.events;
    const isIdle =
      known?.lastAt !== undefined && time !== undefined && idleMs !== undefined && time.at - known.lastAt > idleMs;
    if (known !== undefined && !isIdle) return known;
    if (known !== undefined) this.#close(value, known);
    const lives = this.#lives.get(value) ?? 0;
    if (!this.#isSplit && lives > 0) {
      this.#afterEnd += 1;
      return undefined;
    }
    const name = lives === 0 ? value : `${value} (${lives + 1})`;
    const open: Open = { name, session: new Session(this.#program), lastAt: undefined };
    this.#lives.set(value, lives + 1);
    this.#open.set(value, open);
    for (const earlier of this.#broadcast) open.session.event(earlier.event, earlier.place, earlier.time);
    this.#bound();
    return open;
  }

  #grade(value: string, open: Open, { event, place, time }: SessionEvent): void {
    open.session.event(event, place, time);
    if (time !== undefined) open.lastAt = Math.max(open.lastAt ?? time.at, time.at);
    if (this.#isSplit) {
      this.#open.delete(value);
      this.#open.set(value, open);
    }
    if (this.#program.sessionEnd?.screen(event) === true) this.#close(value, open);
  }

  #close(value: string, open: Open): void {
    this.#open.delete(value);
    const why = this.#gap ?? "the capture is cut";
    const cut = this.#settle(open, { kind: "cut", why });
    this.#ended.push({ cut, whole: this.#gap === undefined ? this.#settle(open, { kind: "complete" }) : cut });
  }

  /** Too many sessions at once: the one that was silent for longest goes, undecided unless it is final. */
  #bound(): void {
    if (this.#open.size <= this.#max) return;
    const [oldest] = this.#open;
    if (oldest === undefined) return;
    const [value, open] = oldest;
    this.#isLimitHit = true;
    this.#open.delete(value);
    const cut = this.#settle(open, { kind: "cut", why: `more than ${this.#max} sessions at once` });
    this.#ended.push({ cut, whole: cut });
  }

  /** An event too late to be graded makes what it could concern undecided, in its session or in all. */
  doubt(value: string | undefined, event: JsonObject, why: string): void {
    if (value !== undefined) {
      this.#enter(value, undefined)?.session.doubt(event, why);
      return;
    }
    if (this.#program.scenario.events.sessionless !== "broadcast") return;
    for (const { session } of this.#open.values()) session.doubt(event, why);
  }

  tick(clock: number): void {
    const { idleMs } = this.#program.scenario.events;
    for (const [value, open] of [...this.#open]) {
      if (idleMs !== undefined && open.lastAt !== undefined && clock - open.lastAt > idleMs) this.#close(value, open);
      else open.session.tick(clock);
    }
  }

  /** The trace has a gap; without a reason it is only counted. */
  gap(why: string | undefined): void {
    this.#gaps += 1;
    this.#gap ??= why;
  }

  get isDecided(): boolean {
    const [open] = this.#open.values();
    return open?.session.isDecided ?? false;
  }

  /** Settles everything, sessions in the order in which they ended, then those still open in the order they began. */
  finish(end: CaptureEnd, totals: StreamTotals): TraceOutcome[] {
    const real: CaptureEnd = end.kind === "complete" && this.#gap !== undefined ? { kind: "cut", why: this.#gap } : end;
    const ended = this.#ended.map(({ whole, cut }) => (end.kind === "cut" ? cut : whole));
    const open = [...this.#open.values()].map((one) => this.#settle(one, real));
    const all = [...ended, ...open];
    const outcomes = all.length > 0 ? all : [this.#empty(real)];
    const limits = this.#isLimitHit ? ["sessions", ...totals.limitsHit] : totals.limitsHit;
    return outcomes.map((outcome) => this.#withTotals(outcome, { ...totals, limitsHit: limits }));
  }

  /** How the sessions stand, those that are over first; nothing is settled. */
  standing(): TraceOutcome[] {
    const end: CaptureEnd = { kind: "cut", why: "" };
    const look = (session: Session, name?: string): TraceOutcome => {
      const named = this.#isSplit && name !== undefined ? { session: name } : {};
      return settleSession(session, { end, stream: this.#counters(), limitsHit: [], isStanding: true, ...named });
    };
    const open = [...this.#open.values()].map(({ name, session }) => look(session, name));
    const all = [...this.#ended.map(({ whole }) => whole), ...open];
    return all.length > 0 ? all : [look(new Session(this.#program))];
  }

  #empty(end: CaptureEnd): TraceOutcome {
    return settleSession(new Session(this.#program), { end, stream: this.#counters(), limitsHit: [] });
  }

  #settle({ name, session }: Open, end: CaptureEnd): TraceOutcome {
    const named = this.#isSplit ? { session: name } : {};
    return settleSession(session, { end, stream: this.#counters(), limitsHit: [], ...named });
  }

  #counters(): { late: number; duplicates: number; withoutSession: number; gaps: number } {
    return { late: 0, duplicates: 0, withoutSession: this.#withoutSession, gaps: this.#gaps };
  }

  #withTotals(outcome: TraceOutcome, { limitsHit, ...totals }: StreamTotals): TraceOutcome {
    const stream = {
      ...outcome.stream,
      ...this.#counters(),
      ...totals,
      ...(this.#afterEnd === 0 ? {} : { afterEnd: this.#afterEnd }),
      limitsHit: [...new Set([...outcome.stream.limitsHit, ...limitsHit])],
    };
    return { ...outcome, stream };
  }
}
