import type { JsonObject } from "../../proxy/record/json.ts";
import { valueKey } from "../operators/where.ts";
import type { Occurrence } from "./occurrence.ts";
import type { Link, Pattern } from "./pattern.ts";
import type { LeafPlan } from "./plan.ts";
import type { Run } from "./runs.ts";

/** Runs that wait for one single event: touched only by events that could be it, or could spoil it. */
interface Group {
  readonly runs: Set<Run>;
  /** By the value `field: $variable` asks for; absent where the marker names no such field. */
  readonly byValue: ReadonlyMap<string, Set<Run>> | undefined;
}

/**
 * The open runs, merged: of two runs at one position only those stay of which neither covers the other. An event finds
 * the runs it concerns by the marker they wait for, and by the captured value where that marker asks for one.
 */
export class RunTable {
  readonly #fronts = new Map<string, Run[]>();
  readonly #drops: (a: Run, b: Run) => boolean;
  readonly #groups = new Map<LeafPlan, Group & { readonly byValue: Map<string, Set<Run>> | undefined }>();
  /** Runs inside blocks, which every event may concern. */
  readonly #others = new Set<Run>();
  size = 0;

  /** `drops(a, b)`: with `a` in the table, `b` of the same position is not needed. */
  constructor(drops: (a: Run, b: Run) => boolean) {
    this.#drops = drops;
  }

  /** The runs the event can move or end. A copy: the table may change meanwhile. */
  touchedBy(event: Occurrence): Run[] {
    const touched = new Set(this.#others);
    for (const [leaf, group] of this.#groups) {
      if (leaf.immediately || leaf.pattern.screen(event.event)) add(touched, group, leaf.pattern, event.event);
      if (leaf.without?.screen(event.event) === true) add(touched, group, leaf.without, event.event);
    }
    return [...touched];
  }

  insert(run: Run): void {
    const { key } = run.rank;
    const front = this.#fronts.get(key);
    if (front === undefined) {
      this.#fronts.set(key, [run]);
      this.#index(run);
      return;
    }
    if (front.some((other) => this.#drops(other, run))) return;
    const kept = front.filter((other) => !this.#drops(run, other));
    for (const other of front) if (!kept.includes(other)) this.#forget(other);
    kept.push(run);
    this.#index(run);
    this.#fronts.set(key, kept);
  }

  delete(run: Run): void {
    const { key } = run.rank;
    const front = this.#fronts.get(key);
    const at = front?.indexOf(run) ?? -1;
    if (front === undefined || at < 0) return;
    front.splice(at, 1);
    this.#forget(run);
    if (front.length === 0) this.#fronts.delete(key);
  }

  /** Removes the runs for which it holds. */
  deleteWhere(isDead: (run: Run) => boolean): void {
    for (const run of [...this.#fronts.values()].flat()) if (isDead(run)) this.delete(run);
  }

  /** Drops the runs that came first until at most `max` are left. */
  dropOldest(max: number): void {
    const byAge = [...this.#fronts.values()].flat().sort((a, b) => a.born - b.born);
    for (const run of byAge.slice(0, Math.max(0, this.size - max))) this.delete(run);
  }

  clear(): void {
    this.#fronts.clear();
    this.#groups.clear();
    this.#others.clear();
    this.size = 0;
  }

  #index(run: Run): void {
    this.size += 1;
    const leaf = waitingLeaf(run);
    if (leaf === undefined) {
      this.#others.add(run);
      return;
    }
    let group = this.#groups.get(leaf);
    if (group === undefined) {
      group = { runs: new Set(), byValue: linkOf(leaf) === undefined ? undefined : new Map() };
      this.#groups.set(leaf, group);
    }
    group.runs.add(run);
    const key = boundKey(leaf, run);
    if (key === undefined) return;
    const same = group.byValue?.get(key);
    if (same === undefined) group.byValue?.set(key, new Set([run]));
    else same.add(run);
  }

  #forget(run: Run): void {
    this.size -= 1;
    const leaf = waitingLeaf(run);
    const group = leaf === undefined ? undefined : this.#groups.get(leaf);
    if (leaf === undefined || group === undefined) {
      this.#others.delete(run);
      return;
    }
    group.runs.delete(run);
    const key = boundKey(leaf, run);
    const same = key === undefined ? undefined : group.byValue?.get(key);
    same?.delete(run);
    if (key !== undefined && same?.size === 0) group.byValue?.delete(key);
    if (group.runs.size === 0) this.#groups.delete(leaf);
  }
}

/** The runs of a group an event can satisfy `pattern` for. */
function add(touched: Set<Run>, { runs, byValue }: Group, pattern: Pattern, event: JsonObject): void {
  const link = byValue === undefined ? undefined : pattern.links.find(({ access }) => access.single);
  const isLinked = link !== undefined && pattern.variables.length > 0;
  const value = isLinked ? link.access.get(event) : undefined;
  if (byValue === undefined || !isLinked) {
    for (const run of runs) touched.add(run);
    return;
  }
  if (value === undefined) return;
  for (const run of byValue.get(`${link.variable}:${valueKey(value)}`) ?? []) touched.add(run);
  for (const run of byValue.get(UNHASHED) ?? []) touched.add(run);
}

/** Runs whose captured value is a map or a list: `field: $variable` is then a partial comparison. */
const UNHASHED = "*";

/** The link runs of a leaf are hashed by. Its `without`, too, has to go by the same variable. */
function linkOf(leaf: LeafPlan): Link | undefined {
  const link = leaf.pattern.links.find(({ access }) => access.single);
  if (link === undefined || leaf.without === undefined || leaf.without.variables.length === 0) return link;
  const other = leaf.without.links.find(({ access }) => access.single);
  return other?.variable === link.variable ? link : undefined;
}

function boundKey(leaf: LeafPlan, run: Run): string | undefined {
  const link = linkOf(leaf);
  if (link === undefined) return undefined;
  const value = run.bindings.get(link.variable);
  if (value === undefined || (typeof value === "object" && value !== null)) return UNHASHED;
  return `${link.variable}:${valueKey(value)}`;
}

/** The only leaf a run waits for; undefined inside a block. */
function waitingLeaf({ state }: Run): LeafPlan | undefined {
  const node = state.chains[0]?.node;
  return node?.kind === "leaf" ? node.plan : undefined;
}
