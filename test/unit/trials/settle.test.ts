import assert from "node:assert/strict";
import test from "node:test";
import { type Clock, DEFAULT_SETTLE, type SettleView, settle } from "../../../grader/trials/settle.ts";

/** A clock that is moved by waiting, and a log that gets an event at each of these times. */
function scene(events: readonly number[], decidedAt = Number.POSITIVE_INFINITY): { clock: Clock; view: SettleView } {
  let now = 0;
  const controller = new AbortController();
  return {
    clock: {
      now: () => now,
      wait: async (ms) => {
        now += ms;
      },
    },
    view: {
      activity: () => String(events.filter((at) => at <= now).length),
      isDecided: () => now >= decidedAt,
      awaited: () => ["checkout: paid"],
      signal: controller.signal,
    },
  };
}

test("nothing comes: two seconds, and what was awaited is kept", async () => {
  const { clock, view } = scene([]);
  assert.deepEqual(await settle(DEFAULT_SETTLE, view, clock), {
    why: "idle",
    waited_ms: 2000,
    awaited: ["checkout: paid"],
  });
});

test("a late event begins the two seconds anew", async () => {
  const { clock, view } = scene([1900, 3000]);
  const { why, waited_ms: waited } = await settle(DEFAULT_SETTLE, view, clock);
  assert.equal(why, "idle");
  assert.ok(waited >= 5000 && waited <= 5050, `${waited} ms`);
});

test("events that never stop are waited for at most fifteen seconds", async () => {
  const { clock, view } = scene(Array.from({ length: 100 }, (_, second) => second * 1000));
  assert.deepEqual(await settle(DEFAULT_SETTLE, view, clock), {
    why: "limit",
    waited_ms: 15_000,
    awaited: ["checkout: paid"],
  });
});

test("a verdict that is final ends the waiting, also before it begins", async () => {
  const late = scene([], 700);
  const { why, waited_ms: waited, awaited } = await settle(DEFAULT_SETTLE, late.view, late.clock);
  assert.deepEqual([why, waited, awaited], ["decided", 700, []]);
  const early = scene([], 0);
  assert.equal((await settle(DEFAULT_SETTLE, early.view, early.clock)).waited_ms, 0);
});

test("no idle time means no waiting, and a stop ends it at once", async () => {
  const { clock, view } = scene([]);
  assert.equal((await settle({ idleMs: 0, maxMs: 15_000 }, view, clock)).waited_ms, 0);
  const stopped = { ...view, signal: AbortSignal.abort() };
  assert.equal((await settle(DEFAULT_SETTLE, stopped, scene([]).clock)).why, "limit");
  const { why } = await settle({ idleMs: 5, maxMs: 10 }, view);
  assert.equal(why, "idle", "the real clock");
});
