import type { Matcher, Progress } from "./matcher.ts";
import type { Occurrence } from "./occurrence.ts";
import { NO_BINDINGS } from "./pattern.ts";
import type { LeafPlan } from "./plan.ts";
import type { Uses } from "./state.ts";

/**
 * The matcher for a list of single events whose tests look only at the event: one index that moves on a match and never
 * back. Greedy is exact there (an earlier choice never hurts, LANGUAGE.md section 8.1).
 */
export class FlatMatcher implements Matcher {
  readonly foundUnsure = false;
  readonly limitsHit: readonly string[] = [];
  readonly #leaves: readonly LeafPlan[];
  readonly #uses: Uses[] = [];
  #position = 0;
  #waiting: LeafPlan | undefined;
  #progress: Progress | undefined;

  constructor(leaves: readonly LeafPlan[]) {
    this.#leaves = leaves;
    this.#waiting = leaves[0];
  }

  /** Nothing is measured from there. */
  begin(): void {}

  event(event: Occurrence): void {
    const leaf = this.#waiting;
    if (leaf === undefined || !leaf.pattern.screen(event.event)) return;
    this.#uses.push({ before: undefined, leaf, event });
    this.#position += 1;
    this.#waiting = this.#leaves[this.#position];
    this.#progress = undefined;
  }

  open(name: string): readonly LeafPlan[] {
    const leaf = this.#waiting;
    return leaf?.pattern.names?.includes(name) === false || leaf === undefined ? [] : [leaf];
  }

  get found(): readonly Uses[] | undefined {
    return this.#waiting === undefined ? this.#uses : undefined;
  }

  get progress(): Progress {
    this.#progress ??= {
      position: this.#position,
      part: 0,
      uses: [...this.#uses],
      waiting:
        this.#waiting === undefined
          ? undefined
          : { leaf: this.#waiting, bindings: NO_BINDINGS, repetitions: [], after: this.#uses.at(-1)?.event },
    };
    return this.#progress;
  }
}
