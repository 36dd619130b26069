import { type Instance, Instances } from "./instances.ts";
import { duration, inWords, Ledger, type Running } from "./ledger.ts";
import type { RuleLimits, RuleMachine } from "./machine.ts";
import { isOver, type Occurrence } from "./occurrence.ts";
import type { Pattern } from "./pattern.ts";
import type { RulePlan } from "./rule-plan.ts";

interface Span {
  readonly start: Occurrence;
  /** It was already over its limit when time passed; counted once. */
  broken: boolean;
}

/** `span: { start, end, max, must_end }`: from A to the next B at most that long. */
export class SpanMachine implements RuleMachine {
  readonly ledger: Ledger;
  readonly #start: Pattern;
  readonly #end: Pattern;
  readonly #maxMs: number;
  readonly #mustEnd: boolean;
  readonly #open: Instances<Span>;

  constructor(
    plan: RulePlan,
    { span, maxMs, mustEnd }: { span: readonly [Pattern, Pattern]; maxMs: number; mustEnd: boolean },
    limits: RuleLimits,
  ) {
    this.ledger = new Ledger(plan);
    [this.#start, this.#end] = span;
    this.#maxMs = maxMs;
    this.#mustEnd = mustEnd;
    this.#open = new Instances(plan.captures, limits.keys, () => this.ledger.limit("keys"));
  }

  get running(): Running {
    if (this.ledger.violationCount > 0) return "fail";
    return this.#mustEnd && this.#open.size > 0 ? "fail_so_far" : "pass_so_far";
  }

  event(event: Occurrence): void {
    const closed = this.#open.matching(this.#end, event.event);
    const trigger = this.#open.trigger(this.#start, event.event);
    const isNew = trigger !== undefined && this.#open.get(trigger.key) === undefined;
    for (const instance of closed) this.#close(instance, event);
    this.#expire(event);
    if (!isNew || trigger === undefined) return;
    this.ledger.exercised += 1;
    this.#open.add(trigger.key, trigger.bindings, { start: event, broken: false });
  }

  #close(instance: Instance<Span>, event: Occurrence): void {
    const { start, broken } = instance.data;
    this.#open.delete(instance.key);
    if (broken || this.ledger.check(event, start, this.#maxMs) !== "broken") return;
    this.#violate(instance, event, `lasted ${duration(event.at - start.at)} to ${this.ledger.event(event)}`);
  }

  /** Spans that are over while still open. An event without time does not move the clock. */
  #expire(last: Occurrence): void {
    for (const instance of this.#open.values()) {
      const { start, broken } = instance.data;
      if (broken || !isOver(last.clock, start.at, this.#maxMs)) continue;
      instance.data.broken = true;
      const lasted = duration(last.clock - start.at);
      const end = inWords(this.#end, instance.bindings);
      this.#violate(instance, last, `had no ${end} after ${lasted} (line ${last.place.line})`);
    }
  }

  #violate(instance: Instance<Span>, at: Occurrence, what: string): void {
    const { start } = instance.data;
    const limit = `limit ${duration(this.#maxMs)}`;
    const reason = `${this.ledger.event(start, instance.bindings)} ${what}, ${limit}`;
    this.ledger.violate(at.place, reason, start.place);
  }

  /** Without an event: a tick of the clock. With one, `event` decides, since it may be the end that came too late. */
  time(clock: number, last: Occurrence): void {
    if (clock > last.clock) this.#expire({ ...last, clock });
  }

  settle(last: Occurrence | undefined): void {
    if (!this.#mustEnd) return;
    for (const instance of this.#open.values()) {
      if (instance.data.broken) continue;
      const { start } = instance.data;
      const reason = `${this.ledger.event(start, instance.bindings)} never ended with ${inWords(this.#end, instance.bindings)}`;
      this.ledger.violate((last ?? start).place, reason, start.place);
    }
  }
}
