import type { EventKeys } from "../read/line-kernel.ts";
import type { FieldPath } from "../scenario/ast.ts";
import type { NodePlan } from "./plan.ts";
import type { Program } from "./program.ts";

/**
 * The keys by which the events of a scenario can be told apart without parsing them; undefined for a scenario whose
 * outcome can depend on every event: rules, order by time, sessions, duplicates by id, limits of time, `without`,
 * `immediately`, markers that ask for no name, and names or times that do not stand at the top of an event.
 */
export function eventKeysOf({ scenario, markers, rules, sessionEnd }: Program): EventKeys | undefined {
  const { events } = scenario;
  const isSplit = events.session !== undefined || sessionEnd !== undefined || events.idleMs !== undefined;
  if (rules.length > 0 || isSplit || events.order === "time" || events.id !== undefined) return undefined;
  if (markers.timed || markers.names === undefined || markers.markers.some(looksAtNeighbours)) return undefined;
  const name = topKey(events.name);
  const time = events.time === undefined ? "time" : topKey(events.time);
  return name === undefined || time === undefined || name === time ? undefined : { name, time };
}

function looksAtNeighbours(plan: NodePlan): boolean {
  if (plan.immediately || plan.without !== undefined) return true;
  return plan.kind === "block" && plan.lists.some((list) => list.some(looksAtNeighbours));
}

/** A key of the event itself, spelled in JSON in one way only unless it is escaped. */
function topKey(path: FieldPath): string | undefined {
  const [segment, ...deeper] = path.kind === "dotted" ? path.segments : [];
  if (segment?.kind !== "key" || deeper.length > 0) return undefined;
  const { key } = segment;
  return /^[A-Za-z_][A-Za-z0-9_-]*$/.test(key) && !(key in Object.prototype) ? key : undefined;
}
