import assert from "node:assert/strict";
import { join } from "node:path";
import test from "node:test";
import { broadcast } from "../../grader/report/broadcast.ts";
import type { Reporter, ReporterHooks } from "../../grader/report/reporter.ts";
import { REPORTERS } from "../../grader/report/reporters/index.ts";
import { summarise } from "../../grader/trials/summarise.ts";
import type { ScenarioResult } from "../../grader/verdict.ts";
import { batchOf, factsOf, trialOf } from "../support/batches.ts";
import { golden } from "../support/golden.ts";
import { HOSTILE, hostileBatch, hostileResult } from "../support/hostile-results.ts";
import { PROJECT } from "../support/project.ts";
import { documentOf, failedResult } from "../support/results.ts";

async function render(reporter: Reporter, tell: (hooks: ReporterHooks) => void, colour = false): Promise<string> {
  const parts: string[] = [];
  const hooks = reporter.create({ write: (part) => void parts.push(part), colour, detail: 1 });
  tell(hooks);
  await hooks.finish?.();
  return parts.join("");
}

function results(...all: readonly ScenarioResult[]): (hooks: ReporterHooks) => void {
  return (hooks) => {
    for (const result of all) hooks.onResult?.(result);
    hooks.onEnd?.(documentOf(...all));
  };
}

/** What no output may hold: control characters but line ends, and marks that turn or break a line. */
function unsafe(text: string): readonly string[] {
  return [...text].filter(
    (character) => !"\n\t".includes(character) && /[\p{Cc}\p{Bidi_Control}\u2028\u2029]/u.test(character),
  );
}

for (const reporter of REPORTERS) {
  const { name } = reporter;
  // The page is packed and tells the time, so it is looked at in a browser instead.
  const reviewed = { skip: name === "html" ? "the page is reviewed in test/e2e/report.test.ts" : false };

  test(`${name}: a failed result reads as reviewed`, reviewed, async () => {
    const text = await render(reporter, results(failedResult()));
    golden(join(PROJECT, "test", "golden", "reporters", `${name}.txt`), text);
  });

  test(`${name}: a batch reads as reviewed`, reviewed, async () => {
    const text = await render(reporter, (hooks) => hooks.onBatch?.(batchOf("PPFEI-")));
    golden(join(PROJECT, "test", "golden", "reporters", `${name}-batch.txt`), text);
  });

  test(`${name}: text from telemetry cannot steer a terminal`, async () => {
    for (const tell of [results(hostileResult()), (hooks: ReporterHooks) => hooks.onBatch?.(hostileBatch())]) {
      const bad = unsafe(await render(reporter, tell));
      // JSON's own escapes are enough for JSON, whose readers are programs.
      const isJson = name === "json" || name === "ndjson";
      assert.deepEqual(isJson ? bad.filter((character) => character < " ") : bad, []);
    }
  });

  test(`${name}: no results is fine`, async () => {
    await assert.doesNotReject(render(reporter, results()));
  });

  test(`${name}: without colour there are no escapes`, async () => {
    assert.ok(!(await render(reporter, results(failedResult()))).includes("\u001b"));
  });

  test(`${name}: hooks of a batch under way are optional, and harmless when they are called`, async () => {
    const document = batchOf("PF");
    const [first] = document.trials;
    assert.ok(first !== undefined);
    await assert.doesNotReject(
      render(reporter, (hooks) => {
        hooks.onBatchStart?.({ batch: "b", started_at: "", scenarios: [HOSTILE], runs: 2 });
        hooks.onTrialStart?.({ trial: first.id, index: 1, retries: 0, started_at: "" });
        hooks.onMarker?.({ trial: first.id, scenario: "s", marker: "a", position: 1 });
        hooks.onTrialEnd?.({ trial: first.id, index: 1, verdict: "pass", results: [] });
        hooks.onBatch?.(document);
      }),
    );
  });
}

test("a reporter that throws is named once, and the others go on", async () => {
  const heard: string[] = [];
  const failures: string[] = [];
  const fail = (): never => {
    throw new Error("no");
  };
  const all = broadcast(
    [
      { name: "broken", hooks: { onResult: fail, onEnd: () => void heard.push("broken") } },
      { name: "late", hooks: { finish: async () => fail() } },
      {
        name: "sound",
        hooks: {
          onResult: ({ scenario }) => void heard.push(scenario),
          finish: async () => void heard.push("finished"),
        },
      },
    ],
    (name) => void failures.push(name),
  );
  all.result(failedResult());
  all.result(failedResult());
  all.end(documentOf());
  await all.finish();
  assert.deepEqual(heard, ["simple_collab_switch", "simple_collab_switch", "finished"]);
  assert.deepEqual(failures, ["broken", "late"]);
});

/** What each machine's format has to be, whatever the names in it are. */
const FORMS: Readonly<Record<string, (text: string) => void>> = {
  json: (text) => void JSON.parse(text),
  ndjson: (text) =>
    text
      .trimEnd()
      .split("\n")
      .forEach((line) => void JSON.parse(line)),
  junit: (text) => {
    assert.doesNotMatch(text, /<img|<script|<\/script|<!--|<!\[CDATA/);
    assert.equal((text.match(/<testsuites /g) ?? []).length, 1);
  },
  html: (text) => assert.doesNotMatch(text, /<img src=x/),
  markdown: (text) => assert.doesNotMatch(text, /^::error|^<img/m),
  tap: (text) => assert.match(text, /^TAP version 14\n/),
  github: (text) => {
    const commands = text.split("\n").filter((line) => line.startsWith("::"));
    assert.ok(commands.length <= 10 && commands.every((line) => /^::(?:error|warning|notice)[ :]/.test(line)), text);
  },
};

for (const [name, check] of Object.entries(FORMS)) {
  test(`${name}: hostile names leave it a sound document`, async () => {
    const reporter = REPORTERS.find((one) => one.name === name);
    assert.ok(reporter);
    check(await render(reporter, results(hostileResult())));
    check(await render(reporter, (hooks) => hooks.onBatch?.(hostileBatch())));
  });
}

test("json is one document that keeps every value", async () => {
  const json = REPORTERS.find(({ name }) => name === "json");
  assert.ok(json);
  const text = await render(json, results(failedResult()));
  assert.deepEqual(JSON.parse(text), JSON.parse(JSON.stringify(documentOf(failedResult()))));
});

for (const reporter of REPORTERS.filter(({ name }) => name !== "html")) {
  test(`${reporter.name}: a batch with every kind of trouble reads as reviewed`, async () => {
    const said = { claim: HOSTILE, claims_success: true };
    const silent = { code: "WM_RUN_NO_TELEMETRY", message: `no telemetry reached the proxy\nstderr: ${HOSTILE}` };
    const trials = [
      trialOf(1, "pass", { self_report: { claim: "done", claims_success: true }, used: { cost_usd: 0.041 } }),
      trialOf(2, "fail", { self_report: said, used: { cost_usd: 0.0042, at_least: ["cost"] } }),
      trialOf(3, "inconclusive", { error: silent }),
      trialOf(4, "error", { end: { kind: "failed", reason: "ENOENT" } }),
      trialOf(4, "pass", { retries: 1, end: { kind: "timeout", afterMs: 2000 } }),
      trialOf(5, undefined),
    ];
    const text = await render(reporter, (hooks) => hooks.onBatch?.(summarise(factsOf(trials, { stoppedWith: 130 }))));
    golden(
      join(PROJECT, "test", "golden", "reporters", `${reporter.name}-batch-trouble.txt`),
      text.replaceAll(/"waymark":"[^"]*"/g, '"waymark":"0"'),
    );
    const isJson = reporter.name === "json" || reporter.name === "ndjson";
    assert.deepEqual(isJson ? unsafe(text).filter((character) => character < " ") : unsafe(text), []);
  });
}
