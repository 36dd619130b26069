import type { JsonValue } from "../../proxy/record/json.ts";
import type { PathAccess } from "../operators/where.ts";
import type { Occurrence } from "./occurrence.ts";
import { type LeafPlan, leavesOf, type MarkerPlan, type NodePlan } from "./plan.ts";

const NONE: readonly LeafPlan[] = [];

/**
 * Which markers' patterns occurred anywhere, whatever the order: a hint, and the line for "happened, but before". Events
 * are dispatched on their name, so that a marker costs nothing on events of another name, and nothing once it was seen.
 */
export class SeenMarkers {
  readonly #first = new Map<LeafPlan, Occurrence>();
  readonly #byName = new Map<string, LeafPlan[]>();
  #anyName: LeafPlan[] = [];
  readonly #name: PathAccess;

  constructor(plan: MarkerPlan, name: PathAccess) {
    this.#name = name;
    for (const leaf of plan.markers.flatMap(leavesOf)) {
      if (leaf.pattern.names === undefined) this.#anyName.push(leaf);
      for (const one of leaf.pattern.names ?? []) this.#byName.set(one, [...(this.#byName.get(one) ?? []), leaf]);
    }
  }

  event(event: Occurrence): void {
    if (this.#byName.size > 0) this.#byNameOf(this.#name.get(event.event), event);
    if (this.#anyName.length > 0) this.#anyName = this.#anyName.filter((leaf) => !this.#note(leaf, event));
  }

  /** The markers of which an event of this name could be the first. */
  open(name: string): readonly LeafPlan[] {
    const named = this.#byName.get(name) ?? NONE;
    return this.#anyName.length === 0 ? named : [...this.#anyName, ...named];
  }

  #byNameOf(name: JsonValue | undefined, event: Occurrence): void {
    const leaves = typeof name === "string" ? this.#byName.get(name) : undefined;
    if (leaves === undefined || typeof name !== "string") return;
    const left = leaves.filter((leaf) => !this.#first.has(leaf) && !this.#note(leaf, event));
    if (left.length === 0) this.#byName.delete(name);
    else if (left.length < leaves.length) this.#byName.set(name, left);
  }

  #note(leaf: LeafPlan, event: Occurrence): boolean {
    const fits = leaf.pattern.screen(event.event);
    if (fits) this.#first.set(leaf, event);
    return fits;
  }

  /** The first event that fits the leaf. */
  first(leaf: LeafPlan): Occurrence | undefined {
    return this.#first.get(leaf);
  }

  /** True when the pattern of the marker occurred; of a block, all of its patterns (of one alternative, one list). */
  has(plan: NodePlan): boolean {
    if (plan.kind === "leaf") return this.#first.has(plan);
    const lists = plan.lists.map((list) => list.every((item) => item.skippable || this.has(item)));
    return plan.mode === "one_of" ? lists.some(Boolean) : lists.every(Boolean);
  }
}
