import assert from "node:assert/strict";
import { setMaxListeners } from "node:events";
import test from "node:test";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { deadlineOf } from "../../../grader/deadline.ts";

test("a deadline comes although garbage was collected meanwhile, and lets go of the other signal", async () => {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void;
  const other = new AbortController();
  setMaxListeners(0, other.signal);
  const came = Array.from({ length: 20 }, async () => {
    const deadline = deadlineOf(100, other.signal);
    await new Promise((resolve) => deadline?.signal.addEventListener("abort", resolve, { once: true }));
    deadline?.clear();
  });
  collect();
  await Promise.all(came);
  assert.equal(other.signal.aborted, false);
});

test("the other signal ends it at once, also one that came before", () => {
  const other = new AbortController();
  const deadline = deadlineOf(60_000, other.signal);
  other.abort();
  assert.equal(deadline?.signal.aborted, true);
  deadline?.clear();
  const late = deadlineOf(60_000, other.signal);
  assert.equal(late?.signal.aborted, true);
  late?.clear();
  assert.equal(deadlineOf(undefined, undefined), undefined);
  assert.equal(deadlineOf(undefined, other.signal)?.signal, other.signal);
});
