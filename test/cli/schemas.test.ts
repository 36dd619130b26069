import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { DEFAULT_SPRT } from "../../grader/statistics/sprt.ts";
import { summarise } from "../../grader/trials/summarise.ts";
import { CELL, factsOf, trialOf } from "../support/batches.ts";
import { scratchFolder } from "../support/scratch.ts";
import { say } from "../support/terminal.ts";

interface Schema {
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly definitions: Readonly<Record<string, Schema>>;
}

/** What a value has that the schema does not know, and lacks that the schema requires. */
function differences(
  value: object,
  { properties = {}, required = [] }: Pick<Schema, "properties" | "required">,
): string[] {
  const strange = Object.keys(value).filter((key) => properties[key] === undefined);
  const lacking = required.filter((key) => !Object.hasOwn(value, key));
  return [...strange.map((key) => `unknown ${key}`), ...lacking.map((key) => `without ${key}`)];
}

test("the published schema of results has every key of a real result, and asks for no other", async (t) => {
  const folder = scratchFolder(t);
  writeFileSync(
    join(folder, "x.yaml"),
    "waymark: 1\nscenario: x\nmarkers:\n  - { name: A, event: a }\n  - { name: B, event: b, where: { data.k: 1 } }\nrules:\n  - { name: R, never: { event: c } }\n",
  );
  writeFileSync(join(folder, "x.ndjson"), '{"name":"a"}\n{"name":"b","data":{"k":2}}\n{"name":"c"}\nbroken\n');
  const { stdout } = await say([
    "grade",
    join(folder, "x.ndjson"),
    "-s",
    join(folder, "x.yaml"),
    "--no-store",
    "--json",
  ]);
  const schema = JSON.parse((await say(["schema", "result"])).stdout) as Schema;
  const document = JSON.parse(stdout) as { results: [{ markers: object[]; rules: object[]; stream: object }] };
  const [result] = document.results;
  assert.deepEqual(differences(document, schema), []);
  assert.deepEqual(differences(result, schema.definitions["result"] ?? schema), []);
  for (const marker of result.markers)
    assert.deepEqual(differences(marker, schema.definitions["marker"] ?? schema), []);
  for (const rule of result.rules) assert.deepEqual(differences(rule, schema.definitions["rule"] ?? schema), []);
  assert.deepEqual(differences(result.stream, schema.definitions["stream"] ?? schema), []);
});

test("the published schema of batches has every key of a real batch, and asks for no other", async () => {
  const schema = JSON.parse((await say(["schema", "batch"])).stdout) as Schema;
  const cells = ["A", "B"].flatMap((variant) => ["t1", "t2"].map((task) => ({ ...CELL, variant, task })));
  const more = {
    used: { cost_usd: 1, tokens: 5, at_least: ["cost" as const] },
    measures: { steps: 3, verification_action_rate: 0.5 },
    self_report: { claim: "done", claims_success: true },
  };
  const trials = Array.from({ length: 24 }, (_, at) => {
    const { variant, task } = cells[at % 4] ?? { variant: "A", task: "t1" };
    const note = at === 3 ? { end: { kind: "timeout", afterMs: 1000 } as const } : {};
    return trialOf(at + 1, at % 5 === 0 ? "fail" : "pass", { ...more, ...note, variant, task });
  });
  const agreement = {
    claimed_passed: 1,
    claimed_failed: 1,
    denied_passed: 0,
    denied_failed: 0,
    accuracy: 0.5,
    precision: 0.5,
    recall: 1,
    f1: 0.67,
    kappa: null,
    disagreeing: [],
    words: "",
  };
  const design = { kind: "sequential", cells, sprt: DEFAULT_SPRT } as const;
  const document = summarise(factsOf(trials, { sprt: DEFAULT_SPRT, design, agreement, comparisons: [{}] }));
  const definition = (name: string): Schema => schema.definitions[name] ?? schema;
  assert.deepEqual(differences(document, schema), []);
  for (const group of document.groups) {
    assert.deepEqual(differences(group, definition("group")), []);
    assert.deepEqual(differences(group.stats, definition("stats")), []);
    assert.deepEqual(differences(group.duration ?? {}, definition("spread")), []);
    assert.deepEqual(differences(group.cost ?? {}, definition("total")), []);
    assert.deepEqual(differences(group.tokens ?? {}, definition("total")), []);
    assert.deepEqual([group.cost?.median, group.cost?.total, group.cost?.at_least], [undefined, group.stats.n, true]);
    for (const measure of group.measures ?? []) assert.deepEqual(differences(measure, definition("measure")), []);
    assert.ok(group.counterparts?.some(({ counterpart }) => counterpart === "verification_action_rate"));
  }
  for (const row of document.runs) assert.deepEqual(differences(row, definition("run")), []);
  for (const mean of document.overall ?? []) assert.deepEqual(differences(mean, definition("overall")), []);
  assert.equal(document.overall?.length, 2);
  assert.deepEqual(differences(document.sprt ?? {}, definition("sprt")), []);
  assert.deepEqual(differences(document.gate, definition("gate")), []);
  assert.deepEqual(differences(document.agreement ?? {}, definition("agreement")), []);
});
