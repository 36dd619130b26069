import type { JsonObject } from "../../proxy/record/json.ts";
import type { PathAccess } from "../operators/where.ts";
import { compilePath } from "../operators/where.ts";
import type { PassedRun } from "../read/passed-run.ts";
import type { Interest } from "../read/selection.ts";
import type { EventTime } from "./event-time.ts";
import { FlatMatcher } from "./flat.ts";
import { Interests } from "./interest.ts";
import type { RuleMachine } from "./machine.ts";
import type { Matcher } from "./matcher.ts";
import { NearestMiss } from "./near-miss.ts";
import { type Occurrence, UNTIMED } from "./occurrence.ts";
import type { EventPlace } from "./outcome.ts";
import type { LeafPlan, NodePlan } from "./plan.ts";
import type { Program } from "./program.ts";
import { patternsOf } from "./rule-plan.ts";
import { createMachine } from "./rules.ts";
import { RunSetMatcher } from "./runs.ts";
import { SeenMarkers } from "./seen.ts";
import { Setbacks } from "./setback.ts";
import type { Uses } from "./state.ts";
import { TrailingAdvice } from "./trailing.ts";

/** Grades the events of one session: the markers, every rule, and what explains the outcome. */
export class Session {
  readonly matcher: Matcher;
  readonly machines: readonly RuleMachine[];
  readonly seen: SeenMarkers;
  readonly nearest: NearestMiss;
  readonly setbacks = new Setbacks();
  readonly trailing: TrailingAdvice;
  readonly program: Program;
  /** Why an item is undecided whatever the events say: by "markers" or by the position of a rule. */
  readonly doubts = new Map<number | "markers", string>();
  events = 0;
  stepsBack = 0;
  first: Occurrence | undefined;
  last: Occurrence | undefined;
  /** Where the latest event stands, seen or passed. */
  lastPlace: EventPlace | undefined;
  /** Grows when an event that was not wanted may be wanted now. */
  generation = 1;
  /** First and latest time, in milliseconds. */
  startedAt: number | undefined;
  #clock = Number.NEGATIVE_INFINITY;
  #previous = Number.NEGATIVE_INFINITY;
  #isDecided = false;
  readonly #name: PathAccess;
  readonly #interests = new Interests();
  #waitingFor: LeafPlan | undefined;

  constructor(program: Program) {
    const { markers, scenario, rules } = program;
    this.program = program;
    this.#name = compilePath(scenario.events.name);
    this.matcher =
      markers.flat === undefined ? new RunSetMatcher(markers, scenario.limits.runs) : new FlatMatcher(markers.flat);
    this.machines = rules.map((rule) => createMachine(rule, scenario.limits));
    this.trailing = new TrailingAdvice(markers.trailing);
    this.seen = new SeenMarkers(markers, this.#name);
    this.nearest = new NearestMiss(this.#name, this.#interests);
  }

  /** Latest time of an event, `-Infinity` before the first. */
  get clock(): number {
    return this.#clock;
  }

  /** The next event in grading order. */
  event(event: JsonObject, place: EventPlace, time: EventTime | undefined): void {
    const occurrence = this.#occur(event, place, time);
    for (const machine of this.machines) {
      machine.time(occurrence.clock, occurrence);
      machine.event(occurrence);
    }
    if (this.matcher.found === undefined) this.#match(occurrence);
    else if (!this.trailing.isDone) this.trailing.event(occurrence, this.matcher.found.at(-1)?.event);
    this.seen.event(occurrence);
    this.#noteWaiting();
  }

  /** Which events of this name can change more than `pass` does. */
  interests(name: string, isLarge = false): readonly Interest[] {
    const isFound = this.matcher.found !== undefined;
    const nearest = isFound ? [] : this.nearest.interests(name, this.matcher.progress.waiting, isLarge);
    const open = isFound ? [] : this.matcher.open(name);
    const seen = this.seen.open(name);
    if (open.length + seen.length === 0) return nearest; // so it is for nearly all names, and this is asked often
    return [...nearest, ...[...open, ...seen].map((leaf) => this.#interests.in(leaf))];
  }

  /** An event that is not wanted: it counts, and time goes on; `name` is that of one that was looked at. */
  pass(at: number | undefined, place: EventPlace, name?: string): void {
    if (at !== undefined) this.#moveClock(at);
    if (this.events === 0) this.matcher.begin(at ?? UNTIMED);
    if (name !== undefined && this.matcher.found === undefined) this.nearest.pass(name, this.matcher.progress.waiting);
    this.events += 1;
    this.lastPlace = place;
  }

  /** As `pass` for each event of a run. */
  passRun({ events, times }: PassedRun, last: EventPlace): void {
    if (times !== undefined) {
      this.#moveClock(times.first);
      this.#clock = Math.max(this.#clock, times.largest);
      this.#previous = times.last;
      this.stepsBack += times.stepsBack;
    }
    this.events += events;
    this.lastPlace = last;
  }

  /** What is wanted changes only when another marker is waited for, or none any more. */
  #noteWaiting(): void {
    const waiting = this.matcher.found === undefined ? this.matcher.progress.waiting?.leaf : undefined;
    if (waiting === this.#waitingFor) return;
    this.#waitingFor = waiting;
    this.generation += 1;
  }

  #moveClock(at: number): void {
    if (at < this.#previous) this.stepsBack += 1;
    this.#previous = at;
    this.#clock = Math.max(this.#clock, at);
    this.startedAt ??= this.#clock;
  }

  #occur(event: JsonObject, place: EventPlace, time: EventTime | undefined): Occurrence {
    if (time !== undefined) this.#moveClock(time.at);
    this.lastPlace = place;
    const at = time === undefined ? UNTIMED : this.#clock;
    const text = time === undefined ? {} : { timeText: time.text };
    const occurrence: Occurrence = { event, place, index: this.events, at, clock: this.#clock, ...text };
    this.events += 1;
    this.first ??= occurrence;
    this.last = occurrence;
    return occurrence;
  }

  #match(event: Occurrence): void {
    const before = this.matcher.progress;
    this.matcher.event(event);
    this.setbacks.begin(event);
    const { progress } = this.matcher;
    if (progress !== before && progress.waiting !== undefined) this.nearest.turnTo(progress.waiting.leaf);
    if (progress !== before && progress.position > before.position) return;
    const waiting = progress.waiting ?? before.waiting;
    if (waiting === undefined) return;
    if (this.program.markers.flat === undefined) this.setbacks.event(event, waiting);
    this.nearest.offer(event, waiting);
  }

  /** The clock goes on without an event: deadlines of rules fire. Times of later events are not affected. */
  tick(clock: number): void {
    if (this.last === undefined) return;
    for (const machine of this.machines) machine.time(Math.max(clock, this.#clock), this.last);
  }

  /** An event that cannot be graded in its place: every item it could concern becomes undecided. */
  doubt(event: JsonObject, why: string): void {
    const { markers, rules } = this.program;
    const touches = markers.markers.some((marker) => couldTouch(marker, event));
    if (touches && !this.doubts.has("markers")) this.doubts.set("markers", why);
    rules.forEach((rule, position) => {
      const isAboutAny = rule.node.verb === "first" || rule.node.immediately;
      const concerns = isAboutAny || patternsOf(rule).some((pattern) => pattern.screen(event));
      if (concerns && !this.doubts.has(position)) this.doubts.set(position, why);
    });
  }

  /** The events the match uses, in the order of the markers; of the furthest way when there is no match. */
  get uses(): readonly Uses[] {
    const { found, progress } = this.matcher;
    return [...(found ?? progress.uses), ...this.trailing.uses];
  }

  /** No further event can change a verdict. */
  get isDecided(): boolean {
    if (this.#isDecided) return true;
    if (this.events === 0 || this.matcher.found === undefined || !this.trailing.isDone) return false;
    this.#isDecided = this.machines.every(({ running }) => running === "pass" || running === "fail");
    return this.#isDecided;
  }
}

/** True when the event could be used by the marker, or stand in its way. */
function couldTouch(plan: NodePlan, event: JsonObject): boolean {
  if (plan.immediately || plan.without?.screen(event) === true) return true;
  if (plan.kind === "leaf") return plan.pattern.screen(event);
  return plan.lists.some((list) => list.some((item) => couldTouch(item, event)));
}
