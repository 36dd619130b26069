import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
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
