import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import test, { type TestContext } from "node:test";
import { github } from "../../../grader/report/reporters/github.ts";
import type { ResultDocument } from "../../../grader/verdict.ts";
import { batchOf } from "../../support/batches.ts";
import { hostileResult } from "../../support/hostile-results.ts";
import { documentOf, failedResult } from "../../support/results.ts";
import { scratchFolder } from "../../support/scratch.ts";

function report(t: TestContext, document: ResultDocument, env: Record<string, string> = {}) {
  const folder = scratchFolder(t);
  const [summary, output] = [join(folder, "summary.md"), join(folder, "output")];
  for (const file of [summary, output]) writeFileSync(file, "");
  const parts: string[] = [];
  const options = { write: (part: string) => void parts.push(part), colour: false, detail: 1 } as const;
  const own = { GITHUB_STEP_SUMMARY: summary, GITHUB_OUTPUT: output, ...env };
  github.create({ ...options, env: own, reportFile: "out/report.html" }).onEnd?.(document);
  const lines = parts.join("").split("\n").slice(0, -1);
  return { lines, summary: readFileSync(summary, "utf8"), output: readFileSync(output, "utf8") };
}

test("an annotation stands on the YAML line of the missed marker", (t) => {
  const { lines } = report(t, documentOf(failedResult()));
  assert.match(
    lines[0] ?? "",
    /^::error file=markers\/simple_collab_switch\.yaml,line=31,col=5,title=waymark fail%3A /,
  );
  assert.equal(lines.length, 1);
});

test("at most ten annotations, most severe first, and the last says how many were left out", (t) => {
  const fails = Array.from({ length: 14 }, (_, at) => failedResult({ scenario: `s${at}` }));
  const error = failedResult({ scenario: "broken", verdict: "error" });
  const { lines } = report(t, documentOf(...fails, error));
  assert.equal(lines.length, 10);
  assert.match(lines[0] ?? "", /broken/);
  assert.equal(lines[9], "::error title=waymark::6 more problems left out; the job's summary has them");
});

test("runs that failed in the same place are one annotation", (t) => {
  const parts: string[] = [];
  github.create({ write: (part) => void parts.push(part), colour: false, detail: 1 }).onBatch?.(batchOf("PFFF"));
  assert.equal(parts.length, 1);
  assert.match(parts[0] ?? "", /never reached \(3 of 4 runs\)/);
  t.diagnostic(parts.join(""));
});

test("a name can neither end an annotation nor begin one", (t) => {
  const { lines, output } = report(t, documentOf(hostileResult()));
  assert.equal(lines.length, 1);
  const properties = /^::error (.*?)::/.exec(lines[0] ?? "")?.[1] ?? "";
  assert.deepEqual(
    properties.split(",").map((property) => property.split("=")[0]),
    ["file", "line", "col", "title"],
  );
  assert.equal(output.split("\n").length, 4);
});

test("outputs: verdict, pass rate and the report's file", (t) => {
  const passed = failedResult({ verdict: "pass", success: true });
  const { output } = report(t, documentOf(failedResult(), passed, passed));
  assert.equal(output, "verdict=fail\npass_rate=0.6667\nreport=out/report.html\n");
});

test("a summary is cut at 900 kB with a note, well under the 1 MiB that GitHub takes", (t) => {
  const reason = "x".repeat(30_000);
  const many = Array.from({ length: 60 }, (_, at) => failedResult({ scenario: `s${at}`, reason }));
  const { summary } = report(t, documentOf(...many));
  assert.ok(Buffer.byteLength(summary) < 1_048_576);
  assert.match(summary, /This summary was cut at 900 kB; the report has the rest\.\n$/);
  assert.equal(summary.match(/<details>/g)?.length, summary.match(/<\/details>/g)?.length);
});

test("without GitHub's files only annotations are written", () => {
  const parts: string[] = [];
  const reporter = github.create({ write: (part) => void parts.push(part), colour: false, detail: 1, env: {} });
  assert.doesNotThrow(() => reporter.onEnd?.(documentOf(failedResult())));
  assert.equal(parts.length, 1);
});
