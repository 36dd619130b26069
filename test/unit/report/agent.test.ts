import assert from "node:assert/strict";
import test from "node:test";
import { code } from "../../../grader/report/agent-text.ts";
import { agent } from "../../../grader/report/reporters/agent.ts";
import { ndjson } from "../../../grader/report/reporters/ndjson.ts";
import { tap } from "../../../grader/report/reporters/tap.ts";
import { batchOf } from "../../support/batches.ts";
import { documentOf, failedResult } from "../../support/results.ts";

type Hooks = ReturnType<typeof agent.create>;

function said(reporter: typeof agent, tell: (hooks: Hooks) => void): string {
  const parts: string[] = [];
  tell(reporter.create({ write: (part) => void parts.push(part), colour: false, detail: 1 }));
  return parts.join("");
}

test("an agent is told of failures only, in at most 60 lines, with the next commands", () => {
  const many = Array.from({ length: 80 }, (_, at) => failedResult({ scenario: `s${at}` }));
  const text = said(agent, ({ onEnd }) => onEnd?.(documentOf(...many)));
  const lines = text.trimEnd().split("\n");
  assert.ok(lines.length <= 60, `${lines.length} lines`);
  assert.match(text, /other failures left out/);
  assert.match(text, /- waymark explain /);
  const passed = said(agent, ({ onEnd }) => onEnd?.(documentOf(failedResult({ verdict: "pass" }))));
  assert.doesNotMatch(passed, /##/);
});

test("a name with backticks stays within its code span", () => {
  assert.equal(code("a"), "`a`");
  assert.equal(code("a`b"), "``a`b``");
  assert.equal(code("`"), "`` ` ``");
  assert.equal(code("``` x"), "```` ``` x ````");
});

test("ndjson tells in the order of things, each once, whether or not anybody told while it happened", () => {
  const document = batchOf("PF");
  const eventsOf = (text: string): string[] =>
    text
      .trimEnd()
      .split("\n")
      .map((line) => (JSON.parse(line) as { event: string }).event);
  const late = eventsOf(said(ndjson, ({ onBatch }) => onBatch?.(document)));
  const run = ["run.start", "marker.reached", "run.end"];
  assert.deepEqual(late, ["batch.start", ...run, ...run, "batch.end"]);
  const live = said(ndjson, (hooks) => {
    hooks.onBatchStart?.({ batch: "01BATCH", started_at: "", scenarios: ["s"], runs: 2 });
    for (const [at, { id }] of document.trials.entries()) {
      hooks.onTrialStart?.({ trial: id, index: at + 1, retries: 0, started_at: "" });
      hooks.onMarker?.({ trial: id, scenario: "s", marker: "a", position: 1 });
      hooks.onTrialEnd?.({ trial: id, index: at + 1, verdict: "pass", results: [] });
    }
    hooks.onBatch?.(document);
  });
  assert.deepEqual(eventsOf(live), late);
});

test("tap: what a met gate forgives is a TODO, and a # in a name begins no directive", () => {
  const text = said(tap, ({ onBatch }) => onBatch?.(batchOf("PPF", { gate: "50%" })));
  assert.match(text, /^TAP version 14\n1\.\.3\nok 1 - s, run 1\/3\n/);
  assert.match(text, /^not ok 3 - s, run 3\/3 # TODO the gate is met all the same$/m);
  const hostile = said(tap, ({ onEnd }) => onEnd?.(documentOf(failedResult({ scenario: "a # SKIP b" }))));
  assert.match(hostile, /^not ok 1 - a \\# SKIP b, /m);
});
