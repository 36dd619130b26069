import assert from "node:assert/strict";
import { appendFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { type GradeRequest, gradeLogs } from "../../../grader/grade.ts";
import type { LoadedScenario } from "../../../grader/scenario/load.ts";
import { parseScenario } from "../../../grader/scenario/parse-scenario.ts";
import type { ResultDocument, ScenarioResult } from "../../../grader/verdict.ts";
import { waymarkError } from "../../../proxy/record/fault.ts";
import { controlLine, eventLine } from "../../support/log-lines.ts";
import { scratchFolder } from "../../support/scratch.ts";

function scenario(id: string, names: readonly string[], more = ""): LoadedScenario {
  const markers = names.map((name) => `  - { name: ${name}, event: ${name} }\n`).join("");
  return parseScenario(`waymark: 1\nscenario: ${id}\n${more}markers:\n${markers}`, `markers/${id}.yaml`);
}

async function grade(request: GradeRequest): Promise<ResultDocument> {
  return (await gradeLogs(request)).document;
}

function only(document: ResultDocument): ScenarioResult {
  const [result] = document.results;
  assert.ok(result !== undefined && document.results.length === 1);
  return result;
}

test("one pass grades several scenarios, and each result carries every key of the contract", async (t) => {
  const log = join(scratchFolder(t), "t-0.log");
  writeFileSync(log, `${controlLine("start") + eventLine("x", 1) + eventLine("a", 2)}\n${eventLine("b", 3)}`);
  const document = await grade({ logs: [log], scenarios: [scenario("good", ["a", "b"]), scenario("bad", ["b", "a"])] });
  assert.deepEqual([document.schema, document.verdict, document.exit_code], ["waymark.result/1", "fail", 1]);
  const [good, bad] = document.results;
  assert.ok(good && bad);
  assert.deepEqual([good.scenario, good.verdict, good.success, good.matched_in_order], ["good", "pass", true, true]);
  assert.deepEqual([good.found, good.not_found, good.match_indices, good.coverage], [["a", "b"], [], [2, 4], 1]);
  assert.deepEqual([good.events, good.lines_bad, good.bad_lines], [3, 0, []]);
  assert.deepEqual([good.log, good.file], [log, "markers/good.yaml"]);
  assert.match(good.range, /^capture of 2026-01-01T00:00:00\.000Z, /);
  assert.match(good.markers_sha256, /^[0-9a-f]{64}$/);
  assert.match(good.run, /^[0-9A-Z]{26}$/);
  assert.notEqual(good.run, bad.run);
  assert.deepEqual([good.started_at, good.duration_ms], ["2026-01-01T00:00:01.000Z", 2000]);
  const [first, second] = good.markers;
  assert.deepEqual([first?.file, first?.line, first?.record, first?.after_ms], [log, 3, 2, 0]);
  assert.deepEqual([second?.line, second?.record, second?.after_ms], [5, 4, 1000]);
  assert.deepEqual([bad.verdict, bad.found, bad.not_found, bad.coverage], ["fail", ["b"], ["a"], 0.5]);
});

test("an old good run never passes for today's bad one", async (t) => {
  const folder = scratchFolder(t);
  writeFileSync(join(folder, "t-0.log"), controlLine("start") + eventLine("a", 1));
  writeFileSync(join(folder, "t-1.log"), controlLine("start") + eventLine("b", 2));
  const scenarios = [scenario("s", ["a"])];
  assert.equal((await grade({ logs: [folder], scenarios })).verdict, "fail");
  assert.equal((await grade({ logs: [folder], scenarios, all: true })).verdict, "pass");
  assert.equal((await grade({ logs: [join(folder, "t-0.log")], scenarios })).verdict, "pass");
  const since = await grade({ logs: [folder], scenarios, since: "2026-01-01T00:00:02Z" });
  assert.equal(since.verdict, "fail");
});

test("no log and no event are inconclusive, with exit code 3", async (t) => {
  const folder = scratchFolder(t);
  writeFileSync(join(folder, "empty.ndjson"), "");
  writeFileSync(join(folder, "bad.ndjson"), "{bad\n");
  writeFileSync(join(folder, "control.ndjson"), controlLine("start") + controlLine("stop"));
  const rule = "rules: [{ name: r, never: { event: z } }]\n";
  const rules = parseScenario(`waymark: 1\nscenario: rules\n${rule}`, "rules.yaml");
  const scenarios = [scenario("s", ["a"]), rules];
  for (const log of ["none.ndjson", "empty.ndjson", "bad.ndjson", "control.ndjson"]) {
    const document = await grade({ logs: [join(folder, log)], scenarios });
    assert.deepEqual([document.verdict, document.exit_code], ["inconclusive", 3], log);
    assert.deepEqual(
      document.results.map(({ verdict, success, events }) => [verdict, success, events]),
      [
        ["inconclusive", false, 0],
        ["inconclusive", false, 0],
      ],
    );
    assert.deepEqual(document.results[0]?.not_found, ["a"], log);
  }
  const none = await grade({ logs: [join(folder, "none.ndjson")], scenarios });
  assert.match(none.results[0]?.reason ?? "", /no log to grade: .*none\.ndjson does not exist/);
});

test("a cut capture is inconclusive where something is missing and says why; --cut makes one", async (t) => {
  const log = join(scratchFolder(t), "x.ndjson");
  writeFileSync(log, eventLine("a", 1) + eventLine("b", 4));
  const missing = only(await grade({ logs: [log], scenarios: [scenario("s", ["a", "z"])] }));
  assert.deepEqual([missing.verdict, missing.stream.end], ["inconclusive", "cut"]);
  assert.match(missing.stream.cut_because ?? "", /records 2 to 3 are missing/);
  assert.equal(only(await grade({ logs: [log], scenarios: [scenario("s", ["a", "b"])] })).verdict, "pass");
  writeFileSync(log, eventLine("a", 1));
  const scenarios = [scenario("s", ["a", "z"])];
  assert.equal((await grade({ logs: [log], scenarios })).verdict, "fail");
  assert.equal((await grade({ logs: [log], scenarios, cut: true })).verdict, "inconclusive");
});

test("bad lines are located and counted", async (t) => {
  const log = join(scratchFolder(t), "x.ndjson");
  writeFileSync(log, `${eventLine("a", 1)}{bad\n\n[]\n${eventLine("b", 2)}`);
  const result = only(await grade({ logs: [log], scenarios: [scenario("s", ["a", "b"])] }));
  assert.deepEqual([result.verdict, result.lines_bad, result.stream.unreadable], ["pass", 2, 2]);
  assert.deepEqual(
    result.bad_lines.map(({ file, line }) => [file, line]),
    [
      [log, 2],
      [log, 4],
    ],
  );
});

test("a scenario that cannot be compiled has the verdict error; the others are graded", async (t) => {
  const log = join(scratchFolder(t), "x.ndjson");
  writeFileSync(log, eventLine("a", 1));
  const needy = scenario("needy", ["a"], "params: { user: { required: true } }\n");
  const document = await grade({ logs: [log], scenarios: [needy, scenario("s", ["a"])] });
  assert.deepEqual([document.verdict, document.exit_code], ["error", 2]);
  assert.deepEqual(
    document.results.map(({ verdict, error }) => [verdict, error?.code]),
    [
      ["error", "WM_SCENARIO_PARAM"],
      ["pass", undefined],
    ],
  );
});

test("each scenario gets the parameters it knows; one that none knows is wrong use", async (t) => {
  const log = join(scratchFolder(t), "x.ndjson");
  writeFileSync(log, eventLine("a", 1, { data: { user: "ann" } }));
  const yaml = `waymark: 1
scenario: user
params: { user: { required: true } }
markers: [{ name: a, event: a, where: { data.user: $user } }]
`;
  const scenarios = [parseScenario(yaml, "user.yaml"), scenario("s", ["a"])];
  assert.equal((await grade({ logs: [log], scenarios, params: new Map([["user", "ann"]]) })).verdict, "pass");
  assert.equal((await grade({ logs: [log], scenarios, params: new Map([["user", "bob"]]) })).verdict, "fail");
  await assert.rejects(grade({ logs: [log], scenarios, params: new Map([["usr", "ann"]]) }), {
    code: "WM_USAGE_PARAM",
  });
});

test("wrong requests are refused: no scenario, a --since that is none", async () => {
  await assert.rejects(grade({ logs: ["x"], scenarios: [] }), { code: "WM_SCENARIO_NOT_FOUND" });
  const scenarios = [scenario("s", ["a"])];
  await assert.rejects(grade({ logs: ["x"], scenarios, since: "noon" }), { code: "WM_USAGE_SINCE" });
});

test("a log that cannot be graded gives the verdict error for it, and the other logs are graded", async (t) => {
  const folder = scratchFolder(t);
  writeFileSync(join(folder, "new.ndjson"), controlLine("start", { record_format: 99 }) + eventLine("a", 1));
  writeFileSync(join(folder, "old.ndjson"), eventLine("a", 1));
  const document = await grade({ logs: [folder], scenarios: [scenario("s", ["a"])] });
  assert.deepEqual(
    document.results.map(({ verdict, error }) => [verdict, error?.code]),
    [
      ["error", "WM_LOG_NEWER_FORMAT"],
      ["pass", undefined],
    ],
  );
  assert.equal(document.exit_code, 3);
});

test("sessions have a result each; sessions: any asks for one", async (t) => {
  const log = join(scratchFolder(t), "x.ndjson");
  const line = (name: string, sid: string): string => `${JSON.stringify({ name, data: { sid } })}\n`;
  writeFileSync(log, line("a", "A") + line("a", "B") + line("b", "B"));
  const all = scenario("s", ["a", "b"], "events: { session: data.sid }\n");
  const document = await grade({ logs: [log], scenarios: [all] });
  assert.deepEqual(
    document.results.map(({ session, verdict }) => [session, verdict]),
    [
      ["A", "fail"],
      ["B", "pass"],
    ],
  );
  assert.equal(document.verdict, "fail");
  const any = scenario("s", ["a", "b"], "events: { session: data.sid, sessions: any }\n");
  const anyDocument = await grade({ logs: [log], scenarios: [any] });
  assert.deepEqual([anyDocument.verdict, anyDocument.exit_code], ["pass", 0]);
  assert.equal(only(await grade({ logs: [log], scenarios: [all], session: "B" })).verdict, "pass");
  const nobody = only(await grade({ logs: [log], scenarios: [all], session: "Z" }));
  assert.deepEqual([nobody.verdict, nobody.reason], ["inconclusive", 'no event of session "Z"']);
});

test("--session looks at $capture.session where the scenario splits nothing", async (t) => {
  const log = join(scratchFolder(t), "x.ndjson");
  writeFileSync(
    log,
    eventLine("a", 1, { capture: { session: "A" } }) + eventLine("b", 2, { capture: { session: "B" } }),
  );
  const scenarios = [scenario("s", ["a"])];
  assert.equal((await grade({ logs: [log], scenarios, session: "A" })).verdict, "pass");
  assert.equal((await grade({ logs: [log], scenarios, session: "B" })).verdict, "fail");
  assert.equal((await grade({ logs: [log], scenarios, session: "C" })).verdict, "inconclusive");
});

test("--wait ends as soon as the verdict is final, also for a log that is not there yet", async (t) => {
  const folder = scratchFolder(t);
  const log = join(folder, "x.ndjson");
  const grading = grade({ logs: [log], scenarios: [scenario("s", ["a", "b"])], waitMs: 60_000 });
  writeFileSync(log, eventLine("a", 1));
  setImmediate(() => appendFileSync(log, eventLine("b", 2)));
  assert.equal(only(await grading).verdict, "pass");
});

test("--wait settles as complete when its time is up", async (t) => {
  const log = join(scratchFolder(t), "x.ndjson");
  writeFileSync(log, eventLine("a", 1));
  const result = only(await grade({ logs: [log], scenarios: [scenario("s", ["a", "b"])], waitMs: 10 }));
  assert.deepEqual([result.verdict, result.stream.end], ["fail", "complete"]);
});

test("a database that cannot be written costs exit code 3, never the verdict", async (t) => {
  const log = join(scratchFolder(t), "x.ndjson");
  writeFileSync(log, eventLine("a", 1));
  const store = {
    saveResult: (): void => {
      throw waymarkError("WM_STORE_FULL", "the disk is full");
    },
  };
  const { document, warnings } = await gradeLogs({ logs: [log], scenarios: [scenario("s", ["a"])], store });
  assert.deepEqual([document.verdict, document.exit_code], ["pass", 3]);
  assert.deepEqual(
    warnings.map(({ code }) => code),
    ["WM_STORE_FULL"],
  );
});

test("whatever goes wrong with storing, the verdict stands", async (t) => {
  const log = join(scratchFolder(t), "x.ndjson");
  writeFileSync(log, eventLine("a", 1));
  const store = {
    saveResult: (): void => {
      throw new TypeError("The database connection is not open");
    },
  };
  const { document, warnings } = await gradeLogs({ logs: [log], scenarios: [scenario("s", ["a"])], store });
  assert.deepEqual([document.verdict, document.exit_code], ["pass", 3]);
  assert.match(warnings[0]?.message ?? "", /could not be stored: The database connection is not open/);
});

test("a wait that no timer can keep is wrong use", async () => {
  const request = { logs: ["x"], scenarios: [scenario("s", ["a"])] };
  for (const waitMs of [2 ** 31, 1e300, Number.POSITIVE_INFINITY, Number.NaN, -1]) {
    await assert.rejects(grade({ ...request, waitMs }), { code: "WM_USAGE_DURATION" }, String(waitMs));
  }
});

test("a number of too many digits is a bad line, also in an event that no marker looks at", async (t) => {
  const log = join(scratchFolder(t), "x.ndjson");
  writeFileSync(
    log,
    `${eventLine("a", 1)}{"name":"x","n":${"7".repeat(4001)}}\n{"name":"x","n":${"7".repeat(4000)}}\n`,
  );
  const result = only(await grade({ logs: [log], scenarios: [scenario("s", ["a", "b"])] }));
  assert.deepEqual([result.events, result.lines_bad, result.verdict], [2, 1, "inconclusive"]);
});

test("files of two captures named one by one mean the newest, as a glob does", async (t) => {
  const folder = scratchFolder(t);
  const logs = ["t-0.log", "t-1.log"].map((file) => join(folder, file));
  writeFileSync(logs[0] ?? "", controlLine("start") + eventLine("a", 1));
  writeFileSync(logs[1] ?? "", controlLine("start") + eventLine("b", 2));
  assert.equal(only(await grade({ logs, scenarios: [scenario("s", ["a"])] })).verdict, "fail");
  assert.equal(only(await grade({ logs, scenarios: [scenario("s", ["b"])] })).verdict, "pass");
});

test("checks of the final state decide in a live run, and are only shown for an old log", async (t) => {
  const log = join(scratchFolder(t), "x.ndjson");
  writeFileSync(log, eventLine("a", 1));
  const checks = "checks: [{ file_exists: { path: out, file_name: report.docx } }]\n";
  const request = { logs: [log], scenarios: [scenario("s", ["a"], checks)] };
  const old = only(await grade(request));
  assert.deepEqual(
    [old.verdict, old.checks.map(({ name, verdict }) => [name, verdict])],
    ["pass", [["file_exists", "not_checked"]]],
  );
  const live = async (verdict: "pass" | "fail" | "inconclusive"): Promise<ScenarioResult> =>
    only(await grade({ ...request, look: async ({ evaluator }) => ({ name: evaluator, verdict, reason: "seen" }) }));
  assert.equal((await live("pass")).verdict, "pass");
  const failed = await live("fail");
  assert.deepEqual(
    [failed.verdict, failed.success, failed.reason],
    ["fail", false, "check 'file_exists' failed: seen"],
  );
  assert.equal((await live("inconclusive")).verdict, "inconclusive");
  const broken = only(await grade({ ...request, look: () => Promise.reject(new Error("no such evaluator")) }));
  assert.deepEqual([broken.verdict, broken.checks[0]?.verdict], ["inconclusive", "error"]);
});

test("the result does not change with how the log is cut into files", async (t) => {
  const lines = Array.from({ length: 12 }, (_, index) => eventLine(["x", "a", "b", "c"][index % 4] ?? "x", index + 1));
  const yaml = `waymark: 1
scenario: s
markers:
  - { name: first a, event: a }
  - { name: first c, event: c }
  - { name: then b, event: b }
  - { name: then c, event: c }
`;
  const scenarios = [parseScenario(yaml, "s.yaml")];
  const gradeCut = async (cuts: readonly number[]): Promise<unknown> => {
    const folder = scratchFolder(t);
    const places = [0, ...cuts, lines.length];
    for (const [index, end] of places.slice(1).entries()) {
      writeFileSync(join(folder, `t-${index}.log`), lines.slice(places[index], end).join(""));
    }
    const { verdict, match_indices, found, reason } = only(await grade({ logs: [folder], scenarios }));
    return { verdict, match_indices, found, reason };
  };
  const whole = await gradeCut([]);
  for (const cuts of [[1], [6], [3, 4], [2, 7, 11], [5, 5]])
    assert.deepEqual(await gradeCut(cuts), whole, String(cuts));
});
