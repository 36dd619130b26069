import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { compileProgram } from "../../grader/match/program.ts";
import { modifierSummaries } from "../../grader/operators/modifiers.ts";
import { parseScenario } from "../../grader/scenario/parse-scenario.ts";
import { scenarioSchema } from "../../grader/scenario/schema.ts";
import type { JsonValue } from "../../proxy/record/json.ts";
import { golden } from "../support/golden.ts";
import { needsShared, PROJECT, SHARED } from "../support/project.ts";

interface Schema {
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly anyOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
  readonly items?: Schema;
  readonly $ref?: string;
  readonly definitions?: Readonly<Record<string, Schema>>;
}

const PAGE = join(PROJECT, "docs", "markers.md");
const HEADING = "## Reference\n";

function keysOf(schema: Schema): readonly (readonly [string, string])[] {
  const own = schema.properties ?? schema.anyOf?.find(({ properties }) => properties !== undefined)?.properties ?? {};
  return Object.entries(own).map(([key, { description }]) => [key, description ?? ""] as const);
}

function table(head: string, rows: readonly (readonly [string, string])[]): string {
  const lines = rows.map(([name, says]) => `| \`${name}\` | ${says.replaceAll("|", "\\|")} |`);
  return `| ${head} | meaning |\n| --- | --- |\n${lines.join("\n")}`;
}

function reference(): string {
  const root = scenarioSchema() as Schema;
  const { events = {}, limits = {}, budget = {} } = root.properties ?? {};
  const sections = [
    "Made from the code: the loader's own schema, which is also what `markers/scenario.schema.json` gives to editors.",
    `### The file\n\n${table("key", keysOf(root))}`,
    `### A marker\n\n${table("key", keysOf(root.definitions?.["marker"] ?? {}))}`,
    `### A rule\n\n${table("key", keysOf(root.definitions?.["rule"] ?? {}))}`,
    `### Reading events\n\n${table("key", keysOf(events))}`,
    `### Budget\n\n${table("key", keysOf(budget))}`,
    `### Limits\n\n${table("key", keysOf(limits))}`,
    `### Modifiers of a field test\n\nWritten \`path|modifier: value\`; several may follow one another.\n\n${table("modifier", modifierSummaries())}`,
  ];
  return `${sections.join("\n\n")}\n`;
}

function yamlBlocks(page: string): string[] {
  return [...page.matchAll(/```yaml\n([\s\S]*?)```/g)].map((match) => match[1] ?? "");
}

/** Loads and compiles; parameters that a run would have to give get a text. */
function mustLoad(text: string, name: string): void {
  const { scenario, texts } = parseScenario(text, name);
  const params = new Map<string, JsonValue>(
    scenario.params.flatMap(({ name: param, default: value }) => (value === undefined ? [[param, "x"]] : [])),
  );
  compileProgram(scenario, params, texts);
}

test("docs/markers.md has a reference made from the code", () => {
  const page = readFileSync(PAGE, "utf8");
  const tutorial = page.slice(0, page.indexOf(HEADING) + HEADING.length);
  golden(PAGE, `${tutorial}\n${reference()}`);
});

test("every example in the docs and the README loads and compiles", () => {
  for (const file of ["README.md", "docs/markers.md"]) {
    const blocks = yamlBlocks(readFileSync(join(PROJECT, file), "utf8"));
    assert.ok(blocks.length > 0, file);
    for (const [index, block] of blocks.entries())
      assert.doesNotThrow(() => mustLoad(block, `${file} example ${index + 1}`));
  }
});

test("every example of the language's design loads and compiles", needsShared("LANGUAGE.md"), () => {
  const blocks = yamlBlocks(readFileSync(join(SHARED, "LANGUAGE.md"), "utf8"));
  const scenarios = blocks.filter((block) => /^(waymark|markers|rules|define|params|events):/m.test(block));
  const whole = scenarios.filter((block) => /^(markers|rules):/m.test(block));
  assert.ok(whole.length >= 8);
  for (const [index, block] of whole.entries()) {
    const head = block.includes("waymark: 1") ? "" : `waymark: 1\n`;
    const id = /^scenario:/m.test(block) ? "" : `scenario: example_${index}\n`;
    assert.doesNotThrow(() => mustLoad(`${head}${id}${block}`, `example ${index + 1}`));
  }
});
