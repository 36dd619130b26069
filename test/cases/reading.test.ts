import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { closeSync, openSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { Readable } from "node:stream";
import test from "node:test";
import { gradeLogs } from "../../grader/grade.ts";
import { createRunIds } from "../../grader/run-id.ts";
import { openStore } from "../../grader/store/store.ts";
import { caseFile, gradeCase, gradeText } from "../support/grading.ts";
import { loadNeutral } from "../support/neutral.ts";
import { needsShared, PROJECT, SHARED } from "../support/project.ts";
import { scratchFolder } from "../support/scratch.ts";

function needsCase(id: string): { skip: false | string } {
  return needsShared("cases", id);
}

test("C07: a record cut over two files is joined", needsCase("C07"), async (t) => {
  const folder = scratchFolder(t);
  writeFileSync(join(folder, "t-1.log"), caseFile("C07", "log.1.ndjson"));
  writeFileSync(join(folder, "t-2.log"), caseFile("C07", "log.2.ndjson"));
  const scenarios = [loadNeutral(caseFile("C07", "scenario.yaml").toString("utf8"))];
  const { document } = await gradeLogs({ logs: [folder], scenarios });
  assert.deepEqual(
    document.results.map(({ verdict, events, lines_bad }) => [verdict, events, lines_bad]),
    [["pass", 3, 0]],
  );
});

test("C07: the first file alone ends inside a record, which is told with file and line", needsCase("C07"), async () => {
  const result = await gradeCase("C07", "scenario.yaml", ["log.1.ndjson"]);
  assert.equal(result.verdict, "inconclusive");
  assert.deepEqual(
    result.bad_lines.map(({ file, line }) => [basename(file), line]),
    [["log.1.ndjson", 2]],
  );
});

test("D01: ids that differ beyond 2^53 stay different", needsCase("D01"), async (t) => {
  const result = await gradeCase("D01", "scenario.yaml", ["ids.ndjson"]);
  assert.deepEqual([result.verdict, result.found, result.not_found], ["fail", ["a"], ["b"]]);
  const distinct = `waymark: 1
scenario: ids
rules: [{ name: two ids, count: { event: x }, distinct: props.id, min: 2, max: 2 }]
`;
  const document = await gradeText(scratchFolder(t), caseFile("D01", "ids.ndjson"), distinct);
  assert.equal(document.verdict, "pass");
});

test("D02: junk after a record makes the line bad", needsCase("D02"), async () => {
  const result = await gradeCase("D02", "scenario.yaml", ["log.ndjson"]);
  assert.equal(result.verdict, "inconclusive");
  assert.deepEqual(
    result.bad_lines.map(({ line }) => line),
    [2],
  );
  assert.deepEqual([result.found, result.not_found, result.events], [["a"], ["b", "c"], 2]);
});

test("D05: every chunking of stdin gives the same records", needsCase("D05"), async () => {
  const bytes = caseFile("D05", "boundary.ndjson");
  const scenario = loadNeutral(`name: d05
ordered: true
markers:
  - { id: a, match: { name: a } }
  - { id: b, match: { name: "na\u00efve-\u{1f600}" } }
  - { id: c, match: { name: c } }
`);
  for (let size = 1; size <= 64; size++) {
    const chunks = Array.from({ length: Math.ceil(bytes.length / size) }, (_, index) =>
      bytes.subarray(index * size, (index + 1) * size),
    );
    const stdin = Readable.from(chunks, { objectMode: false });
    const { document } = await gradeLogs({ logs: ["-"], scenarios: [scenario], stdin });
    assert.deepEqual([document.verdict, document.results[0]?.events], ["pass", 3], `chunks of ${size}`);
  }
});

test("D05: a file whose 65536th byte is inside a character", needsCase("D05"), async () => {
  const lines = caseFile("D05", "big.ndjson").toString("utf8").split("\n").filter(Boolean);
  const last = JSON.parse(lines.at(-1) ?? "{}") as { name: string };
  const scenario = loadNeutral(
    `name: big\nordered: true\nmarkers: [{ id: last, match: { name: ${JSON.stringify(last.name)} } }]\n`,
  );
  const log = join(SHARED, "cases", "D05", "big.ndjson");
  const { document } = await gradeLogs({ logs: [log], scenarios: [scenario] });
  assert.deepEqual(
    [document.verdict, document.results[0]?.events, document.results[0]?.lines_bad],
    ["pass", lines.length, 0],
  );
});

test("D06: null, 0 and [] are counted and end nothing", needsCase("D06"), async () => {
  const result = await gradeCase("D06", "scenario.yaml", ["log.ndjson"]);
  assert.equal(result.verdict, "pass");
  assert.deepEqual(
    result.bad_lines.map(({ line }) => line),
    [2, 3, 4],
  );
});

test("D07: blank lines are silent, a broken one is told, a last line needs no newline", needsCase("D07"), async () => {
  const result = await gradeCase("D07", "scenario.yaml", ["log.ndjson"]);
  assert.deepEqual([result.verdict, result.found], ["pass", ["a", "b", "c"]]);
  assert.deepEqual(
    result.bad_lines.map(({ line }) => line),
    [5],
  );
});

test("D09: names with NUL and lone surrogates stay different, also in the database", needsCase("D09"), async (t) => {
  const folder = scratchFolder(t);
  const names = ["x\0y", "x", "s\ud800", "s\ufffd"];
  const store = openStore(join(folder, "waymark.db"));
  t.after(() => store.close());
  const newRunId = createRunIds(() => 0);
  for (const name of names) {
    const quoted = JSON.stringify(name);
    const scenario = `waymark: 1
scenario: d09
markers: [{ name: ${quoted}, event: ${quoted}, repeat: 1 }]
rules: [{ name: once, count: { event: ${quoted} }, min: 1, max: 1 }]
`;
    const document = await gradeText(folder, caseFile("D09", "log.ndjson"), scenario, { store, newRunId });
    assert.equal(document.verdict, "pass", quoted);
  }
  const stored = store.listRuns().map(({ id }) => store.getRun(id).result.found[0]);
  assert.deepEqual(stored.toReversed(), names);
});

const isBig = process.env["WAYMARK_BIG"] === "1";

test("D10: 671 MB in a 256 MB heap, flat", {
  skip: isBig ? needsCase("D10").skip : "slow; WAYMARK_BIG=1 runs it",
}, async (t) => {
  const folder = scratchFolder(t);
  const log = join(folder, "big.ndjson");
  const out = openSync(log, "w");
  const made = spawn("sh", [join(SHARED, "cases", "D10", "make-big.sh")], { stdio: ["ignore", out, "inherit"] });
  await once(made, "close");
  closeSync(out);
  const child = join(PROJECT, "dist", "test", "support", "grade-child.js");
  const done = spawnSync(process.execPath, ["--max-old-space-size=256", child, log, "end"], { encoding: "utf8" });
  assert.equal(done.status, 0, done.stderr);
  const { verdict, events, rssMb } = JSON.parse(done.stdout) as { verdict: string; events: number; rssMb: number };
  assert.deepEqual([verdict, events], ["pass", 5_500_001]);
  assert.ok(rssMb < 300, `${rssMb} MB`);
  t.diagnostic(`peak ${rssMb} MB`);
});

test("L03: nothing forbidden happened is no pass when nothing happened", needsCase("L03"), async (t) => {
  assert.equal((await gradeCase("L03", "scenario.yaml", ["empty.ndjson"])).verdict, "inconclusive");
  assert.throws(() => loadNeutral(caseFile("L03", "nomarkers.yaml").toString("utf8")), { code: "WM_SCENARIO_EMPTY" });
  const document = await gradeText(scratchFolder(t), "", "waymark: 1\nscenario: s\nmarkers: [{ name: a, event: a }]\n");
  assert.deepEqual([document.verdict, document.exit_code], ["inconclusive", 3]);
});

test("L04: a required marker that is missing makes the verdict fail", needsCase("L04"), async () => {
  const result = await gradeCase("L04", "scenario.yaml", ["log.ndjson"]);
  assert.deepEqual([result.verdict, result.success, result.not_found], ["fail", false, ["b"]]);
  assert.deepEqual(
    result.markers.map(({ name, status }) => [name, status]),
    [
      ["a", "found"],
      ["b", "missing"],
      ["c", "skipped"],
    ],
  );
});

test("E05: equal events count one by one, and each serves one marker", needsCase("E05"), async (t) => {
  assert.equal((await gradeCase("E05", "scenario-aba.yaml", ["same.ndjson"])).verdict, "pass");
  assert.equal((await gradeCase("E05", "scenario-aab.yaml", ["same.ndjson"])).verdict, "fail");
  const count = `waymark: 1
scenario: count
rules: [{ name: twice, count: { event: A }, min: 2, max: 2 }]
`;
  const document = await gradeText(scratchFolder(t), caseFile("E05", "same.ndjson"), count);
  assert.equal(document.verdict, "pass");
});
