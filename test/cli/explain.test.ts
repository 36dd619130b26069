import assert from "node:assert/strict";
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { waymark } from "../support/processes.ts";
import { scratchFolder } from "../support/scratch.ts";

const SCENARIO = `waymark: 1
scenario: search
markers:
  - { name: Search Dialog, event: view_shown, where: { data.view: search } }
  - { name: Search Results, event: results, where: { data.count|gte: 1, data.source: index } }
`;

const EVENTS = [
  { name: "results", time: "2026-01-31T12:00:00.000Z", data: { count: 3, source: "index" } },
  { name: "view_shown", time: "2026-01-31T12:00:01.000Z", data: { view: "search" } },
  { name: "results", time: "2026-01-31T12:00:02.500Z", data: { count: 0, source: "index" } },
  { name: "results", time: "2026-01-31T12:00:03.000Z", data: { count: 0, source: "cache" } },
];

test("explain shows what was expected after what, and the nearest events field test by field test", async (t) => {
  const cwd = scratchFolder(t);
  writeFileSync(join(cwd, "search.yaml"), SCENARIO);
  writeFileSync(join(cwd, "run.ndjson"), EVENTS.map((event) => `${JSON.stringify(event)}\n`).join(""));
  assert.equal((await waymark(["grade", "run.ndjson", "-s", "search.yaml", "-q"], { cwd })).code, 1);

  const said = await waymark(["explain", "latest"], { cwd });
  assert.equal(said.code, 0, said.stderr);
  assert.match(said.stdout, /after {4}'Search Dialog' \(run\.ndjson:2\)/);
  assert.match(said.stdout, /run\.ndjson:1, before 'Search Dialog': out of order/);
  assert.match(said.stdout, /run\.ndjson:3, 1\.5 s later/);
  assert.match(said.stdout, /✗ data\.count = 0, wanted at least 1/);

  assert.equal((await waymark(["explain", "latest-failed"], { cwd })).stdout, said.stdout);
  assert.match((await waymark(["explain", "label:none"], { cwd })).stderr, /WM_RUN_NOT_FOUND/);

  const { stdout } = await waymark(
    ["explain", "run.ndjson", "Search Results", "-s", "search.yaml", "--json", "--nearest", "1"],
    { cwd },
  );
  const document = JSON.parse(stdout) as {
    marker: string;
    nearest: { line: number; stands: string; failed: unknown[] }[];
  };
  assert.equal(document.marker, "Search Results");
  assert.deepEqual(
    document.nearest.map(({ line, stands, failed }) => ({ line, stands, failed: failed.length })),
    [{ line: 1, stands: "before", failed: 0 }],
  );
  const typo = await waymark(["explain", "latest", "Search Result"], { cwd });
  assert.equal(typo.code, 2);
  assert.match(typo.stderr, /did you mean "Search Results"/);
});

test("of a log that is gone, or was a stream, explain says that it cannot look at it, and does not take another for it", async (t) => {
  const cwd = scratchFolder(t);
  writeFileSync(join(cwd, "search.yaml"), SCENARIO);
  const log = EVENTS.map((event) => `${JSON.stringify(event)}\n`).join("");
  assert.equal((await waymark(["grade", "-", "-s", "search.yaml", "-q"], { cwd, stdin: log })).code, 1);
  const other = await waymark(["explain", "latest"], { cwd, stdin: log });
  assert.match(other.stdout, /no event to look at: - was a stream, which can be read only once/);

  writeFileSync(join(cwd, "run.ndjson"), log);
  assert.equal((await waymark(["grade", "run.ndjson", "-s", "search.yaml", "-q"], { cwd })).code, 1);
  rmSync(join(cwd, "run.ndjson"));
  const gone = await waymark(["explain", "latest"], { cwd });
  assert.match(gone.stdout, /no event to look at: run\.ndjson does not exist/);

  const streamed = await waymark(["explain", "-", "-s", "search.yaml"], { cwd, stdin: log });
  assert.equal(streamed.code, 2);
  assert.match(streamed.stderr, /explain reads a log twice, and stdin can be read only once/);
});
