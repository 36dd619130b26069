import type { Bindings } from "../operators/where.ts";
import { Eldest } from "./eldest.ts";
import { keyFrom } from "./instances.ts";
import { bindingsKey, capture } from "./keys.ts";
import { duration, inWords, Ledger, type Running } from "./ledger.ts";
import type { RuleLimits, RuleMachine } from "./machine.ts";
import { isOver, type Occurrence } from "./occurrence.ts";
import { NO_BINDINGS, type Pattern } from "./pattern.ts";
import type { RulePlan } from "./rule-plan.ts";

/** What came before, as far as a later B may ask for it. */
interface Past {
  add(event: Occurrence): void;
  /** The latest X that satisfies the pattern under the bindings, with no `without` event after it. */
  latest(bindings: Bindings): Occurrence | undefined;
  /** Forgets what is too old to be asked for. */
  expire(clock: number, withinMs: number): void;
}

/** `before: B, expect: X`: every B has a strictly earlier X. */
export class BeforeExpectMachine implements RuleMachine {
  readonly ledger: Ledger;
  readonly #target: Pattern;
  readonly #before: Pattern;
  readonly #past: Past;
  #isSettled = false;

  constructor(plan: RulePlan, { target, before }: { target: Pattern; before: Pattern }, limits: RuleLimits) {
    this.ledger = new Ledger(plan);
    this.#target = target;
    this.#before = before;
    this.#past = createPast(plan, target, limits, this.ledger);
  }

  get running(): Running {
    if (this.ledger.violationCount > 0) return "fail";
    return this.#isSettled ? "pass" : "pass_so_far";
  }

  event(event: Occurrence): void {
    if (this.#isSettled) {
      if (this.#before.test(event.event, NO_BINDINGS)) this.ledger.exercised += 1;
      return;
    }
    if (this.#before.test(event.event, NO_BINDINGS)) this.#check(event);
    this.#past.add(event);
    this.#isSettled = this.#isForGood() && this.#past.latest(NO_BINDINGS) !== undefined;
  }

  /** Without options and keys, one X protects everything that comes. */
  #isForGood(): boolean {
    const { node, captures, without } = this.ledger.plan;
    const isPlain = node.withinMs === undefined && !node.immediately && without === undefined && captures.length === 0;
    return isPlain && this.ledger.violationCount === 0;
  }

  #check(event: Occurrence): void {
    const { ledger } = this;
    const bindings = capture(ledger.plan.captures, event.event, NO_BINDINGS);
    if (bindings === undefined) return;
    ledger.exercised += 1;
    const { withinMs, immediately } = ledger.plan.node;
    const latest = this.#past.latest(bindings);
    const isNext = !immediately || latest?.index === event.index - 1;
    const inTime = latest === undefined || withinMs === undefined || ledger.check(event, latest, withinMs) !== "broken";
    if (latest !== undefined && isNext && inTime) return;
    // What was forgotten could have been the X.
    if (ledger.limitsHit.size > 0) return;
    ledger.violate(event.place, this.#reason(event, bindings, latest));
  }

  #reason(event: Occurrence, bindings: Bindings, latest: Occurrence | undefined): string {
    const { ledger } = this;
    const { withinMs, immediately } = ledger.plan.node;
    const wanted = inWords(this.#target, bindings);
    const text = `${ledger.event(event, bindings)} was not preceded by ${wanted}`;
    if (immediately) return `${text} right before it`;
    if (withinMs === undefined) return text;
    const late =
      latest === undefined ? "" : ` (it came ${duration(event.at - latest.at)} earlier, line ${latest.place.line})`;
    return `${text} within ${duration(withinMs)}${late}`;
  }

  time(clock: number): void {
    const { withinMs } = this.ledger.plan.node;
    if (withinMs !== undefined) this.#past.expire(clock, withinMs);
  }

  settle(): void {}
}

/** Below this, old events stay, so that reasons can say how old they were. */
const WORTH_EXPIRING = 1000;

/** By key where the patterns fix the captured values, else a list that is searched. */
function createPast(plan: RulePlan, target: Pattern, limits: RuleLimits, ledger: Ledger): Past {
  const isKeyed = (pattern: Pattern): boolean =>
    plan.captures.every(({ name }) => pattern.links.some((link) => link.variable === name && link.access.single));
  const { without } = plan;
  const withoutFits = without === undefined || without.variables.length === 0 || isKeyed(without);
  return isKeyed(target) && withoutFits
    ? new PastByKey(plan, target, limits.keys, ledger)
    : new PastList(plan, target, limits.pending, ledger);
}

class PastByKey implements Past {
  readonly #latest = new Map<string, Occurrence>();
  readonly #eldest = new Eldest(this.#latest);
  #worthExpiring = WORTH_EXPIRING;
  readonly #plan: RulePlan;
  readonly #target: Pattern;
  readonly #max: number;
  readonly #ledger: Ledger;

  constructor(plan: RulePlan, target: Pattern, max: number, ledger: Ledger) {
    this.#plan = plan;
    this.#target = target;
    this.#max = max;
    this.#ledger = ledger;
  }

  add(event: Occurrence): void {
    const { without, captures } = this.#plan;
    if (without?.screen(event.event) === true) {
      const key = without.variables.length === 0 ? undefined : keyFrom(without, captures, event.event);
      if (without.variables.length === 0) this.#latest.clear();
      else if (key !== undefined) this.#latest.delete(key);
    }
    if (!this.#target.screen(event.event)) return;
    const key = keyFrom(this.#target, captures, event.event);
    if (key === undefined) return;
    this.#latest.delete(key);
    this.#latest.set(key, event);
    if (this.#latest.size <= this.#max) return;
    this.#eldest.drop();
    this.#ledger.limit("keys");
  }

  latest(bindings: Bindings): Occurrence | undefined {
    const event = this.#latest.get(bindingsKey(bindings));
    return event !== undefined && this.#target.test(event.event, bindings) ? event : undefined;
  }

  expire(clock: number, withinMs: number): void {
    if (this.#latest.size < this.#worthExpiring) return;
    for (const [key, event] of this.#latest) {
      if (!isOver(clock, event.at, withinMs)) break;
      this.#latest.delete(key);
    }
    this.#worthExpiring = Math.max(WORTH_EXPIRING, 2 * this.#latest.size);
  }
}

/** Events that could be an X or a `without`, searched from the latest back; for patterns that compare otherwise. */
class PastList implements Past {
  #events: Occurrence[] = [];
  readonly #plan: RulePlan;
  readonly #target: Pattern;
  readonly #max: number;
  readonly #ledger: Ledger;

  constructor(plan: RulePlan, target: Pattern, max: number, ledger: Ledger) {
    this.#plan = plan;
    this.#target = target;
    this.#max = max;
    this.#ledger = ledger;
  }

  add(event: Occurrence): void {
    const isRelevant = this.#target.screen(event.event) || this.#plan.without?.screen(event.event) === true;
    if (!isRelevant) return;
    this.#events.push(event);
    if (this.#events.length <= this.#max) return;
    this.#events = this.#events.slice(-Math.ceil(this.#max / 2));
    this.#ledger.limit("pending");
  }

  latest(bindings: Bindings): Occurrence | undefined {
    for (let index = this.#events.length - 1; index >= 0; index--) {
      const event = this.#events[index];
      if (event === undefined) continue;
      if (this.#target.test(event.event, bindings)) return event;
      if (this.#plan.without?.test(event.event, bindings) === true) return undefined;
    }
    return undefined;
  }

  expire(clock: number, withinMs: number): void {
    if (this.#events.length < WORTH_EXPIRING) return;
    const old = this.#events.findIndex(({ at }) => !isOver(clock, at, withinMs));
    if (old > 0) this.#events = this.#events.slice(old);
    else if (old < 0) this.#events = [];
  }
}
