import assert from "node:assert/strict";
import test from "node:test";
import { importsOf, reachableFrom, sourcesIn } from "../../support/import-graph.ts";

/** Everything that has a say in a verdict, an exit code of one, or a rate. */
const DECIDING = [
  "grader/grade.ts",
  ...["gate", "sprt", "tally", "interval"].map((name) => `grader/statistics/${name}.ts`),
  ...["read", "scenario", "operators", "match", "store"].flatMap((room) => sourcesIn(`grader/${room}`)),
];
const READS_REPORT = /\/(?:self-report|self-report-claims|agreement)\.ts$/;

test("nothing that leads to a verdict leads to the self-report", () => {
  const reached = reachableFrom(DECIDING);
  assert.ok(reached.has("grader/match/matcher.ts") && reached.has("grader/budget.ts"), "the graph is walked");
  assert.deepEqual(
    [...reached].filter((file) => READS_REPORT.test(file) || file.startsWith("grader/trials/")),
    [],
  );
});

test("only the trials' presentation and the command line read the self-report", () => {
  const readers = ["proxy", "grader", "cli", "certs"]
    .flatMap(sourcesIn)
    .filter((file) => importsOf(file).some((target) => /\/self-report(?:-claims)?\.ts$/.test(target)));
  const outside = readers.filter((file) => !/^(?:grader\/trials|grader\/evaluator|cli)\//.test(file));
  assert.deepEqual(outside, []);
});

test("what says how a run is graded never names a claim", async () => {
  const { readFileSync } = await import("node:fs");
  const { join } = await import("node:path");
  const { PROJECT } = await import("../../support/project.ts");
  const naming = [...reachableFrom(["grader/grade.ts"])]
    .filter((file) => !file.startsWith("grader/store/"))
    .filter((file) => /self_?report|claims_success/i.test(readFileSync(join(PROJECT, file), "utf8")));
  assert.deepEqual(naming, []);
});
