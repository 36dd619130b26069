import type { BlockMarker, EventMarker, FieldPath, MarkerNode, Operand, Where } from "../../grader/scenario/ast.ts";
import type { JsonObject, JsonValue } from "../../proxy/record/json.ts";

/**
 * The meaning of marker lists as LANGUAGE.md section 4.5 writes it down: every assignment of events to markers is tried.
 * Exponential, for short logs only; shares no code with the matcher.
 */
export interface TimedEvent extends JsonObject {
  readonly t: number;
}

interface Cursor {
  /** Last used index, -1 at the start. */
  readonly p: number;
  readonly tau: number;
  readonly bindings: ReadonlyMap<string, JsonValue>;
}

interface Match {
  readonly cursor: Cursor;
  /** Indices in the order of the markers. */
  readonly used: readonly number[];
}

/** All matches of a list from the start of a session, as index vectors in the order of the markers. */
export function allMatches(
  markers: readonly MarkerNode[],
  events: readonly TimedEvent[],
  timespanMs?: number,
): (readonly number[])[] {
  const start: Cursor = { p: -1, tau: events[0]?.t ?? 0, bindings: new Map() };
  return matchList(markers, events, start)
    .map(({ used }) => used)
    .filter((used) => timespanMs === undefined || extent(used, events) <= timespanMs);
}

/** The earliest event at which a match can end: -1 for an empty match, undefined when there is none. */
export function earliestEnd(matches: readonly (readonly number[])[]): number | undefined {
  if (matches.length === 0) return undefined;
  return Math.min(...matches.map((used) => Math.max(-1, ...used)));
}

/** The lexicographically smallest vector among the matches that end there. */
export function leftmost(matches: readonly (readonly number[])[], end: number): readonly number[] | undefined {
  return matches.filter((used) => Math.max(-1, ...used) === end).sort(compare)[0];
}

/** An event that is not there counts as later than any. */
function compare(a: readonly number[], b: readonly number[]): number {
  for (let index = 0; index < Math.max(a.length, b.length); index++) {
    const [one = Number.POSITIVE_INFINITY, other = Number.POSITIVE_INFINITY] = [a[index], b[index]];
    if (one !== other) return one < other ? -1 : 1;
  }
  return 0;
}

function matchList(list: readonly MarkerNode[], events: readonly TimedEvent[], from: Cursor): Match[] {
  let partial: Match[] = [{ cursor: from, used: [] }];
  for (const node of list) {
    partial = partial.flatMap(({ cursor, used }) => {
      const taken = matchNode(node, events, cursor).map((next) => ({ ...next, used: [...used, ...next.used] }));
      return node.optional || node.advisory ? [...taken, { cursor, used }] : taken;
    });
  }
  return partial;
}

function matchNode(node: MarkerNode, events: readonly TimedEvent[], from: Cursor): Match[] {
  const matches = node.kind === "marker" ? matchMarker(node, events, from) : matchBlock(node, events, from);
  return matches.filter(({ used }) => used.length === 0 || keepsLimits(node, events, from, used));
}

function keepsLimits(node: MarkerNode, events: readonly TimedEvent[], from: Cursor, used: readonly number[]): boolean {
  const first = Math.min(...used);
  const last = Math.max(...used);
  if (node.withinMs !== undefined && at(events, last) - from.tau > node.withinMs) return false;
  if (node.timespanMs !== undefined && extent(used, events) > node.timespanMs) return false;
  if (node.immediately && first !== from.p + 1) return false;
  const { without } = node;
  if (without === undefined) return true;
  return !events.some((event, k) => k > from.p && k < last && holds(without, event, from.bindings));
}

function matchMarker(node: EventMarker, events: readonly TimedEvent[], from: Cursor): Match[] {
  const fits = events.flatMap((event, index) => (index > from.p && isCandidate(node, event, from) ? [index] : []));
  return combinations(fits, node.repeat)
    .filter((used) =>
      valuesFit(
        node,
        used.map((index) => events[index] ?? {}),
      ),
    )
    .map((used) => {
      const last = used.at(-1) ?? from.p;
      const bindings = new Map(from.bindings);
      for (const { name, path } of node.capture) bindings.set(name, valueAt(events[last] ?? {}, path) ?? null);
      return { cursor: { p: last, tau: at(events, last), bindings }, used };
    });
}

function isCandidate(node: EventMarker, event: JsonObject, { bindings }: Cursor): boolean {
  return holds(node.where, event, bindings) && node.capture.every(({ path }) => valueAt(event, path) !== undefined);
}

function valuesFit({ distinct, same }: MarkerNode, used: readonly JsonObject[]): boolean {
  const keys = (paths: readonly FieldPath[]): (string | undefined)[] => used.map((event) => keyAt(event, paths));
  if (same !== undefined) {
    const values = keys(same);
    if (values.includes(undefined) || new Set(values).size > 1) return false;
  }
  if (distinct === undefined) return true;
  const values = keys(distinct);
  return !values.includes(undefined) && new Set(values).size === values.length;
}

function matchBlock(node: BlockMarker, events: readonly TimedEvent[], from: Cursor): Match[] {
  let partial: (Match & { values: readonly string[] })[] = [{ cursor: from, used: [], values: [] }];
  for (let round = 0; round < node.repeat; round++) {
    partial = partial.flatMap(({ cursor, used, values }) =>
      matchRound(node, events, cursor).flatMap((next) => {
        const value = roundValue(node, events, next);
        if (value === undefined || (next.used.length > 0 && node.distinct !== undefined && values.includes(value)))
          return [];
        const bindings = node.repeat > 1 ? from.bindings : next.cursor.bindings;
        return [{ cursor: { ...next.cursor, bindings }, used: [...used, ...next.used], values: [...values, value] }];
      }),
    );
  }
  return partial;
}

/** A repeated group's round has the value of the event that completes it; an empty round has none to compare. */
function roundValue({ distinct }: BlockMarker, events: readonly TimedEvent[], { used }: Match): string | undefined {
  if (distinct === undefined || used.length === 0) return "";
  return keyAt(events[Math.max(...used)] ?? {}, distinct);
}

function matchRound(node: BlockMarker, events: readonly TimedEvent[], from: Cursor): Match[] {
  const rounds =
    node.kind === "any_order"
      ? matchAnyOrder(node.lists, events, from)
      : node.lists.flatMap((list) => matchList(list, events, from));
  const { same } = node;
  if (same === undefined) return rounds;
  return rounds.filter(({ used }) => {
    const values = used.map((index) => keyAt(events[index] ?? {}, same));
    return !values.includes(undefined) && new Set(values).size <= 1;
  });
}

function matchAnyOrder(
  lists: readonly (readonly MarkerNode[])[],
  events: readonly TimedEvent[],
  from: Cursor,
): Match[] {
  return lists.reduce<Match[]>(
    (partial, list) =>
      partial.flatMap((one) =>
        matchList(list, events, from).flatMap((chain) => {
          if (chain.used.some((index) => one.used.includes(index))) return [];
          const latest = chain.cursor.p > one.cursor.p ? chain.cursor : one.cursor;
          const bindings = new Map([...one.cursor.bindings, ...chain.cursor.bindings]);
          return [{ cursor: { ...latest, bindings }, used: [...one.used, ...chain.used] }];
        }),
      ),
    [{ cursor: from, used: [] }],
  );
}

function combinations(items: readonly number[], size: number): number[][] {
  if (size === 0) return [[]];
  return items.flatMap((item, index) => combinations(items.slice(index + 1), size - 1).map((rest) => [item, ...rest]));
}

function extent(used: readonly number[], events: readonly TimedEvent[]): number {
  return used.length === 0 ? 0 : at(events, Math.max(...used)) - at(events, Math.min(...used));
}

function at(events: readonly TimedEvent[], index: number): number {
  return events[index]?.t ?? 0;
}

/** Field tests of the random scenarios: plain equality with literals and variables, lists, all, any, not. */
export function holds(where: Where, event: JsonObject, bindings: ReadonlyMap<string, JsonValue>): boolean {
  switch (where.kind) {
    case "all":
      return where.items.every((item) => holds(item, event, bindings));
    case "any":
      return where.items.some((item) => holds(item, event, bindings));
    case "not":
      return !holds(where.item, event, bindings);
    case "nested":
      throw new Error("not used here");
    case "field": {
      const value = valueAt(event, where.path);
      const operands = (Array.isArray(where.value) ? where.value : [where.value]) as readonly Operand[];
      return value !== undefined && operands.some((operand) => operandValue(operand, bindings) === value);
    }
  }
}

function operandValue(operand: Operand, bindings: ReadonlyMap<string, JsonValue>): JsonValue | undefined {
  if (operand.kind === "literal") return operand.value;
  return operand.kind === "variable" ? bindings.get(operand.name) : undefined;
}

function keyAt(event: JsonObject, paths: readonly FieldPath[]): string | undefined {
  const values = paths.map((path) => valueAt(event, path));
  return values.includes(undefined) ? undefined : JSON.stringify(values);
}

/** The random scenarios use top-level fields only. */
export function valueAt(event: JsonObject, path: FieldPath): JsonValue | undefined {
  return event[path.text];
}
