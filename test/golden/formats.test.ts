import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { DECODERS } from "../../proxy/decoders/index.ts";
import { golden } from "../support/golden.ts";
import { PROJECT } from "../support/project.ts";
import { lineOf, testPipeline } from "../support/records.ts";
import { exchangeFromBytes } from "../support/requests.ts";

// One captured request of each format (`.req`, with its answer in `.res` where that counts) and the records it becomes.

const FOLDER = join(PROJECT, "test", "fixtures", "formats");
const GENERIC: ReadonlySet<string> = new Set(["ndjson", "json", "raw"]);

test("every decoder of a format has its golden pair", () => {
  const known = new Set(readdirSync(FOLDER).map((file) => file.replace(/\.[a-z]+$/, "")));
  const missing = DECODERS.map(({ name }) => name).filter((name) => !GENERIC.has(name) && !known.has(name));
  assert.deepEqual(missing, []);
});

for (const file of readdirSync(FOLDER).filter((name) => name.endsWith(".req"))) {
  const format = file.replace(".req", "");
  test(`${format}: a captured request becomes these records`, () => {
    const records = testPipeline().records(exchangeWithAnswer(format));
    const lines = records.map((record, index) => `${lineOf(record, index + 1)}\n`);
    for (const line of lines) assert.ok(line.includes(`"format":"${format}"`), line);
    golden(join(FOLDER, `${format}.ndjson`), lines.join(""));
  });
}

function exchangeWithAnswer(format: string) {
  const request = { ...exchangeFromBytes(readFileSync(join(FOLDER, `${format}.req`))), id: "r1" };
  const file = join(FOLDER, `${format}.res`);
  if (!existsSync(file)) return request;
  // the status stands where a request has its target
  const { target, headers, body } = exchangeFromBytes(readFileSync(file));
  return { ...request, response: { status: Number(target), headers, body, truncated: false } };
}
