import assert from "node:assert/strict";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import test, { type TestContext } from "node:test";
import { openStore } from "../../grader/store/store.ts";
import { readTrial } from "../../grader/trials/folder.ts";
import { keepTrial } from "../support/kept-trials.ts";
import { sampleResult } from "../support/result.ts";
import { scratchFolder } from "../support/scratch.ts";
import { type Said, say } from "../support/terminal.ts";

interface Project {
  readonly dir: string;
  readonly runs: string;
  say(...words: readonly string[]): Promise<Said>;
}

/** A project with a failed run that was recorded, a passed one, one out of a log, and one that is running. */
function project(t: TestContext): Project {
  const dir = scratchFolder(t);
  const runs = join(dir, "runs");
  const store = openStore(join(dir, "waymark.db"));
  const video = { kind: "video", path: "evidence/page-1.webm", at: "2025-12-31T23:59:58.750Z" };
  keepTrial({ store, runs }, "01A", {
    manifest: {
      batch: "B1",
      variant: "new",
      labels: ["main"],
      versions: { model: "m-7" },
      settled: { why: "idle", waited_ms: 2000, awaited: ["b"] },
      self_report: { claim: "done", claims_success: true },
      used: { cost_usd: 0.041, tokens_in: 1200, tokens_out: 30 },
      artifacts: [video],
    },
    results: [{}, { scenario: "other", verdict: "fail" }],
  });
  keepTrial({ store, runs }, "01B", { manifest: { variant: "old" }, results: [{ verdict: "pass", success: true }] });
  store.saveResult(sampleResult("01LOG"), { gradedAt: "2025-01-01T00:00:00.000Z" });
  keepTrial({ store, runs }, "01R", { manifest: { state: "running", labels: ["main"] }, results: [] });
  store.saveBatch({ id: "B1", startedAt: "2026-01-02T00:00:00.000Z" });
  store.close();
  return { dir, runs, say: (...words) => say(["runs", ...words, "--dir", dir]) };
}

interface Listed {
  readonly runs: readonly { readonly id: string }[];
  readonly ungraded: readonly { readonly id: string }[];
}

async function listed(own: Project, ...words: readonly string[]): Promise<string> {
  const { stdout } = await own.say("list", "--json", ...words);
  const { runs, ungraded } = JSON.parse(stdout) as Listed;
  return [...ungraded, ...runs].map(({ id }) => id).join(" ");
}

test("runs list shows what is stored, newest first, and what has no grade yet", async (t) => {
  const own = project(t);
  const { stdout, code } = await own.say("list");
  assert.equal(code, 0);
  const lines = stdout.trimEnd().split("\n");
  assert.match(lines[0] ?? "", /run +graded \(UTC\) +verdict +markers +time +scenario +variant +labels +log +reason/);
  assert.match(lines[1] ?? "", /^… 01R +2026-01-02 00:00:00 +running +main/);
  assert.match(lines[2] ?? "", /^✗ #4 +2025-01-01/);
  assert.match(lines[3] ?? "", /^✓ #3 .* pass /);
});

test("runs list --json has the columns' names, as the other documents have", async (t) => {
  const { stdout } = await project(t).say("list", "--json");
  const { runs } = JSON.parse(stdout) as { readonly runs: readonly Readonly<Record<string, unknown>>[] };
  const run = runs.find(({ id }) => id === "01A");
  assert.ok(
    Object.keys(run ?? {}).every((key) => /^[a-z0-9]+(?:_[a-z0-9]+)*$/.test(key)),
    Object.keys(run ?? {}).join(" "),
  );
  assert.deepEqual(
    ["markers_sha256", "self_report", "cost_usd", "tokens_in", "duration_ms"].map((key) => typeof run?.[key]),
    ["string", "string", "number", "number", "number"],
  );
});

test("runs list narrows by each of its filters", async (t) => {
  const own = project(t);
  for (const [words, ids] of [
    [[], "01R 01LOG 01B 01A-1 01A"],
    [["--failed"], "01LOG 01A-1 01A"],
    [["--failed", "--last", "2"], "01LOG 01A-1"],
    [["--verdict", "pass"], "01B"],
    [["--variant", "new"], "01A-1 01A"],
    [["--batch", "B1"], "01A-1 01A"],
    [["--batch", "latest"], "01A-1 01A"],
    [["--label", "main"], "01R 01A-1 01A"],
    [["-s", "other"], "01A-1"],
    [["-s", "other", "-s", "s", "--last", "3"], "01LOG 01B 01A-1"],
    [["--since", "2026-01-02T00:00:00.000Z"], "01R 01B 01A-1 01A"],
    [["--task", "none"], ""],
  ] as const) {
    assert.equal(await listed(own, ...words), ids, words.join(" "));
  }
});

test("runs show has the markers, the claim, the cost, and where each marker is in the video", async (t) => {
  const own = project(t);
  const { stdout } = await own.say("show", "1");
  assert.match(stdout, /^run 01A \(#1\), graded 2026-01-02T00:00:10\.000Z by waymark .*, live\n/);
  assert.match(stdout, /versions +model=m-7/);
  assert.match(stdout, /end +exited with 0/);
  assert.match(stdout, /settled +after 2\.0 s, quiet, still awaited: b/);
  assert.match(stdout, /agent said +done {2}▲ disagrees with the grade/);
  assert.match(stdout, /cost +\$0\.0410/);
  assert.match(stdout, /tokens +1,200 in, 30 out/);
  assert.match(
    stdout,
    /evidence +evidence\/page-1\.webm \(video, from 2025-12-31T23:59:58\.750Z\)\n +0:01\.250 {2}a\n/,
  );
  assert.equal((stdout.match(/✗ (?:s|other) /g) ?? []).length, 2, "each scenario's result");
  const document = JSON.parse((await own.say("show", "1", "--json")).stdout);
  assert.deepEqual(
    [document.schema, document.id, document.results.length, document.manifest.id, document.evidence[0].markers[0]],
    ["waymark.run/1", "01A", 2, "01A", { scenario: "s", marker: "a", offset_ms: 1250 }],
  );
  assert.match((await own.say("show", "running")).stdout, /^run 01R, running, live/);
});

test("runs show speaks every reporter's language, and a document of one holds nothing else", async (t) => {
  const own = project(t);
  const shown = async (name: string): Promise<string> => {
    const { code, stdout } = await own.say("show", "1", "3", "--reporter", name);
    assert.equal(code, 0, name);
    return stdout;
  };
  const xml = await shown("junit");
  assert.match(
    xml,
    /^<\?xml version="1\.0"[\s\S]*<testsuites name="waymark" tests="3" failures="2" errors="0"[\s\S]*<\/testsuites>\n$/,
  );
  assert.match(await shown("markdown"), /^#+ .*\n[\s\S]*\|/);
  assert.match(await shown("html"), /^<!doctype html>[\s\S]*<\/html>\s*$/i);
  assert.match(await shown("tap"), /^TAP version 1[34]\n/);
  assert.match(await shown("agent"), /^# waymark: fail\n/);
  assert.equal(JSON.parse(await shown("json")).results.length, 3);
  const file = join(own.dir, "out.xml");
  const both = await own.say("show", "1", "--reporter", `plain,junit=${file}`);
  assert.match(both.stdout, /^run 01A[\s\S]*agent said/);
  assert.match(readFileSync(file, "utf8"), /<testsuites/);
});

test("runs review stands beside the grade: shown where it differs, and taken back", async (t) => {
  const own = project(t);
  const said = await own.say("review", "1", "pass", "--note", "it did");
  assert.match(said.stdout, /01A: reviewed as pass; the grade stays fail, fail/);
  assert.match((await own.say("list")).stdout, /✗ #1 .* fail +pass ▲/);
  assert.match((await own.say("show", "1")).stdout, /review +pass: it did {2}▲ disagrees with the grade/);
  assert.match((await own.say("show", "1")).stdout, /✗ s {3}fail/);
  await own.say("review", "3", "pass");
  assert.doesNotMatch((await own.say("list", "--variant", "old")).stdout, /▲/, "a review that agrees says nothing");
  await own.say("review", "1", "--undo");
  assert.doesNotMatch((await own.say("show", "1")).stdout, /review/);
  for (const words of [["1"], ["1", "maybe"], ["1", "pass", "--undo"]]) {
    assert.equal((await own.say("review", ...words)).code, 2, words.join(" "));
  }
});

test("runs attach hangs a file on a run with its time", async (t) => {
  const own = project(t);
  const file = join(own.dir, "screen.mp4");
  writeFileSync(file, "abc");
  const said = await own.say("attach", "1", file, "--at", "2026-01-01T00:00:00+01:00");
  assert.equal(said.stdout, "attached to 01A: evidence/screen.mp4 (video)\n");
  assert.match(
    (await own.say("show", "1")).stdout,
    /screen\.mp4 \(video, from 2025-12-31T23:00:00\.000Z\)\n +60:00\.000 {2}a/,
  );
  assert.equal((await own.say("attach", "1", file, "--at", "yesterday")).code, 2);
  assert.equal((await own.say("attach", "1", join(own.dir, "absent"))).code, 3);
  assert.equal((await own.say("attach", "1")).code, 2);
});

test("runs label, export, rm and import go round", async (t) => {
  const own = project(t);
  assert.equal((await own.say("label", "01LOG,3", "keep", "good")).stdout.split("\n").length, 4);
  const zip = join(own.dir, "good.zip");
  assert.match((await own.say("export", "good", "-o", zip)).stdout, /^2 runs \(\d+ files\) in /);
  assert.match((await own.say("show", zip)).stdout, /run 01B/);
  assert.equal((await own.say("label", zip, "x")).code, 2, "an archive is only looked at");
  assert.equal((await own.say("import", zip)).code, 3, "they are here");
  assert.equal((await own.say("rm", "good", "--yes")).code, 0);
  assert.equal(await listed(own), "01R 01A-1 01A");
  assert.equal((await own.say("import", zip)).stdout, `2 runs imported from ${zip}\n`);
  assert.equal(await listed(own, "--label", "good"), "01LOG 01B");
  const elsewhere = scratchFolder(t);
  assert.equal((await say(["runs", "import", zip, "--dir", join(elsewhere, "new")])).code, 0);
  assert.equal((await say(["runs", "show", "latest", "--dir", join(elsewhere, "new")])).code, 0);
  assert.equal((await own.say("export", "1")).code, 2, "into what?");
});

test("nothing is removed without a yes where nobody can be asked", async (t) => {
  const own = project(t);
  const asked = await own.say("prune", "--keep", "0");
  assert.deepEqual([asked.code, /--yes/.test(asked.stderr)], [2, true]);
  assert.equal((await own.say("prune")).code, 2);
  assert.equal((await own.say("prune", "--keep", "0", "--dry-run")).stdout, "01LOG\n01B\n2 runs would be removed\n");
  assert.equal((await own.say("prune", "--older-than", "30d", "--verdict", "pass", "--yes")).stdout, "1 run removed\n");
  assert.equal(await listed(own), "01R 01LOG 01A-1 01A");
  assert.equal((await own.say("rm", "running", "--dry-run")).code, 2);
  assert.equal((await own.say("rm", "running", "--yes")).code, 0);
  assert.equal(existsSync(join(own.runs, "01R")), false);
  assert.equal((await own.say("rm", "nope", "--yes")).code, 4);
});

test("runs rebuild makes the database anew and names what it cannot read", async (t) => {
  const own = project(t);
  assert.match(
    (await own.say("rebuild")).stdout,
    /holds 2 runs from their folders \(3 results\)\n1 result that no folder has/,
  );
  writeFileSync(join(own.runs, "01B", "run.json"), "{");
  const { code, stderr } = await own.say("rebuild");
  assert.deepEqual([code, /WM_RUN_DAMAGED[\s\S]*01B is left out/.test(stderr)], [3, true]);
  assert.equal(await listed(own), "01R 01LOG 01B 01A-1 01A");
});

test("runs says what it knows when it is told something else, and that there is nothing where there is nothing", async (t) => {
  const own = project(t);
  const { code, stderr } = await own.say("lst");
  assert.deepEqual([code, /did you mean "list"/.test(stderr)], [2, true]);
  assert.equal((await own.say("toString")).code, 2);
  assert.equal((await own.say("list", "more")).code, 2);
  assert.equal((await own.say("show")).code, 2);
  const empty = ["--dir", join(own.dir, "absent")];
  assert.equal((await say(["runs", "list", ...empty])).code, 4);
  assert.equal((await say(["runs", "stop", ...empty])).code, 4);
  assert.equal(
    (await say(["runs", "start", "-s", "simple_collab_switch", "--log", join(own.dir, "no"), ...empty])).code,
    3,
  );
});

test("a review and a label are in the run's own folder, for a database made anew", async (t) => {
  const own = project(t);
  await own.say("review", "1", "pass");
  await own.say("label", "1", "seen");
  const { review, labels } = readTrial(join(own.runs, "01A")).manifest;
  assert.deepEqual([review?.verdict, labels], ["pass", ["main", "seen"]]);
  assert.match(readFileSync(join(own.runs, "01A", "result.json"), "utf8"), /"verdict":"fail"/);
});
