import { isObject, type JsonObject, type JsonValue } from "../../../proxy/record/json.ts";
import type { Bindings } from "../../operators/where.ts";
import type { EventMarker } from "../../scenario/ast.ts";
import { setAt } from "./edit.ts";
import type { Grade } from "./grading.ts";
import { leavesIn, nodesOf, type Subject } from "./subject.ts";
import { later, timePath, timesOf } from "./times.ts";

/** A run that passes, with what mutations need to know of it. */
export interface Base {
  readonly subject: Subject;
  readonly name: string;
  readonly events: readonly JsonObject[];
  /** As grading reads them; undefined for an event without a time. */
  readonly times: readonly (number | undefined)[];
  /** The events that the match uses, by position, one list per session, each in order. */
  readonly used: readonly (readonly number[])[];
  /** The used events that each marker (and block) can have used, by its name. */
  readonly evidence: ReadonlyMap<string, readonly number[]>;
  /** What the used events captured. */
  readonly bindings: Bindings;
}

/** Takes a run apart by the grade it got. */
export function createBase(subject: Subject, run: { name: string; events: readonly JsonObject[] }, grade: Grade): Base {
  const { scenario } = subject;
  const used = grade.results.map(({ match_indices }) => [...new Set(match_indices)].sort((a, b) => a - b));
  const all = used.flat();
  const evidence = new Map<string, readonly number[]>();
  for (const node of nodesOf(scenario.markers)) {
    const leaves = leavesIn([node]);
    evidence.set(
      node.name,
      all.filter((index) => leaves.some(({ where }) => subject.could(where, run.events[index] ?? {}))),
    );
  }
  return {
    subject,
    ...run,
    times: timesOf(run.events, scenario.events),
    used,
    evidence,
    bindings: capturedBy(subject, run.events, evidence),
  };
}

function capturedBy(
  subject: Subject,
  events: readonly JsonObject[],
  evidence: ReadonlyMap<string, readonly number[]>,
): Bindings {
  const bindings = new Map<string, JsonValue>();
  for (const { name, capture, where } of leavesIn(subject.scenario.markers)) {
    const index = evidence.get(name)?.find((one) => subject.test(where, events[one] ?? {}, bindings));
    for (const { name: variable, path } of index === undefined ? [] : capture) {
      const value = subject.read(path).get(events[index ?? 0] ?? {});
      if (value !== undefined && !bindings.has(variable)) bindings.set(variable, value);
    }
  }
  return bindings;
}

/** The events that a marker's match uses and that satisfy it under what was captured. */
export function evidenceOf({ evidence }: Base, { name }: Pick<EventMarker, "name">): readonly number[] {
  return evidence.get(name) ?? [];
}

/** Where an event stands, in words. */
export function describeEvent({ subject, events }: Base, index: number): string {
  const name = subject.read(subject.scenario.events.name).get(events[index] ?? {});
  return `line ${index + 1}${typeof name === "string" ? ` (${name})` : ""}`;
}

/** The events with others put in before a position. */
export function insertAt(base: Base, position: number, made: readonly JsonObject[]): readonly JsonObject[] {
  const dressed = made.map((event, index) => dress(base, event, { position, index }));
  return [...base.events.slice(0, position), ...dressed, ...base.events.slice(position)];
}

/** The events without those at these positions. */
export function without({ events }: Base, dropped: readonly number[]): readonly JsonObject[] {
  const gone = new Set(dropped);
  return events.filter((_, index) => !gone.has(index));
}

/** All events from a position on come so much later. */
export function delayFrom({ subject, events, times }: Base, position: number, byMs: number): readonly JsonObject[] {
  return events.map((event, index) => {
    const at = times[index];
    if (index < position || at === undefined) return event;
    return later(event, byMs, { profile: subject.scenario.events, at });
  });
}

/** Puts an event into the session and at the time of the one it stands beside, as a delivery of its own. */
export function dress(
  base: Base,
  made: JsonObject,
  { position, index }: { position: number; index: number },
): JsonObject {
  const { events: profile } = base.subject.scenario;
  const beside = base.events[Math.max(0, position - 1)] ?? {};
  const capture = isObject(beside["$capture"]) ? beside["$capture"] : undefined;
  const own = isObject(made["$capture"]) ? made["$capture"] : {};
  const { retry: _, ...kept } = own;
  let event: JsonObject = capture === undefined ? made : { ...made, $capture: { ...kept, at: capture["at"] ?? null } };
  for (const path of [timePath(profile), ...(profile.session ?? [])]) {
    const value = base.subject.read(path).get(beside);
    event = (value === undefined ? undefined : setAt(event, path, value)) ?? event;
  }
  return profile.id === undefined ? event : (setAt(event, profile.id, freshId(base, position, index)) ?? event);
}

function freshId({ subject, events }: Base, position: number, index: number): JsonValue {
  const path = subject.scenario.events.id;
  const like = path === undefined ? undefined : subject.read(path).get(events[0] ?? {});
  return typeof like === "number" ? 9_000_000_000 + position * 1000 + index : `waymark-${position}-${index}`;
}

/** An event that no pattern of any scenario means. */
export function unrelated({ subject }: Pick<Base, "subject">, number: number): JsonObject {
  const event: JsonObject = { waymark_unrelated: number };
  return setAt(event, subject.scenario.events.name, `waymark_unrelated_${number}`) ?? event;
}
