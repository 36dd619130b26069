import { checkLimit, type Occurrence } from "./occurrence.ts";
import type { LeafPlan } from "./plan.ts";
import type { Uses } from "./state.ts";

/**
 * Advisory markers behind the last one that decides. The list is found without them, so they are looked for afterwards,
 * in their order, each taking the first event that fits; they count in the coverage and never in the verdict.
 */
export class TrailingAdvice {
  readonly uses: Uses[] = [];
  readonly #leaves: readonly LeafPlan[];
  #next = 0;
  #pending: Uses[] = [];
  #last: Occurrence | undefined;

  constructor(leaves: readonly LeafPlan[]) {
    this.#leaves = leaves;
  }

  /** Nothing is left to look for. */
  get isDone(): boolean {
    return this.#next >= this.#leaves.length;
  }

  /** Takes an event after the list was found; `last` is the last event the match uses. */
  event(event: Occurrence, last: Occurrence | undefined): void {
    for (let index = this.#next; index < this.#leaves.length; index++) {
      const leaf = this.#leaves[index];
      if (leaf === undefined || !leaf.pattern.screen(event.event)) continue;
      const from = this.#last ?? last;
      if (
        leaf.withinMs !== undefined &&
        from !== undefined &&
        checkLimit(event.at, from.at, leaf.withinMs) !== "kept"
      ) {
        continue;
      }
      this.#take(event, leaf, index);
      return;
    }
  }

  #take(event: Occurrence, leaf: LeafPlan, index: number): void {
    if (index > this.#next) this.#pending = [];
    this.#next = index;
    this.#pending.push({ before: undefined, leaf, event });
    if (this.#pending.length < leaf.repeat) return;
    this.uses.push(...this.#pending);
    this.#pending = [];
    this.#last = event;
    this.#next = index + 1;
  }
}
