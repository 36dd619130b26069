import assert from "node:assert/strict";
import { readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import test, { type TestContext } from "node:test";
import Database from "better-sqlite3";
import { openStore, type Store } from "../../../grader/store/store.ts";
import { sampleResult } from "../../support/result.ts";
import { scratchFolder } from "../../support/scratch.ts";

const gradedAt = "2026-01-02T00:00:00.000Z";

function open(t: TestContext, file = join(scratchFolder(t), "sub", "waymark.db")): Store {
  const store = openStore(file);
  t.after(() => store.close());
  return store;
}

/** Runs statements on the file with SQLite itself. */
function inSqlite<T>(file: string, action: (db: Database.Database) => T): T {
  const db = new Database(file);
  try {
    return action(db);
  } finally {
    db.close();
  }
}

test("a database that is deleted or replaced under its writer does not swallow rows in silence", {
  skip: process.platform === "win32" ? "Windows keeps an open file from being deleted" : false,
}, (t) => {
  const store = open(t);
  store.saveResult(sampleResult("01A", {}), { gradedAt });
  rmSync(store.file);
  assert.throws(() => store.saveResult(sampleResult("01B", {}), { gradedAt }), /WM_STORE_DAMAGED[\s\S]*runs rebuild/);
  writeFileSync(store.file, "something else");
  assert.throws(() => store.saveResult(sampleResult("01C", {}), { gradedAt }), /WM_STORE_DAMAGED/);
});

test("a result comes back whole, with everything stored beside it", (t) => {
  const store = open(t);
  const details = {
    gradedAt,
    batch: "B1",
    variant: "new",
    costUsd: 0.25,
    provenance: "replay" as const,
    selfReport: '{"success":true}',
    agrees: false,
    folder: ".waymark/runs/01A",
    steps: [{ name: "click", startedAt: gradedAt, durationMs: 12.5, costUsd: 0.1, tokens: 300 }, { name: "type" }],
    artifacts: [
      { kind: "video", path: "run.webm", sha256: "ab" },
      { kind: "log", path: "app.log" },
    ],
  };
  const result = sampleResult("01A", { session: "s-1" });
  store.saveResult(result, details);
  const { steps, artifacts, ...columns } = details;
  const stored = store.getRun("01A");
  assert.deepEqual(stored.result, result);
  assert.deepEqual([stored.steps, stored.artifacts], [steps, artifacts.toReversed()]);
  for (const [key, value] of Object.entries(columns)) assert.deepEqual(stored[key as "batch"], value, key);
  assert.deepEqual(
    [stored.number, stored.found, stored.total, stored.events, stored.durationMs, stored.session],
    [1, 1, 2, 7, 1500, "s-1"],
  );
  assert.equal(stored.endedAt, "2026-01-01T00:00:01.500Z");
});

test("the tables hold what SQL users look for", (t) => {
  const file = join(scratchFolder(t), "waymark.db");
  open(t, file).saveResult(sampleResult("01A"), { gradedAt });
  inSqlite(file, (db) => {
    const markers = db
      .prepare("SELECT name, status, line, record, after_ms FROM marker_results ORDER BY position")
      .all();
    assert.deepEqual(markers, [
      { name: "a", status: "found", line: 4, record: 3, after_ms: 0 },
      { name: "b", status: "missing", line: null, record: null, after_ms: null },
    ]);
    const rules = db.prepare("SELECT name, verdict, reason FROM rule_results").all();
    assert.deepEqual(rules, [{ name: "r", verdict: "fail", reason: "because" }]);
    assert.deepEqual(db.prepare("SELECT provenance, batch, agrees FROM runs").all(), [
      { provenance: "live", batch: null, agrees: null },
    ]);
    assert.equal(db.pragma("journal_mode", { simple: true }), "wal");
  });
});

test("pass rates count passes among runs that were decided", (t) => {
  const store = open(t);
  const verdicts = ["pass", "pass", "fail", "inconclusive", "error"] as const;
  for (const [index, verdict] of verdicts.entries()) {
    const variant = index === 0 ? {} : { variant: index < 3 ? "a" : "b" };
    store.saveResult(sampleResult(`01${index}`, { verdict, success: verdict === "pass" }), { gradedAt, ...variant });
  }
  assert.deepEqual(store.passRates("scenario"), [
    { scenario: "s", runs: 5, passed: 2, failed: 1, inconclusive: 1, errors: 1, pass_rate: 2 / 3 },
  ]);
  assert.deepEqual(
    store.passRates("variant").map(({ variant, runs, pass_rate }) => [variant, runs, pass_rate]),
    [
      [null, 1, 1],
      ["a", 2, 0.5],
      ["b", 2, null],
    ],
  );
});

test("runs are listed newest first and narrowed by each filter", (t) => {
  const store = open(t);
  store.saveResult(sampleResult("01A"), { gradedAt: "2026-01-01T00:00:00.000Z", batch: "x" });
  store.saveResult(sampleResult("01B", { scenario: "other", verdict: "pass" }), { gradedAt, variant: "v" });
  const ids = (filter?: Parameters<Store["listRuns"]>[0]): string[] => store.listRuns(filter).map(({ id }) => id);
  assert.deepEqual(ids(), ["01B", "01A"]);
  assert.deepEqual(ids({ limit: 1 }), ["01B"]);
  assert.deepEqual(ids({ scenario: "s" }), ["01A"]);
  assert.deepEqual(ids({ batch: "x" }), ["01A"]);
  assert.deepEqual(ids({ variant: "v" }), ["01B"]);
  assert.deepEqual(ids({ verdict: "pass" }), ["01B"]);
  assert.deepEqual(ids({ since: gradedAt }), ["01B"]);
});

test("a run is found by its id, the beginning of it, or its number", (t) => {
  const store = open(t);
  for (const id of ["01ABC", "01ABD", "01_B"]) store.saveResult(sampleResult(id), { gradedAt });
  assert.equal(store.getRun("01abc").id, "01ABC");
  assert.equal(store.getRun("01_").id, "01_B");
  assert.equal(store.getRun("#2").id, "01ABD");
  for (const wanted of ["01AB", "02", "", "#9", "#", "%", "01%"]) {
    assert.throws(() => store.getRun(wanted), { code: "WM_RUN_NOT_FOUND" }, wanted);
  }
});

test("a self-report is stored beside the grade and changes nothing of it", (t) => {
  const store = open(t);
  store.saveResult(sampleResult("01A"), { gradedAt });
  const before = store.getRun("01A");
  store.saveSelfReport("01A", "I did it", false);
  assert.deepEqual(store.getRun("01A"), { ...before, selfReport: "I did it", agrees: false });
  assert.throws(() => store.saveSelfReport("nope", "", undefined), { code: "WM_RUN_NOT_FOUND" });
});

test("a result with a duplicate id is refused and leaves nothing behind", (t) => {
  const store = open(t);
  store.saveResult(sampleResult("01A"), { gradedAt });
  assert.throws(() => store.saveResult(sampleResult("01A"), { gradedAt }), { code: "SQLITE_CONSTRAINT_UNIQUE" });
  assert.equal(store.listRuns().length, 1);
});

test("a database of a newer waymark is refused by name, and left as it is", (t) => {
  const file = join(scratchFolder(t), "waymark.db");
  openStore(file).close();
  inSqlite(file, (db) => db.pragma("user_version = 99"));
  for (const readonly of [true, false]) {
    assert.throws(() => openStore(file, { readonly }), { code: "WM_STORE_NEWER" });
  }
  assert.equal(
    inSqlite(file, (db) => db.pragma("user_version", { simple: true })),
    99,
  );
});

test("a file that is no database, a damaged one and another program's are WM_STORE_DAMAGED", (t) => {
  const folder = scratchFolder(t);
  const text = join(folder, "text.db");
  writeFileSync(text, "this is no database at all, but long enough to be looked at as one ".repeat(20));
  const foreign = join(folder, "foreign.db");
  inSqlite(foreign, (db) => db.exec("CREATE TABLE notes (text)"));
  const torn = join(folder, "torn.db");
  openStore(torn).close();
  const bytes = readFileSync(torn);
  writeFileSync(torn, bytes.fill(0xee, 100, 4096));
  for (const file of [text, foreign, torn]) {
    for (const readonly of [true, false]) {
      assert.throws(() => openStore(file, { readonly }), { code: "WM_STORE_DAMAGED" }, `${file} ${readonly}`);
    }
  }
});

test("a lock that stays is WM_STORE_BUSY", (t) => {
  const file = join(scratchFolder(t), "waymark.db");
  openStore(file).close();
  const store = openStore(file, { busyMs: 50 });
  t.after(() => store.close());
  inSqlite(file, (db) => {
    db.exec("BEGIN IMMEDIATE");
    assert.throws(() => store.saveResult(sampleResult("01A"), { gradedAt }), { code: "WM_STORE_BUSY" });
    db.exec("ROLLBACK");
  });
  store.saveResult(sampleResult("01A"), { gradedAt });
});

test("a full database is WM_STORE_FULL and keeps what it had", (t) => {
  const file = join(scratchFolder(t), "waymark.db");
  const store = open(t, file);
  store.saveResult(sampleResult("01A"), { gradedAt });
  const big = sampleResult("01B", { reason: "x".repeat(1_000_000) });
  // SQLite answers SQLITE_FULL both for a full disk and for a database at its page limit
  const limited = openStore(file, { maxPages: 60 });
  t.after(() => limited.close());
  assert.throws(() => limited.saveResult(big, { gradedAt }), { code: "WM_STORE_FULL" });
  assert.deepEqual(
    limited.listRuns().map(({ id }) => id),
    ["01A"],
  );
});

test("a missing database cannot be opened for reading, a missing folder is made for writing", (t) => {
  const file = join(scratchFolder(t), "a", "b", "waymark.db");
  assert.throws(() => openStore(file, { readonly: true }), { code: "WM_STORE_UNREADABLE" });
  openStore(file).close();
  openStore(file, { readonly: true }).close();
});

test("a folder in place of the database is WM_STORE_UNREADABLE", (t) => {
  assert.throws(() => openStore(scratchFolder(t)), { code: "WM_STORE_UNREADABLE" });
});

test("a name that stands for no file is wrong use", () => {
  for (const file of ["", "  ", ":memory:"]) assert.throws(() => openStore(file), { code: "WM_USAGE" }, file);
});

test("a folder that can never be made ends at once", { skip: process.platform !== "linux" }, () => {
  assert.throws(() => openStore("/proc/waymark/x.db"), { code: "WM_STORE_UNREADABLE" });
});

test("a table that is gone and a result that is no JSON are WM_STORE_DAMAGED", (t) => {
  const file = join(scratchFolder(t), "waymark.db");
  const store = open(t, file);
  store.saveResult(sampleResult("01A"), { gradedAt });
  for (const text of ["{", "null", "[]"]) {
    inSqlite(file, (db) => db.prepare("UPDATE runs SET result = ?").run(text));
    assert.throws(() => store.getRun("01A"), { code: "WM_STORE_DAMAGED", message: /result of run 01A/ });
  }
  inSqlite(file, (db) => db.exec("DROP TABLE marker_results"));
  assert.throws(() => store.saveResult(sampleResult("01B"), { gradedAt }), { code: "WM_STORE_DAMAGED" });
});

test("the write-ahead log stays under its cap while a reader looks in between", (t) => {
  const file = join(scratchFolder(t), "waymark.db");
  const store = open(t, file);
  const reader = openStore(file, { readonly: true });
  t.after(() => reader.close());
  const result = (index: number) => sampleResult(`01${index}`, { reason: "x".repeat(20_000) });
  let largest = 0;
  for (let index = 0; index < 1500; index++) {
    store.saveResult(result(index), { gradedAt });
    if (index % 20 === 0) reader.listRuns({ limit: 5 });
    largest = Math.max(largest, statSync(`${file}-wal`).size);
  }
  assert.ok(largest < 64 * 1024 * 1024, `${largest}`);
});
