import assert from "node:assert/strict";
import { join } from "node:path";
import test, { type TestContext } from "node:test";
import { selectTrial, selectTrials, ungradedTrials } from "../../../grader/trials/select.ts";
import { emptyProject, keepTrial, type Project } from "../../support/kept-trials.ts";

function project(t: TestContext): Project {
  const own = emptyProject(t);
  keepTrial(own, "01A", { manifest: { variant: "old", labels: ["main"] }, results: [{}, { scenario: "other" }] });
  keepTrial(own, "01B", { manifest: { variant: "new", batch: "B7" }, results: [{ verdict: "pass" }] });
  keepTrial(own, "01C", { manifest: { task: "t1", labels: ["good"] }, results: [{ verdict: "pass" }] });
  keepTrial(own, "01R", { manifest: { state: "running" }, results: [] });
  keepTrial(own, "01S", { manifest: { state: "interrupted" }, results: [] });
  own.store.saveBatch({ id: "B7", startedAt: "2026-01-02T00:00:00.000Z" });
  return own;
}

const named = async (own: Project, ...words: string[]): Promise<readonly string[]> =>
  (await selectTrials(words, own)).map(({ manifest }) => manifest.id);

test("words name runs, also several at once, each run once and whole", async (t) => {
  const own = project(t);
  for (const [word, ids] of [
    ["running", ["01R"]],
    ["01R", ["01R"]],
    ["01s", ["01S"]],
    ["#1..#3", ["01A", "01B"]],
    ["3..4", ["01B", "01C"]],
    ["4,#3", ["01C", "01B"]],
    ["label:main,variant:new,01A", ["01A", "01B"]],
    ["good", ["01C"]],
    ["latest", ["01C"]],
    ["latest-failed", ["01A"]],
    ["batch:latest", ["01B"]],
    ["task:t1", ["01C"]],
    [join(own.runs, "01B"), ["01B"]],
  ] as const) {
    assert.deepEqual(await named(own, word), ids, word);
  }
  const [both] = await selectTrials(["latest-failed"], own);
  assert.deepEqual(
    both?.results.map(({ scenario }) => scenario),
    ["s", "other"],
    "a run named by one of its results comes with all of them",
  );
});

test("a word that no run answers to says what is near", async (t) => {
  const own = project(t);
  for (const id of ["0XA", "0XB"]) keepTrial(own, id);
  for (const id of ["0YA", "0YB"]) keepTrial(own, id, { manifest: { state: "running" }, results: [] });
  for (const [word, says] of [
    ["lates", /did you mean "latest"/],
    ["runing", /did you mean "running"/],
    ["label:mian", /did you mean "label:main"/],
    ["variant:xyz", /there is new, old/],
    ["labl:main", /did you mean "label:main"/],
    ["batch:B8", /there is B7/],
    ["9..12", /no stored run answers to "9\.\.12"/],
    ["0X", /several runs have an id that begins with "0X"/],
    ["0Y", /several runs have an id that begins with "0Y"/],
    ["#9", /no stored run answers/],
    ["1,,2", /no stored run answers/],
    ["latest,nope", /no stored run answers to "nope"/],
    ["", /no stored run answers to ""/],
    ["a\0b", /no stored run answers/],
  ] as const) {
    await assert.rejects(named(own, word), (error: Error & { code?: string }) => {
      assert.equal(error.code, "WM_RUN_NOT_FOUND", word);
      assert.match(error.message, says, word);
      return true;
    });
  }
  own.store.removeLabel("01C", "good");
  await assert.rejects(named(own, "good"), /waymark runs label RUN good/);
});

test("one run is wanted where several answer", async (t) => {
  const own = project(t);
  assert.equal((await selectTrial("4", own)).manifest.id, "01C");
  await assert.rejects(selectTrial("2..4", own), { code: "WM_USAGE" });
});

test("runs without a grade are those of which no result is stored", (t) => {
  const own = project(t);
  assert.deepEqual(
    ungradedTrials(own).map(({ manifest }) => manifest.id),
    ["01R", "01S"],
  );
});
