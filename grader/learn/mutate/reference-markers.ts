import type { JsonObject } from "../../../proxy/record/json.ts";
import { type Bindings, valueKey } from "../../operators/where.ts";
import type { BlockMarker, EventMarker, FieldPath, MarkerNode, Where } from "../../scenario/ast.ts";
import type { SessionTrace } from "./session-traces.ts";
import type { Subject } from "./subject.ts";

/** Where a way through the markers stands: the last event used, its time, what was captured. */
interface Cursor {
  readonly p: number;
  readonly tau: number;
  readonly bindings: Bindings;
}

type Next = (cursor: Cursor, used: readonly number[]) => boolean;

/** What a marker is measured from, and the events other chains of its block have taken. */
interface From {
  readonly cursor: Cursor;
  readonly taken: ReadonlySet<number>;
}

const NONE_TAKEN: ReadonlySet<number> = new Set();
/** Steps until the search gives up; far more than any plain scenario needs. */
const MOST_STEPS = 2_000_000;

class OutOfSteps extends Error {}

/**
 * Whether a match of the whole list exists, by trying every assignment of events to markers (LANGUAGE.md section 4.5).
 * Shares no code with the matcher. Undefined when there are too many to try.
 */
export function matchExists(subject: Subject, trace: SessionTrace): boolean | undefined {
  try {
    return new Search(subject, trace).found();
  } catch (error) {
    if (error instanceof OutOfSteps) return undefined;
    throw error;
  }
}

class Search {
  readonly #subject: Subject;
  readonly #trace: SessionTrace;
  readonly #fits = new Map<Where, Map<string, readonly number[]>>();
  #steps = 0;

  constructor(subject: Subject, trace: SessionTrace) {
    this.#subject = subject;
    this.#trace = trace;
  }

  found(): boolean {
    const { markers, timespanMs } = this.#subject.scenario;
    const start: Cursor = { p: -1, tau: this.#trace.at[0] ?? 0, bindings: new Map() };
    const dead = new Set<string>();
    const go = (position: number, cursor: Cursor, first: number | undefined): boolean => {
      const node = markers[position];
      if (node === undefined) return true;
      const since = timespanMs === undefined ? "" : first;
      const key = JSON.stringify([position, cursor.p, since ?? "", keyOf(cursor.bindings)]);
      if (dead.has(key)) return false;
      const from = { cursor, taken: NONE_TAKEN };
      const isFound =
        this.#node(node, from, (next, used) => {
          const began =
            used.length === 0 ? first : Math.min(first ?? Number.POSITIVE_INFINITY, ...used.map((i) => this.#at(i)));
          const ended = used.length === 0 ? cursor.tau : Math.max(...used.map((i) => this.#at(i)));
          if (timespanMs !== undefined && began !== undefined && ended - began > timespanMs) return false;
          return go(position + 1, next, began);
        }) ||
        (canPass(node) && go(position + 1, cursor, first));
      if (!isFound) dead.add(key);
      return isFound;
    };
    return go(0, start, undefined);
  }

  #list(list: readonly MarkerNode[], from: From, next: Next): boolean {
    const go = (position: number, cursor: Cursor, used: readonly number[]): boolean => {
      const node = list[position];
      if (node === undefined) return next(cursor, used);
      const taking = this.#node(node, { cursor, taken: from.taken }, (to, own) =>
        go(position + 1, to, [...used, ...own]),
      );
      return taking || (canPass(node) && go(position + 1, cursor, used));
    };
    return go(0, from.cursor, []);
  }

  #node(node: MarkerNode, from: From, next: Next): boolean {
    this.#steps += 1;
    if (this.#steps > MOST_STEPS) throw new OutOfSteps();
    return node.kind === "marker" ? this.#marker(node, from, next) : this.#block(node, from, next);
  }

  #marker(node: EventMarker, from: From, next: Next): boolean {
    const { cursor } = from;
    const fits = this.#fitting(node.where, cursor.bindings);
    const choose = (used: readonly number[]): boolean => {
      if (used.length === node.repeat)
        return this.#keeps(node, cursor, used) && this.#finish(node, { cursor, used }, next);
      for (let at = firstAfter(fits, used.at(-1) ?? cursor.p); at < fits.length; at++) {
        const index = fits[at] ?? 0;
        this.#steps += 1;
        if (this.#steps > MOST_STEPS) throw new OutOfSteps();
        if (this.#isTooFar(node, cursor, { used, index })) return false;
        if (this.#isUsable(node, from, [...used, index]) && choose([...used, index])) return true;
      }
      return false;
    };
    return choose([]);
  }

  /** Whether the last of these events may be used with those before it. */
  #isUsable(node: EventMarker, { taken }: From, used: readonly number[]): boolean {
    const index = used.at(-1) ?? 0;
    return !taken.has(index) && this.#captures(node, index) && this.#valuesFit(node, used);
  }

  /** No later event could keep the limits either. */
  #isTooFar(node: EventMarker, cursor: Cursor, { used, index }: { used: readonly number[]; index: number }): boolean {
    if (node.immediately && used.length === 0 && index > cursor.p + 1) return true;
    if (node.withinMs !== undefined && this.#at(index) - cursor.tau > node.withinMs) return true;
    const [first] = used;
    if (node.timespanMs !== undefined && first !== undefined && this.#at(index) - this.#at(first) > node.timespanMs)
      return true;
    return node.without !== undefined && this.#spoiled(node.without, cursor, index);
  }

  #finish(node: EventMarker, { cursor, used }: { cursor: Cursor; used: readonly number[] }, next: Next): boolean {
    const last = used.at(-1) ?? cursor.p;
    const bindings = new Map(cursor.bindings);
    for (const { name, path } of node.capture) bindings.set(name, this.#value(last, path) ?? null);
    return next({ p: last, tau: this.#at(last), bindings }, used);
  }

  #captures(node: EventMarker, index: number): boolean {
    return node.capture.every(({ path }) => this.#value(index, path) !== undefined);
  }

  #block(node: BlockMarker, from: From, next: Next): boolean {
    const { cursor: entry } = from;
    const round = (cursor: Cursor, used: readonly number[], values: readonly string[]): boolean => {
      if (values.length === node.repeat) {
        if (used.length > 0 && !this.#keeps(node, entry, used)) return false;
        return next({ ...cursor, bindings: node.repeat > 1 ? entry.bindings : cursor.bindings }, used);
      }
      return this.#round(node, { cursor, taken: from.taken }, (to, own) => {
        if (!this.#areSame(node.same, own)) return false;
        const value = node.distinct === undefined || own.length === 0 ? "" : this.#key(Math.max(...own), node.distinct);
        if (value === undefined) return false;
        if (own.length > 0 && node.distinct !== undefined && values.includes(value)) return false;
        const bindings = node.repeat > 1 ? entry.bindings : to.bindings;
        return round({ ...to, bindings }, [...used, ...own], [...values, value]);
      });
    };
    return round(entry, [], []);
  }

  #round(node: BlockMarker, from: From, next: Next): boolean {
    if (node.kind === "any_order") return this.#anyOrder(node.lists, from, next);
    return node.lists.some((list) => this.#list(list, from, next));
  }

  /** Every chain from the block's beginning, with different events; the block ends with the latest of them. */
  #anyOrder(lists: readonly (readonly MarkerNode[])[], { cursor: entry, taken }: From, next: Next): boolean {
    const chain = (position: number, latest: Cursor, used: readonly number[]): boolean => {
      const list = lists[position];
      if (list === undefined) return next(latest, used);
      return this.#list(list, { cursor: entry, taken: new Set([...taken, ...used]) }, (to, own) => {
        const bindings = new Map([...latest.bindings, ...to.bindings]);
        return chain(position + 1, { ...(to.p > latest.p ? to : latest), bindings }, [...used, ...own]);
      });
    };
    return chain(0, entry, []);
  }

  #keeps(node: MarkerNode, cursor: Cursor, used: readonly number[]): boolean {
    const first = Math.min(...used);
    const last = Math.max(...used);
    if (node.withinMs !== undefined && this.#at(last) - cursor.tau > node.withinMs) return false;
    if (node.timespanMs !== undefined && this.#at(last) - this.#at(first) > node.timespanMs) return false;
    if (node.immediately && first !== cursor.p + 1) return false;
    return node.without === undefined || !this.#spoiled(node.without, cursor, last);
  }

  /** Something of `without` stands strictly between the cursor and the event. */
  #spoiled(without: Where, cursor: Cursor, index: number): boolean {
    const fits = this.#fitting(without, cursor.bindings);
    return (fits[firstAfter(fits, cursor.p)] ?? Number.POSITIVE_INFINITY) < index;
  }

  #valuesFit({ distinct, same }: MarkerNode, used: readonly number[]): boolean {
    if (!this.#areSame(same, used)) return false;
    if (distinct === undefined) return true;
    const keys = used.map((index) => this.#key(index, distinct));
    return !keys.includes(undefined) && new Set(keys).size === keys.length;
  }

  #areSame(paths: readonly FieldPath[] | undefined, used: readonly number[]): boolean {
    if (paths === undefined) return true;
    const keys = used.map((index) => this.#key(index, paths));
    return !keys.includes(undefined) && new Set(keys).size <= 1;
  }

  #key(index: number, paths: readonly FieldPath[]): string | undefined {
    const values = paths.map((path) => this.#value(index, path));
    return values.includes(undefined) ? undefined : JSON.stringify(values.map((value) => valueKey(value ?? null)));
  }

  #value(index: number, path: FieldPath) {
    return this.#subject.read(path).get(this.#event(index));
  }

  #event(index: number): JsonObject {
    return this.#trace.events[index] ?? {};
  }

  #at(index: number): number {
    return this.#trace.at[index] ?? 0;
  }

  /** The events that satisfy it, in order. */
  #fitting(where: Where, bindings: Bindings): readonly number[] {
    const byBindings = this.#fits.get(where) ?? new Map<string, readonly number[]>();
    this.#fits.set(where, byBindings);
    const key = keyOf(bindings);
    const known = byBindings.get(key);
    if (known !== undefined) return known;
    const found = this.#trace.events.flatMap((event, index) =>
      this.#subject.test(where, event, bindings) ? [index] : [],
    );
    byBindings.set(key, found);
    return found;
  }
}

/** Position of the first index greater than `p`, by halving. */
function firstAfter(indices: readonly number[], p: number): number {
  let [low, high] = [0, indices.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((indices[middle] ?? 0) > p) high = middle;
    else low = middle + 1;
  }
  return low;
}

function canPass(node: MarkerNode): boolean {
  return node.optional || node.advisory;
}

function keyOf(bindings: Bindings): string {
  return JSON.stringify([...bindings].map(([name, value]) => [name, valueKey(value)]));
}
