import assert from "node:assert/strict";
import test from "node:test";
import { seededRandom } from "../../examples/chat/random.ts";
import { learnRuns } from "../../grader/learn/learn.ts";
import { createPredictor, type HeldRun } from "../../grader/learn/predict.ts";
import { parseScenario } from "../../grader/scenario/parse-scenario.ts";
import type { JsonObject } from "../../proxy/record/json.ts";
import { caseFile } from "../support/grading.ts";
import { needsShared } from "../support/project.ts";

interface Line {
  readonly run: number;
  readonly ts: string;
  readonly name: string;
  readonly props: JsonObject;
}

/** The case's runs, each line wrapped as a record of the log. */
function runsOf(id: string, file: string): readonly HeldRun[] {
  const lines = caseFile(id, file)
    .toString("utf8")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as Line);
  return [...new Set(lines.map(({ run }) => run))].map((run) => ({
    name: String(run),
    params: new Map(),
    events: lines.filter((line) => line.run === run).map(({ ts, name, props }) => ({ name, time: ts, data: props })),
  }));
}

test(
  "L06: 20 orders of the runs give one file, and names of any length one marker",
  needsShared("cases", "L06"),
  () => {
    const runs = runsOf("L06", "users.ndjson");
    const { text } = learnRuns(runs, "users");
    for (let seed = 0; seed < 20; seed++) {
      const random = seededRandom([seed]);
      const left = [...runs];
      const shuffled = runs.flatMap(() => left.splice(random.below(left.length), 1));
      assert.equal(learnRuns(shuffled, "users").text, text);
    }
    assert.equal(parseScenario(text, "users.yaml").scenario.markers.length, 1);
  },
);

test("L05: what is opposite by one word stays opposite, and bad runs fail", needsShared("cases", "L05"), () => {
  const run = (id: number, word: string): HeldRun => ({
    name: String(id),
    params: new Map(),
    events: [{ name: "vm", time: `2025-01-01T00:00:0${id % 10}Z`, data: { text: `VM ${id * 7919} ${word}` } }],
  });
  const predictor = createPredictor(
    learnRuns(
      Array.from({ length: 10 }, (_, id) => run(id, "Started")),
      "vm",
    ).text,
  );
  for (let id = 10; id < 20; id++) {
    assert.equal(predictor.grade(run(id, "Started")).verdict, "pass");
    assert.equal(predictor.grade(run(id, "Paused")).verdict, "fail");
  }
});
