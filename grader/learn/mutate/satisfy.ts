import { isObject, type JsonObject } from "../../../proxy/record/json.ts";
import type { Bindings } from "../../operators/operand.ts";
import { isEventShorthand } from "../../operators/path-access.ts";
import type { FieldPath, Where } from "../../scenario/ast.ts";
import { changeAt, setAt } from "./edit.ts";
import type { Subject } from "./subject.ts";
import { type Candidate, likelyValues, otherValues } from "./values.ts";

/** Candidates looked at for one event before giving up. */
const MOST_TRIES = 3000;

/** An event that satisfies a pattern, made from another (or from nothing); undefined when none was found. */
export function satisfy(
  subject: Subject,
  where: Where,
  bindings: Bindings,
  from: JsonObject = {},
): JsonObject | undefined {
  if (subject.test(where, from, bindings)) return from;
  const maker = makerFor(subject, bindings);
  return firstOf(maker.satisfying(where, from), (event) => subject.test(where, event, bindings));
}

/**
 * Events made from this one that satisfy the pattern no more, a changed value before a missing one; each with what was
 * done. `rest`: what should go on holding, where that can be had.
 */
export function violations(
  subject: Subject,
  where: Where,
  bindings: Bindings,
  from: JsonObject,
): readonly JsonObject[] {
  const maker = makerFor(subject, bindings);
  const isOther = (event: JsonObject): boolean => !subject.test(where, event, bindings);
  const changed = firstOf(maker.violating(where, from), isOther);
  const removed = firstOf(maker.without(where, from), isOther);
  return [changed, removed].filter((event) => event !== undefined);
}

function firstOf(events: Iterable<JsonObject>, fits: (event: JsonObject) => boolean): JsonObject | undefined {
  let tries = 0;
  for (const event of events) {
    if (fits(event)) return event;
    tries += 1;
    if (tries > MOST_TRIES) return undefined;
  }
  return undefined;
}

interface Maker {
  satisfying(where: Where, event: JsonObject): Iterable<JsonObject>;
  violating(where: Where, event: JsonObject): Iterable<JsonObject>;
  without(where: Where, event: JsonObject): Iterable<JsonObject>;
}

function makerFor(subject: Subject, captured: Bindings): Maker {
  const bindings = new Map([...subject.params, ...captured]);
  const place = (path: FieldPath): FieldPath => (isEventShorthand(path) ? subject.scenario.events.name : path);

  function* satisfying(where: Where, event: JsonObject): Generator<JsonObject> {
    switch (where.kind) {
      case "all":
        return yield* inTurn(where.items, event, satisfying);
      case "any":
        for (const item of where.items) yield* satisfying(item, event);
        return;
      case "not":
        return yield* violating(where.item, event);
      case "nested":
        return yield* inside(where, event, satisfying);
      case "field":
        if (subject.test(where, event, captured)) yield event;
        for (const value of likelyValues(where, bindings)) {
          for (const made of changed(event, place(where.path), value))
            if (subject.test(where, made, captured)) yield made;
        }
    }
  }

  function* violating(where: Where, event: JsonObject): Generator<JsonObject> {
    switch (where.kind) {
      case "all":
        for (const item of where.items) yield* violating(item, event);
        return;
      case "any":
        return yield* inTurn(where.items, event, violating);
      case "not":
        return yield* satisfying(where.item, event);
      case "nested":
        return yield* inside(where, event, violating);
      case "field": {
        if (!subject.test(where, event, captured)) yield event;
        const current = subject.read(where.path).get(event);
        for (const value of otherValues(where, current, bindings)) {
          for (const made of changed(event, place(where.path), value))
            if (!subject.test(where, made, captured)) yield made;
        }
      }
    }
  }

  function* without(where: Where, event: JsonObject): Generator<JsonObject> {
    if (where.kind === "field" || where.kind === "nested") yield* changed(event, place(where.path), undefined);
    else if (where.kind !== "not") for (const item of where.items) yield* without(item, event);
  }

  function* inside(
    where: Where & { kind: "nested" },
    event: JsonObject,
    how: Maker["satisfying"],
  ): Generator<JsonObject> {
    const current = subject.read(where.path).get(event);
    for (const value of how(where.where, isObject(current) ? current : {})) yield* changed(event, where.path, value);
  }

  return { satisfying, violating, without };
}

/** The event with one item after the other seen to, every way. */
function* inTurn(items: readonly Where[], event: JsonObject, how: Maker["satisfying"]): Generator<JsonObject> {
  const [first, ...rest] = items;
  if (first === undefined) {
    yield event;
    return;
  }
  for (const made of how(first, event)) yield* inTurn(rest, made, how);
}

function* changed(event: JsonObject, path: FieldPath, value: Candidate): Generator<JsonObject> {
  const made = setAt(event, path, value);
  if (made !== undefined && made !== event) yield made;
  // a list on the way has the value in its place
  if (path.kind === "dotted" && path.segments.some(({ kind }) => kind === "each") && value !== undefined) {
    const one = changeAt(event, path, (old) => old ?? value);
    if (one !== undefined) yield one;
  }
}
