import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import test, { type TestContext } from "node:test";
import { learnRuns } from "../../../grader/learn/learn.ts";
import type { HeldRun } from "../../../grader/learn/predict.ts";
import { readState } from "../../../grader/learn/session.ts";
import { stateFile, unpackState } from "../../../grader/learn/state.ts";
import { parseScenario } from "../../../grader/scenario/parse-scenario.ts";
import { call, heldRun } from "../../support/learning.ts";
import { scratchFolder } from "../../support/scratch.ts";
import { say } from "../../support/terminal.ts";

const RUNS = ["a", "b", "c", "d"].map((id, at) =>
  heldRun(id, [
    "opened",
    ...(at === 2 ? ["loading"] : []),
    call("create_order", at % 2 === 0 ? { item: "x", n: 1 } : '{"item": "x", "n": 1}'),
    "saved",
  ]),
);

function logs(t: TestContext, runs: readonly HeldRun[] = RUNS): { folder: string; files: readonly string[] } {
  const folder = scratchFolder(t);
  const files = runs.map(({ name, events }) => {
    const file = join(folder, `${name}.ndjson`);
    writeFileSync(file, events.map((event) => `${JSON.stringify(event)}\n`).join(""));
    return file;
  });
  return { folder, files };
}

test("adding runs one by one, without the old logs, gives the bytes of learning from all at once", async (t) => {
  const { folder, files } = logs(t);
  const all = join(folder, "all.yaml");
  const grown = join(folder, "grown.yaml");
  assert.equal((await say(["learn", ...files, "-o", all, "--name", "s"])).code, 0);
  assert.equal((await say(["learn", files[3] ?? "", "-o", grown, "--name", "s"])).code, 0);
  for (const file of files.slice(0, 3)) {
    assert.equal((await say(["learn", "--add", file, "-o", grown, "--name", "s"])).code, 0);
  }
  assert.equal(readFileSync(grown, "utf8"), readFileSync(all, "utf8"));
  assert.deepEqual(readState(grown)?.corpus, readState(all)?.corpus);
});

test("what a person changed, added or took out stays when learning again", async (t) => {
  const { folder, files } = logs(t);
  const out = join(folder, "s.yaml");
  await say(["learn", ...files.slice(0, 3), "-o", out]);
  const learned = readFileSync(out, "utf8");
  const edited = learned
    .replace("event: opened\n", "event: opened\n    within: 9s # mine\n")
    .replace("rules:\n", "rules:\n  # a law of ours\n  - { name: No panic, never: { event: panic } }\n")
    .replace(/ {2}- name: saved\n {4}event: saved\n/, "")
    .replace("scenario: s\n", "scenario: s\ntitle: Orders # by hand\n");
  assert.notEqual(edited, learned);
  writeFileSync(out, edited);
  const again = await say(["learn", "--add", files[3] ?? "", "-o", out]);
  assert.equal(again.code, 0, again.stderr);
  const text = readFileSync(out, "utf8");
  assert.match(text, /within: 9s # mine/);
  assert.match(text, /# a law of ours\n {2}- \{ name: No panic/);
  assert.match(text, /title: Orders # by hand/);
  assert.doesNotMatch(text, /event: saved/);
  assert.match(text, /in 4\/4 runs/, "what nobody touched was learned anew");
  assert.match(again.stderr, /kept as you wrote them: opened, No panic/);
  assert.match(again.stderr, /as you took them out: markers:saved/);
  const { scenario } = parseScenario(text, out);
  assert.deepEqual(
    scenario.markers.map(({ name }) => name),
    ["opened", "loading", "create_order"],
  );
  await say(["learn", ...files, "-o", out]);
  assert.equal(readFileSync(out, "utf8"), text, "a third time changes nothing");
});

test("learning again without hand edits gives the same bytes", async (t) => {
  const { folder, files } = logs(t);
  const out = join(folder, "s.yaml");
  await say(["learn", ...files, "-o", out]);
  const first = readFileSync(out, "utf8");
  assert.equal(first, learnRuns(RUNS, "s").text);
  await say(["learn", ...[...files].reverse(), "-o", out]);
  assert.equal(readFileSync(out, "utf8"), first);
});

test("known failures measure, and rules that catch none are taken out", async (t) => {
  const { folder, files } = logs(t);
  const bad = [
    heldRun("twice", [
      "opened",
      call("create_order", { item: "x", n: 1 }),
      call("create_order", { item: "x", n: 1 }),
      "saved",
    ]),
    heldRun("missed", ["opened", call("create_order", { item: "x", n: 1 }), "saved", "extra"]),
  ];
  const failures = logs(t, bad).files;
  const out = join(folder, "s.yaml");
  const said = await say(["learn", ...files, "-o", out, ...failures.flatMap((file) => ["--negative", file])]);
  assert.match(said.stderr, /1 of 2 known failures are failed/);
  assert.match(said.stderr, /not caught: .*missed/);
  const { scenario } = parseScenario(readFileSync(out, "utf8"), out);
  assert.deepEqual(
    scenario.rules.map(({ name }) => name),
    ["create_order as often as in good runs"],
  );
});

test("leave one out is printed, and in the JSON document", async (t) => {
  const { files } = logs(t);
  const said = await say(["learn", ...files, "--holdout", "--json"]);
  const body = JSON.parse(said.stdout) as { holdout: { verdict: string }[]; text: string };
  assert.deepEqual(
    body.holdout.map(({ verdict }) => verdict),
    ["pass", "pass", "pass", "pass"],
  );
  assert.equal(body.text, learnRuns(RUNS, "learned").text);
});

test("what cannot be learned from is said", async (t) => {
  const { folder, files } = logs(t);
  const out = join(folder, "s.yaml");
  const failed = async (...words: string[]) => (await say(["learn", ...words])).stderr;
  assert.match(await failed(), /WM_LEARN_NO_RUNS/);
  assert.match(await failed(join(folder, "none.ndjson")), /WM_RUN_NOT_FOUND/);
  writeFileSync(join(folder, "empty.ndjson"), "");
  assert.match(await failed(join(folder, "empty.ndjson")), /WM_LEARN_NO_RUNS/);
  assert.match(await failed("--add", files[0] ?? "", "-o", out), /WM_LEARN_STATE/);
  assert.match(await failed(...files, "--graph", join(folder, "g.png")), /WM_USAGE/);
  assert.throws(() => unpackState(Buffer.from("x"), stateFile(out)), /WM_LEARN_STATE/);
});
