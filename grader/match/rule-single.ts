import type { Bindings } from "../operators/where.ts";
import { bindingsKey, capture } from "./keys.ts";
import { inWords, Ledger, type Running } from "./ledger.ts";
import { NOWHERE, type RuleLimits, type RuleMachine } from "./machine.ts";
import type { Occurrence } from "./occurrence.ts";
import { NO_BINDINGS, type Pattern } from "./pattern.ts";
import type { RulePlan } from "./rule-plan.ts";

/** `each: X, must: WHERE`. */
export class EachMachine implements RuleMachine {
  readonly ledger: Ledger;
  readonly #target: Pattern;
  readonly #must: Pattern;

  constructor(plan: RulePlan, { target, must }: { target: Pattern; must: Pattern }) {
    this.ledger = new Ledger(plan);
    this.#target = target;
    this.#must = must;
  }

  get running(): Running {
    return this.ledger.violationCount > 0 ? "fail" : "pass_so_far";
  }

  event(event: Occurrence): void {
    if (!this.#target.test(event.event, NO_BINDINGS)) return;
    this.ledger.exercised += 1;
    const bindings = capture(this.ledger.plan.captures, event.event, NO_BINDINGS) ?? NO_BINDINGS;
    if (this.#must.test(event.event, bindings)) return;
    this.ledger.violate(event.place, `${this.ledger.event(event)} ${this.#why(event, bindings)}`);
  }

  #why(event: Occurrence, bindings: Bindings): string {
    const failed = this.#must.check.diagnose(event.event, bindings).find(({ ok }) => !ok);
    if (failed === undefined) return `is not ${inWords(this.#must, bindings)}`;
    const { path, want, got } = failed;
    return `has ${path} ${got === undefined ? "absent" : show(got)}, wanted ${show(want)}`;
  }

  time(): void {}

  settle(): void {}
}

/** `first: X` and `last: X`. */
export class EdgeMachine implements RuleMachine {
  readonly ledger: Ledger;
  readonly #target: Pattern;
  readonly #isFirst: boolean;
  #fits: boolean | undefined;

  constructor(plan: RulePlan, { target, isFirst }: { target: Pattern; isFirst: boolean }) {
    this.ledger = new Ledger(plan);
    this.#target = target;
    this.#isFirst = isFirst;
  }

  get running(): Running {
    if (this.ledger.violationCount > 0) return "fail";
    if (this.#fits !== true) return "fail_so_far";
    return this.#isFirst ? "pass" : "pass_so_far";
  }

  event(event: Occurrence): void {
    if (this.#isFirst && this.#fits !== undefined) return;
    this.ledger.exercised = 1;
    this.#fits = this.#target.test(event.event, NO_BINDINGS);
    if (this.#isFirst && !this.#fits) this.#violate(event);
  }

  #violate(event: Occurrence): void {
    const which = this.#isFirst ? "first" : "last";
    const wanted = inWords(this.#target, NO_BINDINGS);
    this.ledger.violate(event.place, `the ${which} event is ${this.ledger.event(event)}, not ${wanted}`);
  }

  time(): void {}

  settle(last: Occurrence | undefined): void {
    if (this.running !== "fail_so_far") return;
    if (last !== undefined) this.#violate(last);
    else this.ledger.violate(NOWHERE, "there is no event");
  }
}

interface Condition {
  readonly bindings: Bindings;
  readonly event: Occurrence;
  met: boolean;
}

/** `if: A, expect: B` and `if: A, never: B`, in any order; with `capture`, for every key of A. */
export class IfMachine implements RuleMachine {
  readonly ledger: Ledger;
  readonly #target: Pattern;
  readonly #condition: Pattern;
  readonly #isNever: boolean;
  readonly #conditions = new Map<string, Condition>();
  /** Events that satisfy B for some values; one is enough without captures. */
  readonly #targets: Occurrence[] = [];
  readonly #limits: RuleLimits;
  #owed = 0;

  constructor(
    plan: RulePlan,
    { target, condition, isNever }: { target: Pattern; condition: Pattern; isNever: boolean },
    limits: RuleLimits,
  ) {
    this.ledger = new Ledger(plan);
    this.#target = target;
    this.#condition = condition;
    this.#isNever = isNever;
    this.#limits = limits;
  }

  get running(): Running {
    if (this.ledger.violationCount > 0) return "fail";
    if (this.#isNever) return "pass_so_far";
    if (this.#targets.length > 0 && this.ledger.plan.captures.length === 0) return "pass";
    return this.#owed > 0 ? "fail_so_far" : "pass_so_far";
  }

  event(event: Occurrence): void {
    const before = this.ledger.violationCount;
    this.#noteCondition(event);
    this.#noteTarget(event);
    // One event breaks the rule at most once, whatever the number of keys.
    if (this.ledger.violationCount > before + 1) this.ledger.violationCount = before + 1;
  }

  #noteCondition(event: Occurrence): void {
    if (!this.#condition.test(event.event, NO_BINDINGS)) return;
    const bindings = capture(this.ledger.plan.captures, event.event, NO_BINDINGS);
    if (bindings === undefined) return;
    this.ledger.exercised += 1;
    const key = bindingsKey(bindings);
    if (this.#conditions.has(key)) return;
    if (this.#conditions.size >= this.#limits.keys) {
      this.ledger.limit("keys");
      return;
    }
    const earlier = this.#targets.find((target) => this.#target.test(target.event, bindings));
    this.#conditions.set(key, { bindings, event, met: earlier !== undefined });
    if (earlier === undefined) this.#owed += 1;
    else if (this.#isNever) this.#violate(event, earlier);
  }

  #noteTarget(event: Occurrence): void {
    if (!this.#target.screen(event.event)) return;
    for (const condition of this.#conditions.values()) {
      if (condition.met || !this.#target.test(event.event, condition.bindings)) continue;
      condition.met = true;
      this.#owed -= 1;
      if (this.#isNever) this.#violate(event, condition.event);
    }
    if (this.#targets.length === 0 || this.#target.variables.length > 0) this.#targets.push(event);
    if (this.#targets.length <= this.#limits.pending) return;
    this.#targets.shift();
    this.ledger.limit("pending");
  }

  #violate(event: Occurrence, other: Occurrence): void {
    const both = `${this.ledger.event(event)} and ${this.ledger.event(other)}`;
    const text = event === other ? `${this.ledger.event(event)} is both` : `${both} exclude each other`;
    this.ledger.violate(event.place, text, other.place);
  }

  time(): void {}

  settle(last: Occurrence | undefined): void {
    if (this.#isNever || this.running === "pass") return;
    for (const { bindings, event, met } of this.#conditions.values()) {
      if (met) continue;
      const reason = `${this.ledger.event(event, bindings)} without any ${inWords(this.#target, bindings)}`;
      this.ledger.violate((last ?? event).place, reason, event.place);
    }
  }
}

function show(value: unknown): string {
  return typeof value === "string"
    ? value
    : typeof value === "bigint"
      ? `${value}`
      : (JSON.stringify(value) ?? "absent");
}
