import type { CaptureBinding, RuleNode, Where } from "../../grader/scenario/ast.ts";
import type { JsonValue } from "../../proxy/record/json.ts";
import { holds, type TimedEvent, valueAt } from "./brute-force.ts";

/**
 * The meaning of rules on a complete log, quantifier by quantifier, as LANGUAGE.md section 5 writes it down. Answers the
 * positions that violate the rule ("end" for what is missing at the end); none when it holds.
 */
export type Violations = readonly (number | "end")[];

type Bindings = ReadonlyMap<string, JsonValue>;

const NONE: Bindings = new Map();

/** All violations of a rule on a complete log. */
export function violationsOf(rule: RuleNode, events: readonly TimedEvent[]): Violations {
  switch (rule.verb) {
    case "never":
      return never(rule, events);
    case "expect":
      return expectation(rule, events);
    case "count":
      return count(rule, events);
    case "each":
      return positions(rule.target, events, NONE).filter((index) => !holds(rule.must, eventAt(events, index), NONE));
    case "span":
      return span(rule, events);
    case "if":
      return conditional(rule, events);
    case "first":
      return events.length === 0 ? ["end"] : holds(rule.target, eventAt(events, 0), NONE) ? [] : [0];
    case "last": {
      const last = events.length - 1;
      return events.length === 0 ? ["end"] : holds(rule.target, eventAt(events, last), NONE) ? [] : [last];
    }
  }
}

function never(rule: RuleNode & { verb: "never" }, events: readonly TimedEvent[]): number[] {
  const { after, before, until, immediately } = rule;
  const all = events.map((_, index) => index);
  if (rule.between !== undefined || until !== undefined) {
    return intervals(rule, events)
      .flatMap(({ bindings, inside }) => inside.filter((index) => holds(rule.target, eventAt(events, index), bindings)))
      .filter(isFirst)
      .sort(ascending);
  }
  if (after !== undefined) {
    return all.filter((x) =>
      triggers(after, rule.capture, events).some(
        ({ index, bindings }) =>
          (immediately ? index === x - 1 : index < x) && holds(rule.target, eventAt(events, x), bindings),
      ),
    );
  }
  if (before === undefined) return positions(rule.target, events, NONE);
  const first = positions(before, events, NONE)[0] ?? events.length;
  return positions(rule.target, events, NONE).filter((index) => index < first);
}

function expectation(rule: RuleNode & { verb: "expect" }, events: readonly TimedEvent[]): Violations {
  const { after, before, until, withinMs } = rule;
  if (rule.between !== undefined || until !== undefined) {
    return intervals(rule, events).flatMap(({ bindings, inside, start, end }) =>
      inside.some((index) => holds(rule.target, eventAt(events, index), bindings)) ? [] : [end ?? start],
    );
  }
  if (after !== undefined) return unanswered(rule, after, events, "later");
  if (before !== undefined) return unanswered(rule, before, events, "earlier");
  const start = events[0]?.t ?? 0;
  const seen = positions(rule.target, events, NONE).some(
    (index) => withinMs === undefined || eventAt(events, index).t - start <= withinMs,
  );
  return seen ? [] : ["end"];
}

/** Triggers without a strictly later (or earlier) answer in time, with nothing of `without` in between. */
function unanswered(
  rule: RuleNode & { verb: "expect" },
  trigger: Where,
  events: readonly TimedEvent[],
  side: "later" | "earlier",
): number[] {
  const { withinMs, without, immediately } = rule;
  const sign = side === "later" ? 1 : -1;
  return triggers(trigger, rule.capture, events)
    .filter(({ index, bindings }) => {
      const answers = positions(rule.target, events, bindings).filter((x) => (x - index) * sign > 0);
      return !answers.some((x) => {
        const [low, high] = side === "later" ? [index, x] : [x, index];
        if (immediately && high - low !== 1) return false;
        if (withinMs !== undefined && eventAt(events, high).t - eventAt(events, low).t > withinMs) return false;
        const between = events.slice(low + 1, high);
        return without === undefined || !between.some((event) => holds(without, event, bindings));
      });
    })
    .map(({ index }) => index);
}

interface Interval {
  readonly bindings: Bindings;
  readonly start: number;
  readonly end: number | undefined;
  readonly inside: readonly number[];
}

/** The intervals that count: closed ones of `between`, all of `after` and `until`. */
function intervals(rule: RuleNode, events: readonly TimedEvent[]): Interval[] {
  const [open, close] = rule.between ?? [rule.after, rule.until];
  if (open === undefined) return [];
  const keys = new Map(
    triggers(open, rule.capture, events).map((trigger) => [keyOf(trigger.bindings), trigger.bindings]),
  );
  const all = [...keys].flatMap(([key, bindings]) => keyIntervals({ key, bindings, open, close, rule }, events));
  return rule.between === undefined ? all : all.filter(({ end }) => end !== undefined);
}

function keyIntervals(
  {
    key,
    bindings,
    open,
    close,
    rule,
  }: { key: string; bindings: Bindings; open: Where; close: Where | undefined; rule: RuleNode },
  events: readonly TimedEvent[],
): Interval[] {
  const found: Interval[] = [];
  let current: { start: number; inside: number[] } | undefined;
  for (const [index, event] of events.entries()) {
    const opens = triggers(open, rule.capture, [event]).some((trigger) => keyOf(trigger.bindings) === key);
    const closes = close !== undefined && holds(close, event, bindings);
    if (current === undefined) {
      if (opens) current = { start: index, inside: [] };
    } else if (closes) {
      found.push({ ...current, bindings, end: index });
      current = undefined;
    } else if (!opens) current.inside.push(index);
  }
  return current === undefined ? found : [...found, { ...current, bindings, end: undefined }];
}

function count(rule: RuleNode & { verb: "count" }, events: readonly TimedEvent[]): Violations {
  const { before, after, between } = rule;
  if (after !== undefined || between !== undefined) {
    return intervals(rule, events).flatMap(({ bindings, inside }) => {
      const hits = inside.filter((index) => holds(rule.target, eventAt(events, index), bindings));
      return breaks(rule, hits, events);
    });
  }
  const boundary = before === undefined ? undefined : positions(before, events, NONE)[0];
  const hits = positions(rule.target, events, NONE).filter((index) => boundary === undefined || index < boundary);
  const { min, ...onlyMax } = rule;
  return breaks(
    before !== undefined && boundary === undefined
      ? (onlyMax as typeof rule)
      : { ...onlyMax, ...(min === undefined ? {} : { min }) },
    hits,
    events,
  );
}

/** One violation per group and bound. */
function breaks(
  rule: RuleNode & { verb: "count" },
  hits: readonly number[],
  events: readonly TimedEvent[],
): Violations {
  const { per, min, max } = rule;
  const groups = new Map<string, number[]>();
  if (per === undefined) groups.set("", []);
  for (const index of hits) {
    const values = (per ?? []).map((path) => valueAt(eventAt(events, index), path));
    if (values.includes(undefined)) continue;
    const key = JSON.stringify(values);
    groups.set(per === undefined ? "" : key, [...(groups.get(per === undefined ? "" : key) ?? []), index]);
  }
  return [...groups.values()].flatMap((group) => {
    const most = largest(rule, group, events);
    return [
      ...(max !== undefined && most > max ? ["end" as const] : []),
      ...(min !== undefined && most < min ? ["end" as const] : []),
    ];
  });
}

/** The number, or with `timespan` the largest number in any window. */
function largest(
  { distinct, timespanMs }: RuleNode & { verb: "count" },
  hits: readonly number[],
  events: readonly TimedEvent[],
): number {
  const size = (window: readonly number[]): number => {
    if (distinct === undefined) return window.length;
    const keys = window.map((index) =>
      JSON.stringify(distinct.map((path) => valueAt(eventAt(events, index), path) ?? null)),
    );
    return new Set(keys.filter((key) => !key.includes("null"))).size;
  };
  if (timespanMs === undefined) return size(hits);
  const windows = hits.map((end) =>
    hits.filter((k) => k <= end && eventAt(events, end).t - eventAt(events, k).t <= timespanMs),
  );
  return Math.max(0, ...windows.map(size));
}

function span(rule: RuleNode & { verb: "span" }, events: readonly TimedEvent[]): Violations {
  const asInterval = { ...rule, between: [rule.start, rule.end] as const, capture: rule.capture };
  const keys = new Map(
    triggers(rule.start, rule.capture, events).map((trigger) => [keyOf(trigger.bindings), trigger.bindings]),
  );
  const last = events.at(-1)?.t ?? 0;
  return [...keys].flatMap(([key, bindings]) =>
    keyIntervals({ key, bindings, open: rule.start, close: rule.end, rule: asInterval }, events).flatMap(
      ({ start, end }) => {
        const begin = eventAt(events, start).t;
        const over = (end === undefined ? last : eventAt(events, end).t) - begin > rule.maxMs;
        return over || (end === undefined && rule.mustEnd) ? ["end" as const] : [];
      },
    ),
  );
}

function conditional(rule: RuleNode & { verb: "if" }, events: readonly TimedEvent[]): Violations {
  const conditions = positions(rule.condition, events, NONE);
  const targets = positions(rule.target, events, NONE);
  const both = conditions.length > 0 && targets.length > 0;
  const broken = rule.then === "never" ? both : conditions.length > 0 && !both;
  return broken ? ["end"] : [];
}

function triggers(
  where: Where,
  capture: readonly CaptureBinding[],
  events: readonly TimedEvent[],
): { index: number; bindings: Bindings }[] {
  return events.flatMap((event, index) => {
    if (!holds(where, event, NONE)) return [];
    const values = capture.map(({ name, path }) => [name, valueAt(event, path)] as const);
    if (values.some(([, value]) => value === undefined)) return [];
    return [{ index, bindings: new Map(values.map(([name, value]) => [name, value ?? null])) }];
  });
}

function positions(where: Where, events: readonly TimedEvent[], bindings: Bindings): number[] {
  return events.flatMap((event, index) => (holds(where, event, bindings) ? [index] : []));
}

function eventAt(events: readonly TimedEvent[], index: number): TimedEvent {
  return events[index] ?? { t: 0 };
}

function keyOf(bindings: Bindings): string {
  return JSON.stringify([...bindings]);
}

function isFirst(value: number, index: number, list: readonly number[]): boolean {
  return list.indexOf(value) === index;
}

function ascending(a: number, b: number): number {
  return a - b;
}
