import { type Instance, Instances } from "./instances.ts";
import { duration, inWords, Ledger, type Running } from "./ledger.ts";
import { NOWHERE, type RuleLimits, type RuleMachine } from "./machine.ts";
import { isOver, type Occurrence } from "./occurrence.ts";
import { NO_BINDINGS, type Pattern } from "./pattern.ts";
import type { RulePlan } from "./rule-plan.ts";

/** `expect: X`, also within a time of the session's start. */
export class ExpectMachine implements RuleMachine {
  readonly ledger: Ledger;
  readonly #target: Pattern;
  #start: Occurrence | undefined;
  #isSeen = false;
  #isOver = false;

  constructor(plan: RulePlan, target: Pattern) {
    this.ledger = new Ledger(plan);
    this.#target = target;
  }

  get running(): Running {
    if (this.#isSeen) return "pass";
    return this.#isOver ? "fail" : "fail_so_far";
  }

  event(event: Occurrence): void {
    if (this.#isSeen || this.#isOver) return;
    this.ledger.exercised = 1;
    this.#start ??= event;
    if (!this.#target.test(event.event, NO_BINDINGS)) return;
    const { withinMs } = this.ledger.plan.node;
    if (withinMs === undefined || this.ledger.check(event, this.#start, withinMs) !== "broken") this.#isSeen = true;
  }

  time(clock: number, last: Occurrence): void {
    const { withinMs } = this.ledger.plan.node;
    if (this.#isSeen || this.#isOver || withinMs === undefined) return;
    if (!isOver(clock, (this.#start ?? last).at, withinMs)) return;
    this.#isOver = true;
    this.#violate(last);
  }

  settle(last: Occurrence | undefined): void {
    if (!this.#isSeen && !this.#isOver) this.#violate(last);
  }

  #violate(last: Occurrence | undefined): void {
    const { withinMs } = this.ledger.plan.node;
    const limit = withinMs === undefined ? "" : ` within ${duration(withinMs)} of the first event`;
    const until = last === undefined ? "" : ` (last event in line ${last.place.line})`;
    this.ledger.violate(last?.place ?? NOWHERE, `${inWords(this.#target, NO_BINDINGS)} never happened${limit}${until}`);
  }
}

interface Pending {
  /** Triggers not answered yet, oldest first. */
  triggers: Occurrence[];
}

/** `after: A, expect: X`: every A has a strictly later X. */
export class AfterExpectMachine implements RuleMachine {
  readonly ledger: Ledger;
  readonly #target: Pattern;
  readonly #after: Pattern;
  readonly #pending: Instances<Pending>;
  readonly #maxPending: number;
  #count = 0;

  constructor(plan: RulePlan, { target, after }: { target: Pattern; after: Pattern }, limits: RuleLimits) {
    this.ledger = new Ledger(plan);
    this.#target = target;
    this.#after = after;
    this.#maxPending = limits.pending;
    this.#pending = new Instances(plan.captures, limits.keys, () => this.ledger.limit("keys"));
  }

  get running(): Running {
    if (this.ledger.violationCount > 0) return "fail";
    return this.#count > 0 ? "fail_so_far" : "pass_so_far";
  }

  event(event: Occurrence): void {
    const { without, node } = this.ledger.plan;
    for (const instance of this.#pending.matching(this.#target, event.event)) this.#answer(instance, event);
    if (node.immediately) {
      for (const instance of [...this.#pending.values()])
        this.#fail(instance, ` right after (line ${event.place.line})`);
    }
    for (const instance of this.#pending.matching(without, event.event)) {
      this.#fail(instance, ` before ${this.ledger.event(event)}`);
    }
    this.#trigger(event);
  }

  #trigger(event: Occurrence): void {
    const trigger = this.#pending.trigger(this.#after, event.event);
    if (trigger === undefined) return;
    this.ledger.exercised += 1;
    if (this.#count >= this.#maxPending) {
      this.ledger.limit("pending");
      return;
    }
    this.#count += 1;
    const known = this.#pending.get(trigger.key);
    if (known === undefined) this.#pending.add(trigger.key, trigger.bindings, { triggers: [event] });
    else known.data.triggers.push(event);
  }

  #answer(instance: Instance<Pending>, event: Occurrence): void {
    const { withinMs } = this.ledger.plan.node;
    if (withinMs !== undefined) {
      for (const trigger of instance.data.triggers) this.ledger.check(event, trigger, withinMs);
    }
    this.#drop(instance);
  }

  #drop(instance: Instance<Pending>): void {
    this.#count -= instance.data.triggers.length;
    this.#pending.delete(instance.key);
  }

  #fail(instance: Instance<Pending>, how: string): void {
    for (const trigger of instance.data.triggers) this.#violate(instance, trigger, how);
    this.#drop(instance);
  }

  #violate({ bindings }: Instance<Pending>, trigger: Occurrence, how: string): void {
    const wanted = inWords(this.#target, bindings);
    const reason = `${this.ledger.event(trigger, bindings)} was never followed by ${wanted}${how}`;
    this.ledger.violate(trigger.place, reason, trigger.place);
  }

  /** Triggers whose time is over fail; called before the event itself, so an X that comes too late finds them gone. */
  time(clock: number): void {
    const { withinMs } = this.ledger.plan.node;
    if (withinMs === undefined || this.#count === 0) return;
    for (const instance of [...this.#pending.values()]) {
      const { triggers } = instance.data;
      if (!triggers.some(({ at }) => isOver(clock, at, withinMs))) {
        // Instances stand in the order of their oldest trigger, until one of them has lost it to its limit.
        if (this.ledger.violationCount === 0 && Number.isFinite(triggers[0]?.at)) return;
        continue;
      }
      this.#expire(instance, clock, withinMs);
    }
  }

  #expire(instance: Instance<Pending>, clock: number, withinMs: number): void {
    const over = instance.data.triggers.filter(({ at }) => isOver(clock, at, withinMs));
    const kept = instance.data.triggers.filter(({ at }) => !isOver(clock, at, withinMs));
    for (const trigger of over) this.#violate(instance, trigger, ` within ${duration(withinMs)}`);
    this.#drop(instance);
    if (kept.length === 0) return;
    this.#count += kept.length;
    this.#pending.add(instance.key, instance.bindings, { triggers: kept });
  }

  settle(): void {
    const { withinMs } = this.ledger.plan.node;
    const how = withinMs === undefined ? "" : ` within ${duration(withinMs)}`;
    for (const instance of [...this.#pending.values()]) this.#fail(instance, how);
  }
}
