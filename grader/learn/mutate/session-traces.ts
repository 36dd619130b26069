import { isObject, type JsonObject, stringifyJson } from "../../../proxy/record/json.ts";
import { valueKey } from "../../operators/where.ts";
import type { MarkerNode, RuleNode } from "../../scenario/ast.ts";
import { nodesOf, type Subject } from "./subject.ts";
import { timesOf } from "./times.ts";

/** The events of one session in grading order, with their times (0 where no limit needs them). */
export interface SessionTrace {
  readonly events: readonly JsonObject[];
  readonly at: readonly number[];
}

interface Timed {
  readonly event: JsonObject;
  readonly at: number | undefined;
}

const JUMP_MS = 3_600_000;

/**
 * The sessions a log consists of, by the plain reading of LANGUAGE.md section 6. Undefined where that reading is not
 * plain: ends by event or silence, late events, clocks that jump, events without a time under a time limit.
 */
export function sessionTraces(subject: Subject, events: readonly JsonObject[]): readonly SessionTrace[] | undefined {
  const { scenario } = subject;
  const { events: profile } = scenario;
  if (profile.sessionEnd !== undefined || profile.idleMs !== undefined || scenario.passAt !== undefined)
    return undefined;
  const times = timesOf(events, profile);
  const timed = withoutDuplicates(
    events.map((event, index) => ({ event, at: times[index] })),
    subject,
  );
  const isUntimed = timed.some(({ at }) => at === undefined);
  if (isUntimed && (profile.order === "time" || hasLimits(scenario.markers, scenario.rules, scenario.timespanMs)))
    return undefined;
  const ordered = profile.order === "time" ? byTime(timed, profile.latenessMs) : timed;
  if (ordered === undefined) return undefined;
  return split(ordered, subject)?.map((session) => {
    let clock = Number.NEGATIVE_INFINITY;
    const at = session.map((one) => {
      clock = Math.max(clock, one.at ?? 0);
      return clock;
    });
    return { events: session.map(({ event }) => event), at };
  });
}

function hasLimits(markers: readonly MarkerNode[], rules: readonly RuleNode[], timespanMs?: number): boolean {
  const ofMarkers = nodesOf(markers).some((node) => node.withinMs !== undefined || node.timespanMs !== undefined);
  const ofRules = rules.some(
    (rule) =>
      rule.withinMs !== undefined || rule.verb === "span" || (rule.verb === "count" && rule.timespanMs !== undefined),
  );
  return timespanMs !== undefined || ofMarkers || ofRules;
}

function withoutDuplicates(timed: readonly Timed[], { scenario, read }: Subject): readonly Timed[] {
  const { retries, id, dedupeMs } = scenario.events;
  if (retries === "count") return timed;
  const known = new Map<string, number>();
  let clock = Number.NEGATIVE_INFINITY;
  return timed.filter(({ event, at }) => {
    const capture = event["$capture"];
    if (isObject(capture) && capture["retry"] === true) return false;
    const value = id === undefined ? undefined : read(id).get(event);
    if (value === undefined || value === null) return true;
    clock = Math.max(clock, at ?? clock);
    const key = valueKey(value);
    const before = known.get(key);
    if (before !== undefined && !(clock - before > dedupeMs)) return false;
    known.set(key, clock);
    return true;
  });
}

/** In the order of their times, ties as they came; undefined when one is late or a clock jumps. */
function byTime(timed: readonly Timed[], latenessMs: number): readonly Timed[] | undefined {
  let largest = Number.NEGATIVE_INFINITY;
  for (const { at = 0 } of timed) {
    if (at < largest - latenessMs) return undefined;
    if (Number.isFinite(largest) && at - largest > JUMP_MS) return undefined;
    largest = Math.max(largest, at);
  }
  return [...timed].sort((a, b) => (a.at ?? 0) - (b.at ?? 0));
}

function split(timed: readonly Timed[], { scenario, read }: Subject): readonly (readonly Timed[])[] | undefined {
  const { session, sessionless } = scenario.events;
  if (session === undefined) return [timed];
  const sessions = new Map<string, Timed[]>();
  for (const one of timed) {
    const values = session.map((path) => read(path).get(one.event));
    if (values.some((value) => value === undefined || value === null)) {
      if (sessionless === "broadcast") return undefined;
      continue;
    }
    const key = values.map((value) => (typeof value === "object" ? stringifyJson(value) : String(value))).join(" / ");
    const known = sessions.get(key);
    if (known === undefined) sessions.set(key, [one]);
    else known.push(one);
  }
  return [...sessions.values()];
}
