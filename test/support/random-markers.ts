import fc from "fast-check";
import type { JsonObject, JsonValue } from "../../proxy/record/json.ts";
import type { TimedEvent } from "./brute-force.ts";

/** Random logs: few names, few ids, times that often tie, so that everything collides. */
export function logs(maxLength: number): fc.Arbitrary<TimedEvent[]> {
  const event = fc.record(
    { name: fc.constantFrom("a", "b", "c", "x"), step: fc.constantFrom(0, 1, 1, 2, 3), id: fc.constantFrom("1", "2") },
    { requiredKeys: ["name", "step"] },
  );
  return fc.array(event, { maxLength }).map((list) => {
    let t = 0;
    return list.map(({ step, ...rest }) => {
      t += step;
      return { t, ...rest } as TimedEvent;
    });
  });
}

const name = fc.constantFrom<JsonValue>("a", "b", "c", ["a", "b"], ["b", "c"]);
const millis = fc.constantFrom("0ms", "1ms", "2ms", "3ms", "5ms");

function optionally(shape: Record<string, fc.Arbitrary<JsonValue>>): fc.Arbitrary<JsonObject> {
  return fc.record(shape, { requiredKeys: [] }) as fc.Arbitrary<JsonObject>;
}

/** Keys of a marker beside its pattern; seldom many at once. `capturing` decides what it may refer to. */
function extras(isTimed: boolean): fc.Arbitrary<JsonObject> {
  const limits = isTimed
    ? [optionally({ within: millis }), optionally({ timespan: millis, repeat: fc.constant(2) })]
    : [];
  return fc.oneof(
    { weight: 4, arbitrary: fc.constant({}) },
    optionally({ without: fc.constant({ name: "x" }) }),
    optionally({ optional: fc.constant(true) }),
    optionally({ immediately: fc.constant(true) }),
    optionally({ repeat: fc.constantFrom(2, 3), distinct: fc.constant("id") }),
    optionally({ repeat: fc.constantFrom(2, 3), same: fc.constant("id") }),
    optionally({ repeat: fc.constantFrom(2, 3), without: fc.constantFrom({ name: "x" }, { name: "a" }) }),
    ...limits,
  );
}

function single(isTimed: boolean): fc.Arbitrary<JsonObject> {
  return fc.tuple(name, extras(isTimed)).map(([one, keys]) => ({ ...keys, where: { name: one } }));
}

function block(isTimed: boolean): fc.Arbitrary<JsonObject> {
  const list = fc.array(single(isTimed), { minLength: 1, maxLength: 2 });
  const keys = fc.oneof(
    { weight: 3, arbitrary: fc.constant({}) },
    optionally({ repeat: fc.constant(2), same: fc.constant("id"), distinct: fc.constant("id") }),
    optionally({ optional: fc.constant(true) }),
    optionally({ without: fc.constant({ name: "x" }) }),
    ...(isTimed ? [optionally({ timespan: millis, repeat: fc.constant(2) }), optionally({ within: millis })] : []),
  );
  const body = fc.oneof(
    fc.array(list, { minLength: 2, maxLength: 2 }).map((lists) => ({ any_order: lists })),
    fc.array(list, { minLength: 2, maxLength: 2 }).map((lists) => ({ one_of: lists })),
    list.map((items) => ({ sequence: items })),
  );
  return fc.tuple(body, keys).map(([one, more]) => ({ ...more, ...one }) as JsonObject);
}

/** A captured value and markers that refer to it. */
const correlated: fc.Arbitrary<JsonObject[]> = fc
  .tuple(name, name, optionally({ within: millis }), fc.boolean(), fc.option(single(true), { nil: undefined }))
  .map(([first, second, limit, spoils, middle]) => [
    { where: { name: first }, capture: { k: "id" } },
    ...(middle === undefined ? [] : [middle]),
    { where: { name: second, id: "$k" }, ...limit, ...(spoils ? { without: { name: "x", id: "$k" } } : {}) },
  ]);

/** Random marker lists with every construct of the language. */
export function markerLists(isTimed: boolean): fc.Arbitrary<{ markers: JsonObject[]; timespan?: string }> {
  const item = fc.oneof({ weight: 3, arbitrary: single(isTimed) }, { weight: 2, arbitrary: block(isTimed) });
  const list = fc.array(item, { minLength: 1, maxLength: 3 });
  const markers = isTimed ? fc.oneof({ weight: 4, arbitrary: list }, correlated) : list;
  const timespan = isTimed ? fc.option(millis, { nil: undefined, freq: 3 }) : fc.constant(undefined);
  return fc
    .tuple(markers, timespan)
    .map(([chosen, limit]) => ({ markers: chosen, ...(limit === undefined ? {} : { timespan: limit }) }));
}
