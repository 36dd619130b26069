import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { scenarioSchema } from "../../grader/scenario/schema.ts";
import { PROJECT } from "../support/project.ts";

const FILE = join(PROJECT, "markers", "scenario.schema.json");

test("markers/scenario.schema.json is what the code generates (UPDATE_GOLDEN=1 rewrites it)", () => {
  const generated = `${JSON.stringify(scenarioSchema(), undefined, 2)}\n`;
  if (process.env["UPDATE_GOLDEN"] === "1" && process.env["CI"] === undefined) writeFileSync(FILE, generated);
  assert.equal(readFileSync(FILE, "utf8").replaceAll("\r\n", "\n"), generated);
});
