import type { JsonObject } from "../../proxy/record/json.ts";
import { combinedKey } from "./keys.ts";
import type { LimitCheck, Occurrence } from "./occurrence.ts";
import type { RulePlan } from "./rule-plan.ts";

/** Counts events, or their different values, in one interval and one group; in a sliding window where a rule says so. */
export interface Tally {
  /** Takes one more event and returns the number that counts now: in the window that ends with it. */
  add(event: Occurrence): number;
  /** The largest number so far. */
  readonly most: number;
}

type Compare = (event: Occurrence, anchor: Occurrence) => LimitCheck;

/** The tally a count rule needs. `compare` checks a time against the rule's `timespan`; `max` bounds what is kept. */
export function createTally(plan: RulePlan, compare: Compare, keep: number): Tally {
  const isWindowed = plan.node.verb === "count" && plan.node.timespanMs !== undefined;
  if (plan.distinct.length > 0) return new ValueTally(plan, isWindowed ? compare : undefined, keep);
  return isWindowed ? new WindowTally(compare, keep) : new PlainTally();
}

class PlainTally implements Tally {
  most = 0;

  add(): number {
    this.most += 1;
    return this.most;
  }
}

/** The last events only: as many as the bounds can ask for. */
class WindowTally implements Tally {
  most = 0;
  #events: Occurrence[] = [];
  readonly #compare: Compare;
  readonly #keep: number;

  constructor(compare: Compare, keep: number) {
    this.#compare = compare;
    this.#keep = keep;
  }

  add(event: Occurrence): number {
    this.#events.push(event);
    while (this.#events.length > this.#keep) this.#events.shift();
    let first = this.#events[0];
    while (first !== undefined && first !== event && this.#compare(event, first) === "broken") {
      this.#events.shift();
      first = this.#events[0];
    }
    this.most = Math.max(this.most, this.#events.length);
    return this.#events.length;
  }
}

/** Value to its last event, oldest first. */
class ValueTally implements Tally {
  most = 0;
  readonly #last = new Map<string, Occurrence>();
  readonly #plan: RulePlan;
  readonly #compare: Compare | undefined;
  readonly #keep: number;

  constructor(plan: RulePlan, compare: Compare | undefined, keep: number) {
    this.#plan = plan;
    this.#compare = compare;
    this.#keep = keep;
  }

  add(event: Occurrence): number {
    const key = combinedKey(this.#plan.distinct, event.event);
    if (key === undefined) return this.#last.size;
    if (this.#compare !== undefined || this.#last.has(key)) this.#last.delete(key);
    if (this.#last.size < this.#keep || this.#compare !== undefined) this.#last.set(key, event);
    this.#trim(event);
    this.most = Math.max(this.most, this.#last.size);
    return this.#last.size;
  }

  #trim(event: Occurrence): void {
    for (const [key, seen] of this.#last) {
      const isOld = this.#compare !== undefined && seen !== event && this.#compare(event, seen) === "broken";
      if (!isOld && this.#last.size <= this.#keep) return;
      this.#last.delete(key);
    }
  }
}

/** The group an event counts for: its value at the `per` paths, undefined when it has none. */
export function groupOf(plan: RulePlan, event: JsonObject): string | undefined {
  return plan.per.length === 0 ? "" : combinedKey(plan.per, event);
}
