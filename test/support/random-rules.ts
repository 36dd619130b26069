import fc from "fast-check";
import type { JsonObject, JsonValue } from "../../proxy/record/json.ts";

const names = fc.constantFrom<JsonValue>("a", "b", "c", "x", ["a", "b"], ["b", "x"]);
const millis = fc.constantFrom("0ms", "1ms", "2ms", "4ms");

/** A pattern; `key` adds `id: $k`. */
function pattern(key: boolean): fc.Arbitrary<JsonObject> {
  return names.map((name) => (key ? { name, id: "$k" } : { name }));
}

const capture = { capture: { k: "id" } };

function optional<T extends JsonValue>(value: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> {
  return fc.option(value, { nil: undefined, freq: 2 });
}

/** A rule with the keys that have a value. */
function rule(shape: Record<string, fc.Arbitrary<JsonValue | undefined>>): fc.Arbitrary<JsonObject> {
  return fc
    .record(shape)
    .map((keys) => Object.fromEntries(Object.entries(keys).filter(([, value]) => value !== undefined)) as JsonObject);
}

/** Scope keys, with the captures of the trigger when `keyed`. */
function withKeys(
  keyed: boolean,
  shape: Record<string, fc.Arbitrary<JsonValue | undefined>>,
): fc.Arbitrary<JsonObject> {
  return rule(shape).map((json) => (keyed ? { ...json, ...capture } : json));
}

function scoped(keyed: boolean): fc.Arbitrary<JsonObject> {
  const trigger = pattern(false);
  const other = pattern(keyed);
  const between = fc.tuple(trigger, other);
  const options = { within: optional(millis), without: optional(other), immediately: optional(fc.constant(true)) };
  return fc.oneof(
    withKeys(keyed, { never: other, after: trigger, immediately: optional(fc.constant(true)) }),
    withKeys(keyed, { never: other, between }),
    withKeys(keyed, { never: other, after: trigger, until: other }),
    withKeys(keyed, { after: trigger, expect: other, ...options }),
    withKeys(keyed, { before: trigger, expect: other, ...options }),
    withKeys(keyed, { expect: other, between }),
    withKeys(keyed, { count: other, between, max: fc.constantFrom(0, 1, 2), min: optional(fc.constantFrom(1, 2)) }),
    withKeys(keyed, {
      count: other,
      after: trigger,
      until: other,
      max: optional(fc.constantFrom(0, 1)),
      min: fc.constantFrom(1, 2),
    }),
    withKeys(keyed, { span: fc.record({ start: trigger, end: other, max: millis, must_end: fc.boolean() }) }),
  );
}

const unscoped: fc.Arbitrary<JsonObject> = fc.oneof(
  rule({ never: pattern(false), before: optional(pattern(false)) }),
  rule({ expect: pattern(false), within: optional(millis) }),
  rule({
    count: pattern(false),
    min: optional(fc.constantFrom(0, 1, 2, 3)),
    max: optional(fc.constantFrom(1, 2, 3)),
    distinct: optional(fc.constant("id")),
    per: optional(fc.constant("id")),
    timespan: optional(millis),
    before: optional(pattern(false)),
  }),
  rule({ each: pattern(false), must: fc.constantFrom<JsonValue>({ id: "1" }, { not: { id: "1" } }) }),
  rule({ if: pattern(false), expect: pattern(false) }),
  rule({ if: pattern(false), never: pattern(false) }),
  rule({ first: pattern(false) }),
  rule({ last: pattern(false) }),
);

/** Random rules: every verb, every scope, with and without keys. */
export const rules: fc.Arbitrary<JsonObject> = fc
  .oneof(unscoped, scoped(false), scoped(true))
  .filter(({ count, min, max }) => count === undefined || isRange(min, max));

/** The loader refuses a count without bounds, or with bounds nothing can fit. */
function isRange(min: JsonValue | undefined, max: JsonValue | undefined): boolean {
  if (min === undefined && max === undefined) return false;
  return min === undefined || max === undefined || Number(min) <= Number(max);
}
