import assert from "node:assert/strict";
import { join } from "node:path";
import test, { type TestContext } from "node:test";
import { openStore, type Store } from "../../../grader/store/store.ts";
import { previousVersions, recordVersionChanges, type Versions } from "../../../grader/trials/changes.ts";
import { sampleResult } from "../../support/result.ts";
import { scratchFolder } from "../../support/scratch.ts";

const AT = "2026-01-02T00:00:00.000Z";

function open(t: TestContext): Store {
  const store = openStore(join(scratchFolder(t), "waymark.db"));
  t.after(() => store.close());
  return store;
}

function keep(store: Store, id: string, versions: Versions | undefined, variant?: string): void {
  const details = { ...(versions === undefined ? {} : { versions }), ...(variant === undefined ? {} : { variant }) };
  store.saveResult(sampleResult(id), { gradedAt: `2026-01-0${id.slice(-1)}T00:00:00.000Z`, ...details });
}

test("what was last known of each element comes from the runs of the same scenario and variant", (t) => {
  const store = open(t);
  assert.deepEqual(previousVersions(store, { scenario: "s" }), {});
  keep(store, "1", { app: "1", prompt: "p1" });
  keep(store, "2", { app: "2" });
  keep(store, "3", undefined);
  keep(store, "4", { app: "9" }, "B");
  assert.deepEqual(previousVersions(store, { scenario: "s" }), { app: "2", prompt: "p1" });
  assert.deepEqual(previousVersions(store, { scenario: "s", variant: "B" }), { app: "9" });
  assert.deepEqual(previousVersions(store, { scenario: "other" }), {});
});

test("each element whose version differs becomes a row; new and unnamed ones do not", async (t) => {
  const store = open(t);
  const previous = { app: "1", model: "m-7", prompt: "p1" };
  const current = { app: "2", model: "m-7", git: "abc" };
  const sizeOf = async (element: string) => (element === "app" ? 12 : undefined);
  assert.deepEqual(await recordVersionChanges(store, { previous, current }, { at: AT, sizeOf }), [
    { at: AT, element: "app", kind: "version", hash: "2", note: "from 1", size: 12 },
  ]);
  assert.deepEqual(store.listChanges(), [
    { seq: 1, at: AT, element: "app", kind: "version", hash: "2", note: "from 1", size: 12 },
  ]);
});

test("a change that several scenarios see is written once, and one back again is another", async (t) => {
  const store = open(t);
  const from = (a: string, b: string) =>
    recordVersionChanges(store, { previous: { app: a }, current: { app: b } }, { at: AT });
  assert.equal((await from("1", "2")).length, 1);
  assert.equal((await from("1", "2")).length, 0, "another scenario's run");
  assert.equal((await from("2", "1")).length, 1);
  assert.deepEqual(
    store.listChanges().map(({ hash }) => hash),
    ["2", "1"],
  );
});
