import assert from "node:assert/strict";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { configSchema } from "../../cli/config-schema.ts";
import { PROJECT } from "../support/project.ts";

const FILE = join(PROJECT, "docs", "config.schema.json");

test("docs/config.schema.json is what the verbs' options make of it (UPDATE_GOLDEN=1 rewrites it)", async () => {
  const generated = `${JSON.stringify(await configSchema(), undefined, 2)}\n`;
  if (process.env["UPDATE_GOLDEN"] === "1" && process.env["CI"] === undefined) writeFileSync(FILE, generated);
  assert.ok(existsSync(FILE), "UPDATE_GOLDEN=1 writes it");
  assert.equal(readFileSync(FILE, "utf8").replaceAll("\r\n", "\n"), generated);
});
