import { explainRepetition } from "./explain.ts";
import { type Occurrence, UNTIMED } from "./occurrence.ts";
import type { MarkerOutcome } from "./outcome.ts";
import type { NodePlan } from "./plan.ts";
import type { Session } from "./session.ts";
import type { Uses } from "./state.ts";

/** One outcome per marker of the outer list, with the lines that prove it. */
export function markerOutcomes(session: Session, verdict: "pass" | "fail" | "inconclusive"): MarkerOutcome[] {
  const { matcher, program } = session;
  const { progress } = matcher;
  const { uses } = session;
  let previous: Occurrence | undefined;
  return program.markers.markers.map((plan, position) => {
    const own = uses.filter(({ leaf }) => leaf.root === position).map(({ event }) => event);
    const isDone = matcher.found !== undefined || position < progress.position;
    const status = statusOf(plan, { isUsed: own.length > 0, isDone, verdict });
    const isWaiting = !isDone && position === progress.position;
    const afterMs = status === "found" ? elapsed(previous, latestOf(own)) : undefined;
    if (status === "found") previous = latestOf(own);
    return {
      name: plan.name,
      status,
      optional: plan.node.optional,
      source: plan.node.place,
      evidence: own.map(evidenceOf),
      ...(afterMs === undefined ? {} : { afterMs }),
      ...(isWaiting ? waitingDetails(session) : {}),
    };
  });
}

function statusOf(
  { node }: NodePlan,
  { isUsed, isDone, verdict }: { isUsed: boolean; isDone: boolean; verdict: string },
): MarkerOutcome["status"] {
  if (isDone && isUsed) return "found";
  if (node.optional || (isDone && !node.advisory)) return "skipped";
  return verdict === "inconclusive" ? "undecided" : "missing";
}

function evidenceOf({ place, timeText }: Occurrence): MarkerOutcome["evidence"][number] {
  return timeText === undefined ? place : { ...place, at: timeText };
}

function latestOf(events: readonly Occurrence[]): Occurrence | undefined {
  return events.reduce<Occurrence | undefined>(
    (last, event) => (last === undefined || event.index > last.index ? event : last),
    undefined,
  );
}

function elapsed(from: Occurrence | undefined, to: Occurrence | undefined): number | undefined {
  if (to === undefined || from === undefined) return to === undefined ? undefined : 0;
  return from.at === UNTIMED || to.at === UNTIMED ? undefined : to.at - from.at;
}

function waitingDetails({ matcher, nearest }: Session): Pick<MarkerOutcome, "progress" | "nearest"> {
  const { waiting } = matcher.progress;
  if (waiting === undefined) return {};
  const near = nearest.resultFor(waiting.leaf);
  const isRepeating = explainRepetition(matcher.progress) !== undefined;
  return {
    ...(isRepeating ? { progress: `${waiting.repetitions.length} of ${waiting.leaf.repeat}` } : {}),
    ...(near === undefined ? {} : { nearest: near }),
  };
}

/**
 * Weight of the markers done by the furthest run, one under way counted in part, and of the passed rules that have a
 * weight, over all those weights (LANGUAGE.md section 7.4); 1 when nothing has a weight.
 */
export function scoreOf({ matcher, program, uses }: Session, passedRules: readonly string[]): number {
  const { progress, found } = matcher;
  const used = new Set(uses.map(({ leaf }: Uses) => leaf.root));
  let done = 0;
  let all = 0;
  program.markers.markers.forEach(({ node }, position) => {
    if (node.optional) return;
    all += node.weight;
    const isDone = found !== undefined || position < progress.position;
    const isFound = isDone && (!node.advisory || used.has(position));
    if (isFound) done += node.weight;
    else if (position === progress.position) done += node.weight * progress.part;
  });
  for (const { name, weight = 0 } of program.scenario.rules) {
    all += weight;
    if (passedRules.includes(name)) done += weight;
  }
  return all === 0 ? 1 : done / all;
}
