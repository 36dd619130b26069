import type { JsonValue } from "../../proxy/record/json.ts";
import { stringifyJson } from "../../proxy/record/json.ts";
import { duration } from "./ledger.ts";
import type { Progress } from "./matcher.ts";
import type { Occurrence } from "./occurrence.ts";
import { type LeafPlan, leavesOf, type NodePlan } from "./plan.ts";
import type { Session } from "./session.ts";
import type { Setback } from "./setback.ts";

/** Why the ordered markers were not found: the next marker, and what stood in its way (LANGUAGE.md section 7.5). */
export function explainMarkers(session: Session): string {
  const { progress } = session.matcher;
  const marker = session.program.markers.markers[progress.position];
  if (marker === undefined) return "all markers found";
  const after = lastFound(session, progress);
  const leaf = progress.waiting?.leaf ?? leavesOf(marker)[0];
  const setback = leaf === undefined ? undefined : session.setbacks.resultFor(leaf);
  if (leaf !== undefined && setback !== undefined) return explainSetback(leaf, setback, after);
  const repetition = explainRepetition(progress);
  if (repetition !== undefined) return `${quote(marker.name)}: ${repetition}`;
  return explainMissing(session, { marker, leaf, after });
}

interface Found {
  readonly name: string;
  readonly event: Occurrence;
}

/** The marker found last before the one waited for. */
function lastFound(session: Session, { uses }: Progress): Found | undefined {
  const last = uses.at(-1);
  if (last === undefined) return undefined;
  const marker = session.program.markers.markers[last.leaf.root];
  const isInside = marker?.kind === "block" && last.leaf.root === session.matcher.progress.position;
  return { name: isInside || marker === undefined ? last.leaf.name : marker.name, event: last.event };
}

function explainMissing(
  session: Session,
  { marker, leaf, after }: { marker: NodePlan; leaf: LeafPlan | undefined; after: Found | undefined },
): string {
  const name = quote(
    leaf !== undefined && after?.event !== undefined && isOpen(session, marker) ? leaf.name : marker.name,
  );
  if (after === undefined) return `${name} never reached`;
  const earlier = leaf === undefined ? undefined : session.seen.first(leaf);
  const reference = `${quote(after.name)} (line ${after.event.place.line})`;
  if (earlier !== undefined && earlier.index < after.event.index) {
    return `${name} happened (line ${earlier.place.line}), but before ${reference}`;
  }
  return `${name} never reached after ${reference}`;
}

/** A block of which a part is found: its next part is what is missing. */
function isOpen({ matcher }: Session, marker: NodePlan): boolean {
  return marker.kind === "block" && matcher.progress.uses.some(({ leaf }) => leaf.root === marker.root);
}

function explainSetback(leaf: LeafPlan, setback: Setback, after: Found | undefined): string {
  const name = quote(leaf.name);
  const { line } = setback.event.place;
  switch (setback.kind) {
    case "too slow": {
      const took = duration(setback.event.at - setback.after.at);
      const from = after === undefined ? "the first event" : quote(after.name);
      return `${name} came ${took} after ${from} (lines ${setback.after.place.line}, ${line}), limit ${duration(setback.limitMs)}`;
    }
    case "spoiled":
      return `${name} (line ${line}) does not count: ${quote(nameOf(setback.spoiler))} in between (line ${setback.spoiler.place.line})`;
    case "other value":
      return explainOtherValue(leaf, setback, after);
    case "not next": {
      const place =
        after === undefined ? "the first event" : `right after ${quote(after.name)} (line ${after.event.place.line})`;
      return `${name} (line ${line}) was not ${place}`;
    }
  }
}

function explainOtherValue(
  leaf: LeafPlan,
  { event, waiting }: Extract<Setback, { kind: "other value" }>,
  after: Found | undefined,
): string {
  const failed = leaf.pattern.check.diagnose(event.event, waiting.bindings).find(({ ok }) => !ok);
  const got = failed?.got === undefined ? "no value" : show(failed.got);
  const path = failed?.path.split(".").at(-1) ?? "value";
  const had = failed === undefined ? "another" : show(failed.want as JsonValue);
  const reference = after === undefined ? "needed" : `${quote(after.name)} (line ${after.event.place.line}) had`;
  return `${quote(leaf.name)} (line ${event.place.line}) has ${path} ${got}, but ${reference} ${had}`;
}

/** `3 of 5 different data.chatId seen (a, b, c; line 3, 7, 9)`; undefined when no repetition is under way. */
export function explainRepetition({ waiting }: Progress): string | undefined {
  if (waiting === undefined || waiting.leaf.repeat === 1 || waiting.repetitions.length === 0) return undefined;
  const { leaf, repetitions } = waiting;
  const lines = repetitions.map(({ place }) => place.line).join(", ");
  const paths = leaf.node.distinct ?? [];
  const count = `${repetitions.length} of ${leaf.repeat}`;
  if (paths.length === 0) return `${count} seen (line ${lines})`;
  const values = repetitions.map(({ event }) => leaf.distinct.map((path) => show(path.get(event) ?? null)).join("/"));
  return `${count} different ${paths.map(({ text }) => text).join(" and ")} seen (${values.join(", ")}; line ${lines})`;
}

/** A name in the quotes reasons use. */
export function quote(name: string): string {
  return `'${name}'`;
}

function nameOf({ event }: Occurrence): string {
  const name = event["name"];
  return typeof name === "string" ? name : "an event";
}

function show(value: JsonValue): string {
  return typeof value === "string" ? value : stringifyJson(value);
}
