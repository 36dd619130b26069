import assert from "node:assert/strict";
import { join } from "node:path";
import test, { type TestContext } from "node:test";
import Database from "better-sqlite3";
import { openStore, type Store } from "../../../grader/store/store.ts";
import { sampleResult } from "../../support/result.ts";
import { scratchFolder } from "../../support/scratch.ts";

const AT = "2026-01-02T00:00:00.000Z";

function open(t: TestContext): Store {
  const store = openStore(join(scratchFolder(t), "waymark.db"));
  t.after(() => store.close());
  return store;
}

test("a person's word stands beside the grade and never over it", (t) => {
  const store = open(t);
  store.saveResult(sampleResult("01A", {}), { gradedAt: AT });
  const { verdict, result } = store.getRun("01A");
  store.saveReview("01A", { verdict: "pass", note: "the button was red", at: AT });
  const reviewed = store.getRun("01A");
  assert.deepEqual(reviewed.review, { verdict: "pass", note: "the button was red", at: AT });
  assert.deepEqual([reviewed.verdict, reviewed.result], [verdict, result]);
  assert.throws(() => store.saveReview("01Z", { verdict: "fail", at: AT }), { code: "WM_RUN_NOT_FOUND" });
});

test("labels and evidence hang on a run once, and go with it", (t) => {
  const store = open(t);
  store.saveResult(sampleResult("01A", {}), { gradedAt: AT, labels: ["main"] });
  store.saveResult(sampleResult("01B", {}), { gradedAt: AT });
  store.addLabel("01A", "good");
  store.addLabel("01A", "good");
  store.addArtifact("01A", { kind: "video", path: "run.webm" });
  assert.deepEqual(store.getRun("01A").labels, ["good", "main"]);
  assert.deepEqual(
    store.listRuns({ label: "good" }).map(({ id }) => id),
    ["01A"],
  );
  store.removeLabel("01A", "good");
  assert.deepEqual(store.listRuns({ label: "good" }), []);
  assert.equal(store.removeRuns(["01A", "01Z"]), 1);
  inSqlite(store.file, (db) => {
    for (const table of ["labels", "artifacts", "marker_results"]) {
      assert.deepEqual(db.prepare(`SELECT * FROM ${table} WHERE run = '01A'`).all(), [], table);
    }
  });
});

test("an old log graded again counts in no rate and in no list unless asked for", (t) => {
  const store = open(t);
  store.saveResult(sampleResult("01A", {}), { gradedAt: AT });
  store.saveResult(sampleResult("01B", {}), { gradedAt: AT, regradeOf: "01A" });
  assert.deepEqual(
    store.listRuns().map(({ id }) => id),
    ["01A"],
  );
  assert.equal(store.listRuns({ withRegrades: true }).length, 2);
  assert.equal(store.passRates("scenario")[0]?.runs, 1);
});

test("changes are numbered in order and can be neither changed nor removed, by anyone", (t) => {
  const store = open(t);
  assert.equal(store.addChange({ at: AT, element: "app", kind: "version", size: 3, hash: "1.4.2" }), 1);
  assert.equal(store.addChange({ at: AT, element: "lib", kind: "outside", note: "new machine" }), 2);
  assert.deepEqual(store.listChanges(), [
    { seq: 1, at: AT, element: "app", kind: "version", size: 3, hash: "1.4.2" },
    { seq: 2, at: AT, element: "lib", kind: "outside", note: "new machine" },
  ]);
  inSqlite(store.file, (db) => {
    assert.throws(() => db.exec("DELETE FROM changes"), /append-only/);
    assert.throws(() => db.exec("UPDATE changes SET hash = 'x'"), /append-only/);
  });
});

test("a batch is there from its start, and its end replaces it", (t) => {
  const store = open(t);
  store.saveBatch({ id: "01B", startedAt: AT });
  assert.deepEqual(store.getBatch("01B"), { id: "01B", startedAt: AT });
  const ended = { id: "01B", startedAt: AT, endedAt: AT, verdict: "fail", exitCode: 1, document: "{}" };
  store.saveBatch(ended);
  store.saveBatch({ id: "01C", startedAt: "2026-01-03T00:00:00.000Z" });
  assert.deepEqual(
    store.listBatches().map(({ id }) => id),
    ["01C", "01B"],
  );
  assert.deepEqual(store.getBatch("01B"), ended);
  assert.equal(store.getBatch("01Z"), undefined);
});

function inSqlite(file: string, action: (db: Database.Database) => void): void {
  const db = new Database(file);
  try {
    db.pragma("foreign_keys = ON");
    action(db);
  } finally {
    db.close();
  }
}
