import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import fc from "fast-check";
import { accepts } from "../../grader/scenario/accept.ts";
import { fileSchema } from "../../grader/scenario/schema.ts";
import { shippedSchema } from "../../grader/scenario/shipped.ts";
import { isEventModifier, parseYaml, toPlain } from "../../grader/scenario/yaml.ts";
import { isObject, type JsonValue } from "../../proxy/record/json.ts";
import { PROJECT } from "../support/project.ts";

const SCHEMA = shippedSchema() as JsonValue;
/** With every key of the language that the shipped ones lack. */
const OTHERS = `
waymark: 1
scenario: all
use: [a.yaml]
events: {name: n, order: time, lateness: 2s, session: [a, b], sessions: any, session_end: bye, idle: 5m, id: x}
params: {user: {type: string, default: "x"}, list: {required: true}}
define: {open: {event: opened}, many: [open, {any: [open, {not: open}]}]}
markers:
  - open
  - {event: a, where: {k: 1, "n|gt": 2}, within: 5s, without: open, capture: {v: data.v}, weight: 0.5, optional: true}
  - {any_order: [open, [open, {event: b}]]}
  - {one_of: [{event: c}, [open]], advisory: true}
  - {sequence: [open, {event: d}], repeat: 2, distinct: data.id, timespan: 1m}
timespan: 10m
rules:
  - {never: open, after: open, until: {event: z}}
  - {count: open, min: 0, max: 3, per: [a], severity: warn}
  - {each: open, must: {x: 1}}
  - {span: {start: open, end: {event: e}, max: 3s}, between: [open, open]}
checks: [{file_exists: {path: x}}]
budget: {cost: 1.5, duration: 1m, tokens: 100}
on_cut: complete
limits: {line_bytes: 100}
pass_at: 0.5
examples: [{capture: a.log, verdict: pass}]
`;

const WRONG: readonly JsonValue[] = [
  null,
  true,
  0,
  -1,
  1.5,
  1e300,
  2 ** 53,
  "",
  "x",
  "5s",
  "5",
  [],
  {},
  { event: 1 },
  [[]],
];
const KEYS = ["waymark", "event", "where", "name", "repeat", "within", "unknown", "__proto__", "all", "never", "max"];

test("the cheap check of shapes and the one that explains agree on scenarios and on what is made of them", () => {
  const folder = join(PROJECT, "markers");
  const shipped = readdirSync(folder).filter((name) => name.endsWith(".yaml"));
  const texts = [...shipped.map((name) => readFileSync(join(folder, name), "utf8")), OTHERS];
  const roots = texts.map((text) => {
    const { root } = parseYaml(text, "x.yaml");
    assert.ok(root);
    return toPlain(root, isEventModifier);
  });
  for (const root of roots) assert.ok(accepts(SCHEMA, root), JSON.stringify(root));
  let refused = 0;
  const property = fc.property(fc.nat(roots.length - 1), fc.infiniteStream(fc.nat(1_000_000)), (which, numbers) => {
    const value = changed(structuredClone(roots[which] ?? null), numbers);
    const isRight = fileSchema.safeParse(value).success;
    if (!isRight) refused += 1;
    const isAccepted = accepts(SCHEMA, value);
    // The cheap one may leave a key of that name to the other, and never the other way round.
    if (isRight && !isAccepted) assert.match(JSON.stringify(value), /"__proto__"/);
    else assert.equal(isAccepted, isRight, JSON.stringify(value));
  });
  fc.assert(property, { numRuns: 3000 });
  assert.ok(refused > 500 && refused < 2900, `${refused} of 3000 were refused`);
});

/** Puts something else at one place, takes it away or adds to it. */
function changed(value: JsonValue, numbers: Iterator<number>): JsonValue {
  const pick = <T>(from: readonly T[]): T => from[(numbers.next().value ?? 0) % from.length] as T;
  const goesDeeper = pick([true, true, true, false]);
  if (Array.isArray(value) && value.length > 0 && goesDeeper) {
    const at = pick([...value.keys()]);
    return value.map((item, index) => (index === at ? changed(item, numbers) : item));
  }
  if (isObject(value) && Object.keys(value).length > 0 && goesDeeper) {
    const key = pick(Object.keys(value));
    return Object.fromEntries(
      Object.entries(value).map(([name, own]) => [name, name === key ? changed(own, numbers) : own]),
    );
  }
  if (isObject(value) && pick([true, false])) {
    return Object.fromEntries([...Object.entries(value), [pick(KEYS), pick(WRONG)]]);
  }
  return pick(WRONG);
}
