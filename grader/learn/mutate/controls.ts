import { isObject, type JsonObject } from "../../../proxy/record/json.ts";
import { type Base, delayFrom, describeEvent, dress, unrelated } from "./base.ts";
import { setAt } from "./edit.ts";
import { limitsOf } from "./marker-defects.ts";
import type { Mutant } from "./mutant.ts";
import type { Random } from "./random.ts";
import { nodesOf } from "./subject.ts";
import { later } from "./times.ts";

const ROUNDS = 3;

/** Changes that leave the meaning as it is: none may change the verdict. */
export function controls(base: Base, random: Random): readonly Mutant[] {
  return [
    ...Array.from({ length: ROUNDS }, () => noise(base, random)),
    ...otherSession(base),
    ...Array.from({ length: ROUNDS }, () => jitter(base, random)).flat(),
    ...shift(base),
    ...atLimits(base),
    ...redeliveries(base, random),
    extraField(base),
  ];
}

/** The run with events between that no scenario means; the places by chance. */
function noise(base: Base, random: Random): Mutant {
  const made: JsonObject[] = [];
  let number = 0;
  for (let position = 0; position <= base.events.length; position++) {
    if (random.next() < 0.5) made.push(...putBeside(base, position, number++));
    const event = base.events[position];
    if (event !== undefined) made.push(event);
  }
  return { kind: "unrelated", what: `put ${number} unrelated events in between`, events: made };
}

function putBeside(base: Base, position: number, number: number): readonly JsonObject[] {
  return [dress(base, unrelated(base, number), { position, index: 0 })];
}

/** An unrelated event before each event and at the end: what a real log looks like beside a made-up one. */
export function withNoise(base: Base): readonly JsonObject[] {
  const between = base.events.flatMap((event, position) => [...putBeside(base, position, position), event]);
  return [...between, ...putBeside(base, base.events.length, base.events.length)];
}

/** The same run once more, at the same time, in a session of its own. */
function otherSession(base: Base): readonly Mutant[] {
  const { session, id } = base.subject.scenario.events;
  if (session === undefined) return [];
  const events = base.events.flatMap((event, index) => {
    let other: JsonObject = event;
    for (const path of session) {
      const value = base.subject.read(path).get(event);
      if (value !== undefined && value !== null) other = setAt(other, path, `${String(value)}-waymark`) ?? other;
    }
    if (other === event) return [event];
    const value = id === undefined ? undefined : base.subject.read(id).get(event);
    if (id !== undefined && value !== undefined) other = setAt(other, id, `waymark-${index}-${String(value)}`) ?? other;
    return [event, other];
  });
  return [{ kind: "session", what: "interleave the same run in another session", events }];
}

/** All gaps shrink, each by another share up to a half, so every limit is kept. */
function jitter(base: Base, random: Random): readonly Mutant[] {
  const { times, events, subject } = base;
  if (times.every((at) => at === undefined)) return [];
  let previous: number | undefined;
  let clock: number | undefined;
  const moved = events.map((event, index) => {
    const at = times[index];
    if (at === undefined) return event;
    const gap = at - (previous ?? at);
    // a step back is kept as it is: it counts as no time at all
    clock = (clock ?? at) + (gap > 0 ? Math.floor(gap * (0.5 + random.next() / 2)) : gap);
    previous = at;
    return later(event, clock - at, { profile: subject.scenario.events, at });
  });
  return [{ kind: "jitter", what: "shorten every gap by up to a half", events: moved }];
}

function shift(base: Base): readonly Mutant[] {
  if (base.times.every((at) => at === undefined)) return [];
  return [{ kind: "shift", what: "shift all times by an hour", events: delayFrom(base, 0, 3_600_000) }];
}

/** Limits are inclusive: just at the limit is in time. */
function atLimits(base: Base): readonly Mutant[] {
  return nodesOf(base.subject.scenario.markers).flatMap((node) =>
    limitsOf(base, node).map(({ position, slackMs, limit }) => ({
      kind: "limit" as const,
      what: `delay ${describeEvent(base, position)} to exactly ${limit}`,
      get events() {
        return delayFrom(base, position, Math.floor(slackMs));
      },
    })),
  );
}

/** Deliveries that count as none: a retry that the SDK made, the same id again. */
function redeliveries(base: Base, random: Random): readonly Mutant[] {
  const { retries, id } = base.subject.scenario.events;
  if (retries === "count" || base.events.length === 0) return [];
  const chosen = new Set(Array.from({ length: ROUNDS }, () => random.below(base.events.length)));
  const again = (repeat: (event: JsonObject) => readonly JsonObject[]): readonly JsonObject[] =>
    base.events.flatMap((event, index) => (chosen.has(index) ? [event, ...repeat(event)] : [event]));
  const retried = again((event) => [
    { ...event, $capture: { ...(isObject(event["$capture"]) ? event["$capture"] : {}), retry: true } },
  ]);
  const made: Mutant[] = [{ kind: "redelivery", what: "deliver events again as retries", events: retried }];
  if (id !== undefined) {
    const same = again((event) => (base.subject.read(id).get(event) === undefined ? [] : [event]));
    made.push({ kind: "redelivery", what: "deliver events again with the same id", events: same });
  }
  return made;
}

function extraField(base: Base): Mutant {
  const events = base.events.map((event) => ({ ...event, waymark_extra: "x" }));
  return { kind: "field", what: "give every event a field nobody knows", events };
}
