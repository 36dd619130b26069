import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { formatJsonSchema } from "../../proxy/formats/schema.ts";
import { PROJECT } from "../support/project.ts";

const FILE = join(PROJECT, "docs", "format.schema.json");

test("docs/format.schema.json is what the code generates (UPDATE_GOLDEN=1 rewrites it)", () => {
  const generated = `${JSON.stringify(formatJsonSchema(), undefined, 2)}\n`;
  if (process.env["UPDATE_GOLDEN"] === "1" && process.env["CI"] === undefined) writeFileSync(FILE, generated);
  assert.equal(readFileSync(FILE, "utf8").replaceAll("\r\n", "\n"), generated);
});
