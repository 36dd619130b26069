import { type Instance, Instances } from "./instances.ts";
import { inWords, Ledger, type Running } from "./ledger.ts";
import type { RuleLimits, RuleMachine } from "./machine.ts";
import type { Occurrence } from "./occurrence.ts";
import type { Pattern } from "./pattern.ts";
import type { RulePlan } from "./rule-plan.ts";

/** Where intervals begin and end; without `close` they last to the end of the session. */
export interface IntervalScope {
  readonly open: Pattern;
  readonly close: Pattern | undefined;
  /** An interval that is still open at the end counts (`after` and `until`), or does not (`between`). */
  readonly openCounts: boolean;
}

/** What an event did to the intervals of a rule. */
export interface IntervalChange<T> {
  readonly inside: readonly Instance<T>[];
  readonly closed: readonly Instance<T>[];
  readonly opened: Instance<T> | undefined;
}

/**
 * Intervals, one machine per key: CLOSED -A-> OPEN -B-> CLOSED. A again while open is ignored; an event that is A or B
 * itself is not inside; one event makes one transition.
 */
export class Intervals<T> {
  readonly #scope: IntervalScope;
  readonly #open: Instances<T>;

  constructor(scope: IntervalScope, plan: RulePlan, max: number, onLimit: () => void) {
    this.#scope = scope;
    this.#open = new Instances(plan.captures, max, onLimit);
  }

  /** Takes the event; `target` is what may be inside, `begin` makes the data of a new interval. */
  event(event: Occurrence, target: Pattern, begin: (event: Occurrence) => T): IntervalChange<T> {
    const closed = this.#open.matching(this.#scope.close, event.event);
    const opener = this.#open.trigger(this.#scope.open, event.event);
    const inside = this.#open
      .matching(target, event.event)
      .filter((instance) => instance.key !== opener?.key && !closed.includes(instance));
    const isNew = opener !== undefined && this.#open.get(opener.key) === undefined;
    for (const { key } of closed) this.#open.delete(key);
    const opened = isNew ? this.#open.add(opener.key, opener.bindings, begin(event)) : undefined;
    return { inside, closed, opened };
  }

  /** Intervals that are open now, oldest first. */
  values(): IterableIterator<Instance<T>> {
    return this.#open.values();
  }
}

interface NeverData {
  readonly start: Occurrence;
  /** Events inside, kept until the interval closes: the first ten, and how many. */
  readonly events: Occurrence[];
  count: number;
}

/** `never: X` between A and B, or after A until B. */
export class NeverIntervalMachine implements RuleMachine {
  readonly ledger: Ledger;
  readonly #target: Pattern;
  readonly #scope: IntervalScope;
  readonly #intervals: Intervals<NeverData>;

  constructor(plan: RulePlan, { target, scope }: { target: Pattern; scope: IntervalScope }, limits: RuleLimits) {
    this.ledger = new Ledger(plan);
    this.#target = target;
    this.#scope = scope;
    this.#intervals = new Intervals(scope, plan, limits.keys, () => this.ledger.limit("keys"));
  }

  get running(): Running {
    return this.ledger.violationCount > 0 ? "fail" : "pass_so_far";
  }

  event(event: Occurrence): void {
    const change = this.#intervals.event(event, this.#target, (start) => ({ start, events: [], count: 0 }));
    if (change.opened !== undefined) this.ledger.exercised += 1;
    for (const instance of change.inside) {
      if (this.#scope.openCounts) this.#violate(event, instance, undefined);
      else note(instance.data, event);
    }
    for (const instance of change.closed) this.#settle(instance, event);
  }

  #settle(instance: Instance<NeverData>, end: Occurrence): void {
    const { events, count } = instance.data;
    for (const event of events) this.#violate(event, instance, end);
    this.ledger.violationCount += count - events.length;
  }

  #violate(event: Occurrence, { bindings, data }: Instance<NeverData>, end: Occurrence | undefined): void {
    const { ledger } = this;
    const start = ledger.event(data.start, bindings);
    const where =
      end === undefined
        ? `after ${start}${this.#scope.close === undefined ? "" : ` until ${inWords(this.#scope.close, bindings)}`}`
        : `between ${start} and ${ledger.event(end)}`;
    ledger.violate(event.place, `${ledger.event(event)} must not happen ${where}`, data.start.place);
  }

  time(): void {}

  settle(): void {}
}

function note(data: NeverData, event: Occurrence): void {
  data.count += 1;
  if (data.events.length < 10) data.events.push(event);
}

interface ExpectData {
  readonly start: Occurrence;
  seen: boolean;
}

/** `expect: X` between A and B, or after A until B: every interval contains an X. */
export class ExpectIntervalMachine implements RuleMachine {
  readonly ledger: Ledger;
  readonly #target: Pattern;
  readonly #scope: IntervalScope;
  readonly #intervals: Intervals<ExpectData>;
  /** Open intervals without an X. */
  #owed = 0;

  constructor(plan: RulePlan, { target, scope }: { target: Pattern; scope: IntervalScope }, limits: RuleLimits) {
    this.ledger = new Ledger(plan);
    this.#target = target;
    this.#scope = scope;
    this.#intervals = new Intervals(scope, plan, limits.keys, () => this.ledger.limit("keys"));
  }

  get running(): Running {
    if (this.ledger.violationCount > 0) return "fail";
    return this.#scope.openCounts && this.#owed > 0 ? "fail_so_far" : "pass_so_far";
  }

  event(event: Occurrence): void {
    const change = this.#intervals.event(event, this.#target, (start) => ({ start, seen: false }));
    if (change.opened !== undefined) {
      this.ledger.exercised += 1;
      this.#owed += 1;
    }
    for (const { data } of change.inside) this.#see(data);
    for (const instance of change.closed) {
      if (!instance.data.seen) this.#violate(instance, event);
      this.#see(instance.data);
    }
  }

  #see(data: ExpectData): void {
    if (!data.seen) this.#owed -= 1;
    data.seen = true;
  }

  #violate({ bindings, data }: Instance<ExpectData>, end: Occurrence | undefined): void {
    const { ledger } = this;
    const start = ledger.event(data.start, bindings);
    const wanted = inWords(this.#target, bindings);
    const where = end === undefined ? `after ${start}` : `between ${start} and ${ledger.event(end)}`;
    ledger.violate((end ?? data.start).place, `no ${wanted} ${where}`, data.start.place);
  }

  time(): void {}

  settle(): void {
    if (!this.#scope.openCounts) return;
    for (const instance of this.#intervals.values()) if (!instance.data.seen) this.#violate(instance, undefined);
  }
}
