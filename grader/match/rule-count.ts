import type { Bindings } from "../operators/where.ts";
import { boundsOf, Groups } from "./groups.ts";
import type { Instance } from "./instances.ts";
import { duration, inWords, Ledger, type Running } from "./ledger.ts";
import { NOWHERE, type RuleLimits, type RuleMachine } from "./machine.ts";
import type { Occurrence } from "./occurrence.ts";
import type { EventPlace } from "./outcome.ts";
import { NO_BINDINGS, type Pattern } from "./pattern.ts";
import { type IntervalScope, Intervals } from "./rule-interval.ts";
import type { RulePlan } from "./rule-plan.ts";

/** `count: X`: in the session, or before the first B. */
export class CountMachine implements RuleMachine {
  readonly ledger: Ledger;
  readonly #target: Pattern;
  readonly #groups: Groups;
  #isClosed = false;

  constructor(plan: RulePlan, target: Pattern, limits: RuleLimits) {
    this.ledger = new Ledger(plan);
    this.#target = target;
    this.#groups = new Groups(this.ledger, boundsOf(plan), limits.keys);
  }

  get running(): Running {
    if (this.ledger.violationCount > 0) return "fail";
    if (this.#isClosed) return "pass";
    const { before, per } = this.ledger.plan;
    if (before !== undefined) return "pass_so_far";
    if (this.#groups.tooFew().length > 0) return "fail_so_far";
    return boundsOf(this.ledger.plan).max === undefined && per.length === 0 ? "pass" : "pass_so_far";
  }

  event(event: Occurrence): void {
    if (this.#isClosed) return;
    const { before } = this.ledger.plan;
    if (before === undefined) this.ledger.exercised = 1;
    else if (before.test(event.event, NO_BINDINGS)) {
      this.ledger.exercised += 1;
      this.#isClosed = true;
      this.#close(event);
      return;
    }
    if (!this.#target.test(event.event, NO_BINDINGS)) return;
    const number = this.#groups.add(event);
    if (number !== undefined) this.ledger.violate(event.place, tooMany(this.ledger, number, { event }));
  }

  #close(last: Occurrence | undefined): void {
    for (const few of this.#groups.tooFew()) {
      this.ledger.violate(last?.place ?? NOWHERE, tooFew(this.ledger, few.number, this.#scopeText(last)));
    }
  }

  #scopeText(last: Occurrence | undefined): string {
    return this.ledger.plan.before === undefined || last === undefined ? "" : ` before ${this.ledger.event(last)}`;
  }

  time(): void {}

  settle(last: Occurrence | undefined): void {
    if (!this.#isClosed && this.ledger.plan.before === undefined) this.#close(last);
  }
}

interface CountData {
  readonly start: Occurrence;
  readonly groups: Groups;
  /** Violations of an interval that is not closed yet. */
  readonly over: { number: number; event: Occurrence }[];
}

/** `count: X` in every interval. */
export class CountIntervalMachine implements RuleMachine {
  readonly ledger: Ledger;
  readonly #target: Pattern;
  readonly #scope: IntervalScope;
  readonly #intervals: Intervals<CountData>;
  readonly #limits: RuleLimits;

  constructor(plan: RulePlan, { target, scope }: { target: Pattern; scope: IntervalScope }, limits: RuleLimits) {
    this.ledger = new Ledger(plan);
    this.#target = target;
    this.#scope = scope;
    this.#limits = limits;
    this.#intervals = new Intervals(scope, plan, limits.keys, () => this.ledger.limit("keys"));
  }

  get running(): Running {
    if (this.ledger.violationCount > 0) return "fail";
    if (!this.#scope.openCounts || boundsOf(this.ledger.plan).min === undefined) return "pass_so_far";
    const open = [...this.#intervals.values()];
    if (open.some(({ data }) => data.groups.tooFew().length > 0)) return "fail_so_far";
    return this.#isForGood(open.length) ? "pass" : "pass_so_far";
  }

  /** One interval that never closes and has its minimum: nothing can change that. */
  #isForGood(openCount: number): boolean {
    const { captures, per } = this.ledger.plan;
    const isOnly = openCount === 1 && captures.length === 0 && this.#scope.close === undefined;
    return isOnly && per.length === 0 && boundsOf(this.ledger.plan).max === undefined;
  }

  event(event: Occurrence): void {
    const bounds = boundsOf(this.ledger.plan);
    const change = this.#intervals.event(event, this.#target, (start) => ({
      start,
      groups: new Groups(this.ledger, bounds, this.#limits.keys),
      over: [],
    }));
    if (change.opened !== undefined) this.ledger.exercised += 1;
    for (const { bindings, data } of change.inside) {
      const number = data.groups.add(event);
      if (number === undefined) continue;
      if (this.#scope.openCounts) this.#violateMax({ number, event }, data, bindings);
      else data.over.push({ number, event });
    }
    for (const instance of change.closed) this.#close(instance, event);
  }

  #close({ bindings, data }: Instance<CountData>, end: Occurrence): void {
    for (const over of data.over) this.#violateMax(over, data, bindings);
    this.#violateMin(data, bindings, end);
  }

  #violateMax({ number, event }: { number: number; event: Occurrence }, data: CountData, bindings: Bindings): void {
    const text = tooMany(this.ledger, number, { event, bindings });
    this.ledger.violate(event.place, `${text} after ${this.ledger.event(data.start, bindings)}`, data.start.place);
  }

  #violateMin(data: CountData, bindings: Bindings, end: Occurrence | undefined): void {
    const start = this.ledger.event(data.start, bindings);
    const where = end === undefined ? ` after ${start}` : ` between ${start} and ${this.ledger.event(end)}`;
    const at: EventPlace = (end ?? data.start).place;
    for (const few of data.groups.tooFew()) {
      this.ledger.violate(at, tooFew(this.ledger, few.number, where, bindings), data.start.place);
    }
  }

  time(): void {}

  settle(): void {
    if (!this.#scope.openCounts) return;
    for (const { bindings, data } of this.#intervals.values()) this.#violateMin(data, bindings, undefined);
  }
}

function tooMany(
  ledger: Ledger,
  number: number,
  { event, bindings = NO_BINDINGS }: { event: Occurrence; bindings?: Bindings },
): string {
  const { max } = boundsOf(ledger.plan);
  return `${number} ${counted(ledger, bindings)} by line ${event.place.line}${windowText(ledger)}, at most ${max} allowed`;
}

function tooFew(ledger: Ledger, number: number, where: string, bindings: Bindings = NO_BINDINGS): string {
  const { min } = boundsOf(ledger.plan);
  return `${number} of at least ${min} ${counted(ledger, bindings)}${where}${windowText(ledger)}`;
}

function counted({ plan }: Ledger, bindings: Bindings): string {
  const what = plan.target === undefined ? "events" : inWords(plan.target, bindings);
  const { node } = plan;
  const distinct = node.verb === "count" ? (node.distinct ?? []) : [];
  return distinct.length === 0 ? what : `different ${distinct.map(({ text }) => text).join(" and ")} in ${what}`;
}

function windowText({ plan }: Ledger): string {
  const { node } = plan;
  const timespanMs = node.verb === "count" ? node.timespanMs : undefined;
  return timespanMs === undefined ? "" : ` within ${duration(timespanMs)}`;
}
