import type { EventKeys } from "../read/line-kernel.ts";
import type { EventProfile, FieldPath } from "../scenario/ast.ts";
import type { NodePlan } from "./plan.ts";
import type { Program } from "./program.ts";

/**
 * The keys by which the events of a scenario can be told apart without parsing them; undefined for a scenario whose
 * outcome can depend on every event (`whyEveryEvent` says why).
 */
export function eventKeysOf(program: Program): EventKeys | undefined {
  const { events } = program.scenario;
  const name = topKey(events.name);
  const time = timeKey(events);
  return name === undefined || time === undefined || whyEveryEvent(program) !== undefined ? undefined : { name, time };
}

/** Why every event has to be parsed for this scenario, as the end of a sentence; undefined when that is not so. */
export function whyEveryEvent({ scenario, markers, rules, sessionEnd }: Program): string | undefined {
  const { events } = scenario;
  const reasons: readonly (readonly [boolean, string])[] = [
    [rules.length > 0, "it has rules"],
    [events.session !== undefined || sessionEnd !== undefined || events.idleMs !== undefined, "it splits sessions"],
    [events.order === "time", "it orders events by time"],
    [events.id !== undefined, "it tells duplicates by an id"],
    [markers.timed, "its markers have limits of time"],
    [markers.markers.some(looksAtNeighbours), "its markers say without or immediately"],
    [markers.names === undefined, "one of its markers asks for no event name"],
    [topKey(events.name) === undefined, "the name of an event does not stand at its top"],
    [timeKey(events) === undefined, "the time of an event does not stand at its top"],
    [timeKey(events) === topKey(events.name), "name and time of an event are the same field"],
  ];
  return reasons.find(([applies]) => applies)?.[1];
}

function looksAtNeighbours(plan: NodePlan): boolean {
  if (plan.immediately || plan.without !== undefined) return true;
  return plan.kind === "block" && plan.lists.some((list) => list.some(looksAtNeighbours));
}

function timeKey({ time }: EventProfile): string | undefined {
  return time === undefined ? "time" : topKey(time);
}

/** A key of the event itself, spelled in JSON in one way only unless it is escaped. */
function topKey(path: FieldPath): string | undefined {
  const [segment, ...deeper] = path.kind === "dotted" ? path.segments : [];
  if (segment?.kind !== "key" || deeper.length > 0) return undefined;
  const { key } = segment;
  return /^[A-Za-z_][A-Za-z0-9_-]*$/.test(key) && !(key in Object.prototype) ? key : undefined;
}
