import type { JsonObject } from "../../../proxy/record/json.ts";
import { matchExists } from "./reference-markers.ts";
import { ruleHolds, triggerOf } from "./reference-rules.ts";
import { type SessionTrace, sessionTraces } from "./session-traces.ts";
import type { Subject } from "./subject.ts";

/**
 * What the scenario's words say of a log, found by trying everything and without the matcher. `unknown` where the plain
 * reading does not decide (see `sessionTraces`) or would take too long.
 */
export type Meaning = "holds" | "violated" | "unknown";

/** Decides whether a mutation changed anything: one on which the scenario still `holds` is equivalent. */
export function meaningOf(subject: Subject, events: readonly JsonObject[]): Meaning {
  const traces = tracesOf(subject, events);
  if (traces === undefined) return "unknown";
  const each = traces.map((trace) => ofSession(subject, trace));
  const isAny = subject.scenario.events.sessions === "any";
  if (each.includes(isAny ? "holds" : "violated")) return isAny ? "holds" : "violated";
  if (each.includes("unknown")) return "unknown";
  return isAny ? "violated" : "holds";
}

/** The same for one rule by its name, whatever its severity. */
export function ruleMeaning(subject: Subject, name: string, events: readonly JsonObject[]): Meaning {
  const rule = subject.scenario.rules.find((one) => one.name === name);
  const traces = tracesOf(subject, events);
  if (traces === undefined || rule === undefined) return "unknown";
  return traces.every((trace) => ruleHolds(subject, rule, trace)) ? "holds" : "violated";
}

/** A log without an event says nothing. */
function tracesOf(subject: Subject, events: readonly JsonObject[]): readonly SessionTrace[] | undefined {
  const traces = sessionTraces(subject, events);
  return traces === undefined || traces.length === 0 || traces.some((one) => one.events.length === 0)
    ? undefined
    : traces;
}

function ofSession(subject: Subject, trace: SessionTrace): Meaning {
  const rules = subject.scenario.rules.filter(({ severity }) => severity === "error");
  // what triggers a rule without scope is the matcher's to say
  if (rules.some((rule) => rule.requireTrigger && triggerOf(rule) === undefined)) return "unknown";
  if (rules.some((rule) => !ruleHolds(subject, rule, trace))) return "violated";
  const found = matchExists(subject, trace);
  if (found === undefined) return "unknown";
  return found ? "holds" : "violated";
}
