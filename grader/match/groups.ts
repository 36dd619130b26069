import { Eldest } from "./eldest.ts";
import type { Ledger } from "./ledger.ts";
import { type Occurrence, UNTIMED } from "./occurrence.ts";
import type { RulePlan } from "./rule-plan.ts";
import { createTally, groupOf, type Tally } from "./tally.ts";

/** Bounds of a count rule. */
export interface Bounds {
  readonly min: number | undefined;
  readonly max: number | undefined;
}

/** Numbers per group, in the session or in one interval. */
export class Groups {
  readonly #tallies = new Map<string, { tally: Tally; over: boolean; last: Occurrence }>();
  readonly #eldest = new Eldest(this.#tallies);
  readonly #plan: RulePlan;
  readonly #ledger: Ledger;
  readonly #bounds: Bounds;
  readonly #maxGroups: number;

  constructor(ledger: Ledger, bounds: Bounds, maxGroups: number) {
    this.#plan = ledger.plan;
    this.#ledger = ledger;
    this.#bounds = bounds;
    this.#maxGroups = maxGroups;
  }

  /** Takes an event; the number it made when that is above the maximum for the first time in its group. */
  add(event: Occurrence): number | undefined {
    const group = groupOf(this.#plan, event.event);
    if (group === undefined) return undefined;
    if (this.#isWindowed && event.at === UNTIMED) {
      this.#ledger.leaveOut(event);
      return undefined;
    }
    const entry = this.#entry(group, event);
    entry.last = event;
    const number = entry.tally.add(event);
    const { max } = this.#bounds;
    if (max === undefined || number <= max || entry.over) return undefined;
    entry.over = true;
    return number;
  }

  get #isWindowed(): boolean {
    return this.#plan.node.verb === "count" && this.#plan.node.timespanMs !== undefined;
  }

  #entry(group: string, event: Occurrence): { tally: Tally; over: boolean; last: Occurrence } {
    const known = this.#tallies.get(group);
    if (known !== undefined) return known;
    if (this.#tallies.size >= this.#maxGroups) {
      this.#eldest.drop();
      this.#ledger.limit("keys");
    }
    const entry = { tally: this.#newTally(), over: false, last: event };
    this.#tallies.set(group, entry);
    return entry;
  }

  #newTally(): Tally {
    const { node } = this.#plan;
    const timespanMs = node.verb === "count" ? node.timespanMs : undefined;
    const keep = Math.max(this.#bounds.max ?? 0, this.#bounds.min ?? 0) + 1;
    return createTally(this.#plan, (a, b) => this.#ledger.check(a, b, timespanMs ?? 0), keep);
  }

  /** Groups that stay below the minimum; without `per` the one group counts even when nothing was seen. */
  tooFew(): { number: number; last: Occurrence | undefined }[] {
    const { min } = this.#bounds;
    if (min === undefined) return [];
    if (this.#plan.per.length === 0 && this.#tallies.size === 0) return min > 0 ? [{ number: 0, last: undefined }] : [];
    return [...this.#tallies.values()]
      .filter(({ tally }) => tally.most < min)
      .map(({ tally, last }) => ({ number: tally.most, last }));
  }
}

/** Bounds as the rule gives them. */
export function boundsOf(plan: RulePlan): Bounds {
  return plan.node.verb === "count" ? { min: plan.node.min, max: plan.node.max } : { min: undefined, max: undefined };
}
