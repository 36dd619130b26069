import assert from "node:assert/strict";
import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import test, { type TestContext } from "node:test";
import Database from "better-sqlite3";
import { openStore } from "../../../grader/store/store.ts";
import { placesIn } from "../../../grader/trials/folder.ts";
import { damagedFolders, rebuildDatabase } from "../../../grader/trials/rebuild.ts";
import { keepTrial } from "../../support/kept-trials.ts";
import { sampleResult } from "../../support/result.ts";
import { scratchFolder } from "../../support/scratch.ts";

const TABLES = ["runs", "marker_results", "rule_results", "steps", "artifacts", "labels", "batches", "changes"];
const now = (): number => Date.parse("2026-02-01T00:00:00.000Z");

/** Every row of every table, as SQLite has it. */
function tablesOf(file: string, without: readonly string[] = []): Record<string, unknown[]> {
  const db = new Database(file, { readonly: true });
  try {
    const rows = (table: string) => db.prepare(`SELECT * FROM ${table} ORDER BY 1, 2`).all();
    return Object.fromEntries(TABLES.filter((table) => !without.includes(table)).map((table) => [table, rows(table)]));
  } finally {
    db.close();
  }
}

/** A database with runs of every kind; closed. */
function project(t: TestContext): { db: string; runs: string } {
  const dir = scratchFolder(t);
  const [db, runs] = [join(dir, "waymark.db"), join(dir, "runs")];
  const store = openStore(db);
  const sources = { store, runs };
  keepTrial(sources, "01A", {
    manifest: {
      batch: "B1",
      variant: "new",
      task: "t1",
      labels: ["good", "main"],
      versions: { app: "1.4.2", model: "m-7" },
      measures: { backtracks: 2 },
      used: { cost_usd: 0.25, tokens_in: 10, tokens_out: 20 },
      steps: [
        {
          name: "open",
          kind: "llm",
          started_at: "2026-01-02T00:00:01.000Z",
          duration_ms: 5,
          tokens_in: 3,
          tokens_out: 4,
        },
      ],
      artifacts: [{ kind: "video", path: "evidence/page-1.webm", sha256: "ab", at: "2026-01-02T00:00:00.000Z" }],
      self_report: { claim: "done", claims_success: true },
      review: { verdict: "pass", note: "it did", at: "2026-01-03T00:00:00.000Z" },
    },
    results: [{}, { scenario: "other", verdict: "pass", success: true }],
  });
  keepTrial(sources, "01B", { manifest: { batch: "B1", index: 2, end: { kind: "timeout", afterMs: 5000 } } });
  store.saveResult(sampleResult("01LOG"), {
    gradedAt: "2026-01-02T00:00:11.000Z",
    labels: ["old"],
    graderVersion: "0.0.9",
  });
  store.saveReview("01LOG", { verdict: "fail", at: "2026-01-03T00:00:00.000Z" });
  keepTrial(sources, "01GONE");
  keepTrial(sources, "01C", { manifest: { graded_at: "2026-01-02T00:00:30.000Z" } });
  store.removeRuns(["01GONE"]); // its number stays free
  rmSync(join(runs, "01GONE"), { recursive: true });
  store.saveResult(sampleResult("01RE"), { gradedAt: "2026-01-05T00:00:00.000Z", regradeOf: "01A", trial: "01A" });
  keepTrial(sources, "01RUN", { manifest: { state: "running" }, results: [] });
  store.saveBatch({ id: "B1", startedAt: "2026-01-02T00:00:00.000Z", verdict: "fail", exitCode: 1, document: "{}" });
  store.addChange({ at: "2026-01-01T00:00:00.000Z", element: "app", kind: "version", hash: "1.4.2" });
  store.close();
  return { db, runs };
}

test("the database made anew has every row of the old one, table by table, twice over", (t) => {
  const { db, runs } = project(t);
  const before = tablesOf(db);
  const rebuilt = rebuildDatabase({ file: db, runs, now });
  assert.deepEqual(rebuilt, {
    runs: 3,
    results: 4,
    carried: { results: 2, batches: 1, changes: 1 },
    damaged: [],
  });
  assert.deepEqual(tablesOf(db), before);
  rebuildDatabase({ file: db, runs, now });
  assert.deepEqual(tablesOf(db), before);
  assert.equal(
    readdirSync(join(runs, "..")).some((name) => name.includes("rebuild")),
    false,
  );
});

test("without the old database the folders give the same rows, but for what no folder has", (t) => {
  const { db, runs } = project(t);
  const without = ["batches", "changes"];
  const before = tablesOf(db, without);
  rmSync(db);
  rebuildDatabase({ file: db, runs, now });
  const fromFolders = (row: unknown): boolean => !["01LOG", "01RE"].includes(idOf(row));
  const kept = Object.entries(before).map(([table, rows]) => [table, rows.filter(fromFolders).map(unnumbered)]);
  const after = Object.entries(tablesOf(db, without)).map(([table, rows]) => [table, rows.map(unnumbered)]);
  assert.deepEqual(after, kept);
  const store = openStore(db, { readonly: true });
  t.after(() => store.close());
  assert.deepEqual(store.getBatch("B1"), { id: "B1", startedAt: "2026-01-02T00:00:00.000Z" });
});

function idOf(row: unknown): string {
  const { id, run } = row as { id?: string; run?: string };
  return id ?? run ?? "";
}

function unnumbered(row: unknown): unknown {
  const { seq: _, ...rest } = row as { seq?: number };
  return rest;
}

test("a damaged folder is named and left out, its rows stay", (t) => {
  const { db, runs } = project(t);
  const before = tablesOf(db);
  writeFileSync(placesIn(join(runs, "01B")).manifest, "{");
  mkdirSync(join(runs, "01EMPTY"));
  mkdirSync(join(runs, ".import-x"));
  const { damaged, runs: read, carried } = rebuildDatabase({ file: db, runs, now });
  assert.deepEqual(
    damaged.map(({ folder }) => folder),
    [join(runs, "01B"), join(runs, "01EMPTY")],
  );
  assert.deepEqual([read, carried.results], [2, 3]);
  assert.deepEqual(tablesOf(db), before);
});

test("a damaged database is moved aside, one that is open elsewhere or newer stays", (t) => {
  const { db, runs } = project(t);
  const reader = openStore(db);
  assert.throws(() => rebuildDatabase({ file: db, runs, now }), { code: "WM_STORE_BUSY" });
  reader.close();
  writeFileSync(
    db,
    "this is no database, but it is longer than a header of one hundred bytes would have to be, so that it is read",
  );
  const { oldAt } = rebuildDatabase({ file: db, runs, now });
  assert.ok(oldAt?.startsWith(`${db}.damaged-2026-02-01`) && existsSync(oldAt));
  const raw = new Database(db);
  raw.pragma("user_version = 99");
  raw.close();
  assert.throws(() => rebuildDatabase({ file: db, runs, now }), { code: "WM_STORE_NEWER" });
  assert.equal(
    readdirSync(join(runs, "..")).some((name) => name.includes("rebuild")),
    false,
  );
});

test("only old folders that are named like runs count as damaged runs", (t) => {
  const runs = join(scratchFolder(t), "runs");
  const id = "01KBAAAAAAAAAAAAAAAAAAAAAA";
  mkdirSync(join(runs, id), { recursive: true });
  mkdirSync(join(runs, "notes"));
  assert.deepEqual(damagedFolders(runs, Date.now()), []);
  assert.deepEqual(damagedFolders(runs, Date.now() + 120_000), [join(runs, id)]);
});
