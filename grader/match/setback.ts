import type { Waiting } from "./matcher.ts";
import { checkLimit, type Occurrence } from "./occurrence.ts";
import type { LeafPlan } from "./plan.ts";

/** Why an event that looks like the marker waited for did not count. */
export type Setback =
  | { readonly kind: "too slow"; readonly event: Occurrence; readonly after: Occurrence; readonly limitMs: number }
  | { readonly kind: "spoiled"; readonly event: Occurrence; readonly spoiler: Occurrence }
  | { readonly kind: "other value"; readonly event: Occurrence; readonly waiting: Waiting }
  | { readonly kind: "not next"; readonly event: Occurrence; readonly after: Occurrence | undefined };

/** Watches what keeps the marker waited for from being found; the most telling setback is kept. */
export class Setbacks {
  #leaf: LeafPlan | undefined;
  #start: Occurrence | undefined;
  #spoiler: Occurrence | undefined;
  #latest: Setback | undefined;

  /** Notes the first event: what the first marker is measured from. */
  begin(event: Occurrence): void {
    this.#start ??= event;
  }

  /** Takes an event that did not get the markers further. */
  event(event: Occurrence, waiting: Waiting): void {
    const { leaf, bindings } = waiting;
    if (leaf !== this.#leaf) this.#reset(leaf);
    const isAfter = waiting.after === undefined || event.index > waiting.after.index;
    if (!isAfter) return;
    if (leaf.pattern.screen(event.event)) this.#latest = this.#reason(event, waiting) ?? this.#latest;
    if (leaf.without?.test(event.event, bindings) === true) this.#spoiler = event;
  }

  /** The setback of this leaf, when there was one. */
  resultFor(leaf: LeafPlan): Setback | undefined {
    return this.#leaf === leaf ? this.#latest : undefined;
  }

  #reset(leaf: LeafPlan): void {
    this.#leaf = leaf;
    this.#spoiler = undefined;
    this.#latest = undefined;
  }

  #reason(event: Occurrence, waiting: Waiting): Setback | undefined {
    const { leaf, bindings } = waiting;
    if (!leaf.pattern.test(event.event, bindings)) return { kind: "other value", event, waiting };
    const after = waiting.after ?? this.#start;
    const { withinMs: limitMs } = leaf;
    if (limitMs !== undefined && after !== undefined && checkLimit(event.at, after.at, limitMs) === "broken") {
      return { kind: "too slow", event, after, limitMs };
    }
    if (this.#spoiler !== undefined && this.#spoiler.index > (waiting.after?.index ?? -1)) {
      return { kind: "spoiled", event, spoiler: this.#spoiler };
    }
    return leaf.immediately ? { kind: "not next", event, after: waiting.after } : undefined;
  }
}
