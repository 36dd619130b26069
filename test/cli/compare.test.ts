import assert from "node:assert/strict";
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import test, { type TestContext } from "node:test";
import { openStore } from "../../grader/store/store.ts";
import type { ComparisonDocument } from "../../grader/trials/compare-document.ts";
import { placesIn, writeManifest } from "../../grader/trials/folder.ts";
import type { OutcomesDocument } from "../../grader/trials/outcomes-document.ts";
import type { RegradeDocument } from "../../grader/trials/regrade-document.ts";
import { keepRun, writeScenario } from "../support/kept-runs.ts";
import { scratchFolder } from "../support/scratch.ts";
import { type Said, say } from "../support/terminal.ts";

interface Place {
  readonly folder: string;
  readonly db: string;
  readonly dir: string;
  readonly markers: string;
  say(...words: readonly string[]): Promise<Said>;
}

/** A batch of six runs, three of each variant: `old` always gets to b, `new` only once. All get to c. */
async function batch(t: TestContext): Promise<Place> {
  const folder = scratchFolder(t);
  const [db, dir, markers] = [join(folder, "w.db"), join(folder, "runs"), join(folder, "trip.yaml")];
  writeScenario(markers, ["a", "b"]);
  const store = openStore(db);
  for (let at = 0; at < 6; at++) {
    const variant = at % 2 === 0 ? "old" : "new";
    const events = variant === "old" || at === 1 ? ["a", "b", "c"] : ["a", "c"];
    const manifest = { batch: "B1", variant, index: at + 1, self_report: { claim: "done", claims_success: true } };
    await keepRun(dir, store, { id: `01A${at}`, events, manifest }, markers);
  }
  store.saveBatch({ id: "B1", startedAt: "2026-01-31T12:00:00.000Z" });
  store.close();
  const place = { folder, db, dir, markers };
  return { ...place, say: (...words) => say([...words, "--db", db, "--dir", folder]) };
}

test("a bare name that no run answers to is a variant's", async (t) => {
  const { say: run } = await batch(t);
  const { code, stdout } = await run("compare", "old", "new", "--json");
  assert.equal(code, 0, stdout);
  const { names, comparisons } = JSON.parse(stdout) as ComparisonDocument;
  assert.deepEqual([names, comparisons[0]?.a.passed, comparisons[0]?.b.passed], [["old", "new"], 3, 1]);
  const unknown = await run("compare", "old", "newer");
  assert.deepEqual([unknown.code, /no stored run answers to "newer"/.test(unknown.stderr)], [4, true]);
});

test("a batch with two variants is both sides, and each side names its runs and folders", async (t) => {
  const { say: run, dir } = await batch(t);
  const { code, stdout } = await run("compare", "batch:latest", "--json");
  assert.equal(code, 0);
  const document = JSON.parse(stdout) as ComparisonDocument;
  const [only] = document.comparisons;
  assert.deepEqual(
    [document.schema, document.names, document.outcome],
    ["waymark.comparison/1", ["old", "new"], "undecided"],
  );
  assert.deepEqual([only?.a.passed, only?.a.failed, only?.b.passed, only?.b.failed], [3, 0, 1, 2]);
  assert.deepEqual(
    only?.b.runs.map(({ run: id, folder }) => [id, folder]),
    [
      ["01A1", join(dir, "01A1")],
      ["01A3", join(dir, "01A3")],
      ["01A5", join(dir, "01A5")],
    ],
  );
  assert.deepEqual(
    only?.flips.map(({ direction, a, b }) => [direction, a.run, b.run]),
    [
      ["pass_to_fail", "01A2", "01A3"],
      ["pass_to_fail", "01A4", "01A5"],
    ],
  );
});

test("text names both sides, what it comes to and where to open the runs", async (t) => {
  const { say: run, dir } = await batch(t);
  const { code, stdout } = await run("compare", "batch:B1/variant:old", "batch:B1/variant:new");
  assert.equal(code, 0);
  for (const part of [
    "A  old  3 of 3 passed: 100% (95% interval 44–100%)",
    "? no evidence either way: 3 of 3 against 1 of 3",
    "3 runs a side cannot show any difference, not even 3/3 against 0/3",
    "new: 2 of 2 runs that failed stalled between a and b",
    "2 flips: 2 pass → fail, 0 fail → pass",
    join(dir, "01A5"),
  ]) {
    assert.ok(stdout.includes(part), `${part}\n${stdout}`);
  }
  assert.equal((await run("compare", "batch:B1", "--quiet")).stdout, "undecided\n");
});

test("an undecided comparison ends with 5 where a decision is required, a worse one with 1", async (t) => {
  const { say: run } = await batch(t);
  assert.equal((await run("compare", "batch:B1", "--require-decision")).code, 5);
  assert.equal((await run("compare", "batch:B1", "--fail-on", "worse")).code, 0);
});

test("runs of a batch that were never graded are counted, from their folders", async (t) => {
  const { say: run, dir } = await batch(t);
  writeManifest(join(dir, "01A9"), {
    schema: "waymark.trial/1",
    id: "01A9",
    state: "error",
    batch: "B1",
    index: 9,
    retries: 0,
    variant: "new",
    command: ["agent"],
    started_at: "2026-01-31T13:00:00.000Z",
    provenance: "live",
    versions: {},
    labels: [],
    error: { code: "WM_LOG_NO_EVENTS", message: "the agent did not start" },
  });
  const { stdout } = await run("compare", "batch:B1", "--json");
  const [only] = (JSON.parse(stdout) as ComparisonDocument).comparisons;
  assert.deepEqual([only?.b.errors, only?.b.n, only?.b.runs.at(-1)?.reason], [1, 4, "the agent did not start"]);
});

test("wrong sides, metrics and effects are refused in words", async (t) => {
  const { say: run } = await batch(t);
  for (const [words, code, text] of [
    [["compare"], 2, /WM_COMPARE_SIDES/],
    [["compare", "variant:old"], 2, /WM_COMPARE_SIDES[\s\S]*1 variants/],
    [["compare", "variant:old", "variant:older"], 4, /WM_RUN_NOT_FOUND/],
    [["compare", "batch:B1/variant:nope", "variant:new"], 4, /WM_RUN_NOT_FOUND/],
    [["compare", "batch:B1", "--metric", "pas"], 2, /did you mean "pass"/],
    [["compare", "batch:B1", "--min-effect", "10"], 2, /no effect with a unit/],
    [["compare", "batch:B1", "--fail-on", "better"], 2, /It takes `worse`/],
    [["compare", "batch:B1", "--matrix", "--fail-on", "worse"], 2, /--matrix only shows figures/],
    [["compare", "--outcomes", "x.csv", "--fail-on", "worse"], 2, /--outcomes only shows figures/],
    [["compare", "--outcomes", "x.csv", "--require-decision"], 2, /--outcomes only shows figures/],
    [["compare", "batch:B1", "--regraded"], 4, /none of these runs was graded again/],
    [["compare", "batch:B1", "-s", "other"], 4, /WM_COMPARE_SCENARIO/],
  ] as const) {
    const said = await run(...words);
    assert.equal(said.code, code, said.stderr);
    assert.match(said.stderr, text);
  }
});

test("old runs are graded again by new markers, kept beside the old results, and compared", async (t) => {
  const place = await batch(t);
  const { say: run, db } = place;
  const markers = writeScenario(join(place.folder, "new.yaml"), ["a", "c"]);
  const dry = await run("regrade", "batch:B1", "--markers", markers, "--dry-run", "--json");
  const plan = JSON.parse(dry.stdout) as RegradeDocument;
  assert.deepEqual(
    [dry.code, plan.kept, plan.counts],
    [0, false, { graded: 6, same: 4, fresh: 0, flips: { "fail → pass": 2 }, gone: 0, skipped: 0 }],
  );
  assert.equal((await run("compare", "batch:B1", "--regraded")).code, 4);

  const kept = await run("regrade", "variant:old,batch:B1/variant:new", "--markers", markers);
  assert.equal(kept.code, 0, kept.stderr);
  assert.match(kept.stdout, /01A3 {2}trip {2}fail → pass {2}'b' never reached after 'a'/);
  assert.match(kept.stdout, /6 graded again: 4 as before, 2 fail → pass/);

  const store = openStore(db, { readonly: true });
  const all = store.listRuns({ withRegrades: true });
  store.close();
  assert.deepEqual([store.file, all.length], [db, 12]);
  const regrades = all.filter(({ regradeOf }) => regradeOf !== undefined);
  assert.ok(regrades.every(({ provenance, selfReport }) => provenance === "replay" && selfReport === "done"));
  assert.ok(all.filter(({ regradeOf }) => regradeOf === undefined).every(({ provenance }) => provenance === "live"));
  assert.deepEqual(
    regrades.map(({ agrees }) => agrees),
    [true, true, true, true, true, true],
  );

  const old = JSON.parse((await run("compare", "batch:B1", "--json")).stdout) as ComparisonDocument;
  assert.equal(old.comparisons[0]?.b.passed, 1);
  const again = JSON.parse((await run("compare", "batch:B1", "--regraded", "--json")).stdout) as ComparisonDocument;
  assert.equal(again.comparisons[0]?.b.passed, 3);
  assert.match(again.notes[0] ?? "", /^6 of 6 runs stand as they were graded again/);
  const now = await run("compare", "batch:B1", "--regrade", "--markers", markers, "--json");
  assert.equal((JSON.parse(now.stdout) as ComparisonDocument).comparisons[0]?.b.passed, 3);
});

test("sides graded by different markers are refused until they are graded again", async (t) => {
  const place = await batch(t);
  const { say: run, db, dir } = place;
  const markers = writeScenario(join(place.folder, "new.yaml"), ["a", "c"]);
  const store = openStore(db);
  await keepRun(dir, store, { id: "01C0", events: ["a", "c"], manifest: { variant: "newest" } }, markers);
  store.close();
  const refused = await run("compare", "variant:old", "variant:newest");
  assert.equal(refused.code, 2);
  assert.match(refused.stderr, /WM_COMPARE_MARKERS[\s\S]*waymark regrade A B -s trip/);
  await run("regrade", "variant:old", "--markers", markers);
  const document = JSON.parse(
    (await run("compare", "variant:old", "variant:newest", "--json")).stdout,
  ) as ComparisonDocument;
  assert.deepEqual([document.comparisons[0]?.a.passed, document.comparisons[0]?.b.passed], [3, 1]);
  assert.match(document.notes[0] ?? "", /^3 of 4 runs stand as they were graded again/);
});

test("a run whose log is gone is told, the others are graded all the same", async (t) => {
  const { say: run, dir, markers } = await batch(t);
  rmSync(placesIn(join(dir, "01A3")).telemetry, { recursive: true });
  const { code, stdout } = await run("regrade", "batch:B1", "--markers", markers, "--json");
  const document = JSON.parse(stdout) as RegradeDocument;
  assert.equal(code, 3);
  assert.deepEqual([document.counts.graded, document.counts.gone], [5, 1]);
  assert.deepEqual(
    document.problems.map(({ run: id, code: problem }) => [id, problem]),
    [["01A3", "WM_RUN_LOG_GONE"]],
  );
  const compared = JSON.parse(
    (await run("compare", "batch:B1", "--regrade", "--markers", markers, "--json")).stdout,
  ) as ComparisonDocument;
  assert.deepEqual([compared.comparisons[0]?.b.errors, compared.comparisons[0]?.b.n], [1, 3]);
});

test("regrade knows its words", async (t) => {
  const { say: run, markers } = await batch(t);
  for (const [words, code, text] of [
    [["regrade"], 2, /needs a run/],
    [["regrade", "nope"], 4, /WM_RUN_NOT_FOUND/],
    [["regrade", "batch:B1", "-s", "other", "--markers", markers], 4, /holds the scenario "trip", not "other"/],
    [["regrade", "batch:B1", "--markers", markers, "--param", "x=1"], 2, /WM_USAGE_PARAM/],
  ] as const) {
    const said = await run(...words);
    assert.equal(said.code, code, said.stderr);
    assert.match(said.stderr, text);
  }
});

test("fidelity compares verdicts and the order of markers and events", async (t) => {
  const { say: run } = await batch(t);
  const { code, stdout } = await run("compare", "--fidelity", "variant:old", "variant:new", "--json");
  const { fidelity } = JSON.parse(stdout) as {
    fidelity: { agreement: { estimate: number }; event_order: { estimate: number; self: number } }[];
  };
  assert.equal(code, 0);
  // One of three has the same verdict and events; the others lack one of three events.
  assert.deepEqual(
    fidelity.map(({ agreement }) => Math.round(agreement.estimate * 1e6)),
    [333_333],
  );
  assert.deepEqual(
    fidelity.map(({ event_order: order }) => [Math.round(order.estimate * 1e6), order.self]),
    [[777_778, 1]],
  );
  assert.match(
    (await run("compare", "--fidelity", "variant:old", "variant:new")).stdout,
    /a run of old and one of new/,
  );
});

test("a matrix has a row per task and a column per variant; tasks pair the sides", async (t) => {
  const { say: run, db, dir, markers } = await batch(t);
  const store = openStore(db);
  for (const [at, [task, variant, events]] of (
    [
      ["book", "m1", ["a", "b"]],
      ["pay", "m1", ["a"]],
      ["book", "m2", ["a"]],
      ["pay", "m2", ["a"]],
    ] as const
  ).entries()) {
    await keepRun(dir, store, { id: `01D${at}`, events, manifest: { batch: "B2", task, variant } }, markers);
  }
  store.close();
  const { code, stdout } = await run("compare", "--matrix", "batch:B2");
  assert.equal(code, 0);
  assert.match(stdout, /task {5}m1 {3}m2\n {2}book {5}1\/1 {2}0\/1\n {2}pay {6}0\/1 {2}0\/1\n {2}average {2}50% {2}0%/);
  const document = JSON.parse((await run("compare", "batch:B2", "--json")).stdout) as ComparisonDocument;
  const pass = document.comparisons[0]?.pass;
  assert.deepEqual([pass?.kind, pass?.test, pass?.tasks?.shared, pass?.tasks?.a_better], ["paired", "mcnemar", 2, 1]);
  assert.match((await run("compare", "batch:B2")).stdout, /task {2}A {4}B\n {2}book {2}1\/1 {2}0\/1/);
});

test("an outcome table gives pass@k and pass^k in text and JSON", async (t) => {
  const file = join(scratchFolder(t), "bench.ndjson");
  const line = (task: string, model: string, trial: number, reward: number): string =>
    `${JSON.stringify({ task, model, trial, reward })}\n`;
  writeFileSync(
    file,
    [
      line("x", "m", 1, 1),
      line("x", "m", 2, 0),
      line("y", "m", 1, 1),
      line("y", "m", 2, 1),
      line("x", "n", 1, 0.5),
    ].join(""),
  );
  const { code, stdout } = await say(["compare", "--outcomes", file, "-k", "1,2,5", "--json"]);
  const document = JSON.parse(stdout) as OutcomesDocument;
  assert.equal(code, 0);
  const [m] = document.variants;
  // x: 1 of 2, y: 2 of 2. pass^2: 0 and 1.
  assert.deepEqual(
    m?.at_k.map(({ pass_at_k: some, pass_hat_k: every }) => [some?.estimate, every?.estimate]),
    [
      [0.75, 0.75],
      [1, 0.5],
      [undefined, undefined],
    ],
  );
  assert.deepEqual(document.notes, [
    "1 of 5 rewards lie between 0 and 1 and count as no success",
    "no task has 5 trials, so there is no pass@5 and no pass^5",
  ]);
  const text = await say(["compare", "--outcomes", file]);
  assert.match(text.stdout, /m and n: no evidence either way/);
  assert.equal((await say(["compare", "--outcomes", file, "-k", "0"])).code, 2);
  assert.equal((await say(["compare", "--outcomes", file, "A"])).code, 2);
});

test("the published schema of comparisons knows every key of a real one", async (t) => {
  const { say: run } = await batch(t);
  const schema = JSON.parse((await say(["schema", "comparison"])).stdout) as Schema;
  const document: unknown = JSON.parse((await run("compare", "batch:B1", "--json")).stdout);
  assert.deepEqual(strange(document, schema, schema), []);
});

interface Schema {
  readonly $ref?: string;
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly definitions?: Readonly<Record<string, Schema>>;
}

/** What a value has that its schema does not know, and lacks that it requires, all the way down. */
function strange(value: unknown, given: Schema, root: Schema, at = ""): readonly string[] {
  const schema = given.$ref === undefined ? given : (root.definitions?.[given.$ref.split("/").at(-1) ?? ""] ?? {});
  const { items, properties, required = [] } = schema;
  if (Array.isArray(value))
    return items === undefined ? [] : value.flatMap((item) => strange(item, items, root, `${at}[]`));
  if (typeof value !== "object" || value === null || properties === undefined) return [];
  const lacking = required.filter((key) => !Object.hasOwn(value, key)).map((key) => `${at} lacks ${key}`);
  const inner = Object.entries(value).flatMap(([key, part]) => {
    const known = properties[key];
    return known === undefined ? [`${at}.${key} is unknown`] : strange(part, known, root, `${at}.${key}`);
  });
  return [...lacking, ...inner];
}
