import { Instances } from "./instances.ts";
import { inWords, Ledger, type Running } from "./ledger.ts";
import type { RuleLimits, RuleMachine } from "./machine.ts";
import { isOver, type Occurrence } from "./occurrence.ts";
import { NO_BINDINGS, type Pattern } from "./pattern.ts";
import type { RulePlan } from "./rule-plan.ts";

/** `never: X`. */
export class NeverMachine implements RuleMachine {
  readonly ledger: Ledger;
  readonly #target: Pattern;

  constructor(plan: RulePlan, target: Pattern) {
    this.ledger = new Ledger(plan);
    this.#target = target;
  }

  get running(): Running {
    return this.ledger.violationCount > 0 ? "fail" : "pass_so_far";
  }

  event(event: Occurrence): void {
    this.ledger.exercised = 1;
    if (!this.#target.test(event.event, NO_BINDINGS)) return;
    this.ledger.violate(event.place, `${this.ledger.event(event)} must never happen`);
  }

  time(): void {}

  settle(): void {}
}

/** `never: X, after: A`, also only as the very next event, only within a time, only without an event in between. */
export class NeverAfterMachine implements RuleMachine {
  readonly ledger: Ledger;
  readonly #target: Pattern;
  readonly #after: Pattern;
  /** Per key, the latest A. */
  readonly #armed: Instances<Occurrence>;

  constructor(plan: RulePlan, { target, after }: { target: Pattern; after: Pattern }, limits: RuleLimits) {
    this.ledger = new Ledger(plan);
    this.#target = target;
    this.#after = after;
    this.#armed = new Instances(plan.captures, limits.keys, () => this.ledger.limit("keys"));
  }

  get running(): Running {
    return this.ledger.violationCount > 0 ? "fail" : "pass_so_far";
  }

  event(event: Occurrence): void {
    const { immediately } = this.ledger.plan.node;
    for (const { bindings, data } of this.#armed.matching(this.#target, event.event)) {
      if (!this.#isForbidden(event, data)) continue;
      const trigger = this.ledger.event(data, bindings);
      const how = immediately ? "right after" : "after";
      this.ledger.violate(event.place, `${this.ledger.event(event)} must not happen ${how} ${trigger}`, data.place);
      break;
    }
    for (const { key } of this.#armed.matching(this.ledger.plan.without, event.event)) this.#armed.delete(key);
    if (immediately) for (const { key } of [...this.#armed.values()]) this.#armed.delete(key);
    const trigger = this.#armed.trigger(this.#after, event.event);
    if (trigger === undefined) return;
    this.ledger.exercised += 1;
    const known = this.#armed.get(trigger.key);
    // Only a limit looks at which A it was; without one the first A is the one to name.
    if (known === undefined) this.#armed.add(trigger.key, trigger.bindings, event);
    else if (this.ledger.plan.node.withinMs !== undefined) known.data = event;
  }

  #isForbidden(event: Occurrence, trigger: Occurrence): boolean {
    const { withinMs } = this.ledger.plan.node;
    return withinMs === undefined || this.ledger.check(event, trigger, withinMs) === "kept";
  }

  time(clock: number): void {
    const { withinMs } = this.ledger.plan.node;
    if (withinMs === undefined) return;
    for (const { key, data } of [...this.#armed.values()]) {
      if (isOver(clock, data.at, withinMs)) this.#armed.delete(key);
    }
  }

  settle(): void {}
}

/** `never: X, before: B`: no X until B has happened, also when B never happens. */
export class NeverBeforeMachine implements RuleMachine {
  readonly ledger: Ledger;
  readonly #target: Pattern;
  readonly #before: Pattern;
  readonly #allowed: Instances<true>;

  constructor(plan: RulePlan, { target, before }: { target: Pattern; before: Pattern }, limits: RuleLimits) {
    this.ledger = new Ledger(plan);
    this.#target = target;
    this.#before = before;
    this.#allowed = new Instances(plan.captures, limits.keys, () => this.ledger.limit("keys"));
  }

  get running(): Running {
    if (this.ledger.violationCount > 0) return "fail";
    return this.#allowed.size > 0 && this.ledger.plan.captures.length === 0 ? "pass" : "pass_so_far";
  }

  event(event: Occurrence): void {
    const { ledger } = this;
    // B first: the event that is B is no longer before B.
    this.#noteTrigger(event);
    // Once a key was forgotten, its X could be an allowed one.
    if (ledger.limitsHit.has("keys") || !this.#target.screen(event.event)) return;
    if (this.#allowed.matching(this.#target, event.event).length > 0) return;
    const before = inWords(this.#before, NO_BINDINGS);
    ledger.violate(event.place, `${ledger.event(event)} must not happen before ${before}`);
  }

  #noteTrigger(event: Occurrence): void {
    const trigger = this.#allowed.trigger(this.#before, event.event);
    if (trigger === undefined) return;
    this.ledger.exercised += 1;
    if (this.#allowed.get(trigger.key) === undefined) this.#allowed.add(trigger.key, trigger.bindings, true);
  }

  time(): void {}

  settle(): void {}
}
