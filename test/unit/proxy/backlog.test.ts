import assert from "node:assert/strict";
import test from "node:test";
import { type Captured, createBacklog } from "../../../proxy/backlog.ts";
import type { Exchange } from "../../../proxy/record/exchange.ts";

function exchange(id: string, bytes = 0): Exchange {
  const where = { scheme: "https", method: "POST", host: "a.example", port: 443, target: "/" } as const;
  return { id, arrivedAt: 0, ...where, headers: [], body: new Uint8Array(bytes), truncated: false };
}

function named(captured: Captured): string {
  if (captured.kind === "exchange") return captured.exchange.id;
  return captured.kind === "answer" ? `${captured.id}:${captured.status}` : `${captured.exchanges} lost`;
}

/** A receiver that notes what it is given, batch by batch. */
function recording(maxWaitingBytes?: number) {
  const seen: string[][] = [];
  const state = { isReady: true };
  const backlog = createBacklog(maxWaitingBytes);
  const receiver = {
    isReady: () => state.isReady,
    work: (all: readonly Captured[]) => void seen.push(all.map(named)),
  };
  return { backlog, seen, state, receiver };
}

test("exchanges and answers leave together in the order in which they came, and only once", () => {
  const { backlog, seen, receiver } = recording();
  backlog.handTo(receiver);
  backlog.exchange(exchange("a"));
  backlog.answer("a", 500);
  backlog.exchange(exchange("b"));
  backlog.answer("b", undefined);
  assert.deepEqual(seen, [], "nothing is done in the caller's turn");
  backlog.settle();
  backlog.settle();
  assert.deepEqual(seen, [["a", "a:500", "b", "b:undefined"]]);
});

test("what waits is handed over without being asked for", async () => {
  const taken = new Promise<string[]>((resolve) => {
    const backlog = createBacklog();
    backlog.handTo({ isReady: () => true, work: (all) => resolve(all.map(named)) });
    backlog.exchange(exchange("a"));
  });
  assert.deepEqual(await taken, ["a"]);
});

test("much is handed over at once, in batches of bounded size; a single body may be larger", () => {
  const { backlog, seen, receiver } = recording();
  backlog.handTo(receiver);
  backlog.exchange(exchange("a", 200_000));
  assert.deepEqual(seen, []);
  backlog.exchange(exchange("b", 100_000));
  assert.deepEqual(seen, [["a"], ["b"]]);
  backlog.exchange(exchange("c", 9_000_000));
  backlog.answer("c", 200);
  assert.deepEqual(seen.slice(2), [["c"]]);
});

test("a receiver that has enough is given no more of what waits", () => {
  const { backlog, seen, state, receiver } = recording();
  for (const id of ["a", "b", "c"]) backlog.exchange(exchange(id, 200_000));
  backlog.answer("a", 200);
  const work = (all: readonly Captured[]): void => {
    receiver.work(all);
    state.isReady = seen.length < 2;
  };
  backlog.handTo({ isReady: receiver.isReady, work });
  assert.deepEqual(seen, [["a"], ["b"]]);
  state.isReady = true;
  backlog.settle();
  assert.deepEqual(seen.slice(2), [["c", "a:200"]]);
});

test("what comes before there is a receiver waits for it", () => {
  const { backlog, seen, receiver } = recording();
  backlog.exchange(exchange("a", 2_000_000));
  backlog.settle();
  backlog.empty();
  backlog.answer("a", 200);
  backlog.handTo(receiver);
  assert.deepEqual(seen, [["a", "a:200"]]);
});

test("a receiver that lags is given nothing until it is ready or all has to go", () => {
  const { backlog, seen, state, receiver } = recording();
  backlog.handTo(receiver);
  state.isReady = false;
  backlog.exchange(exchange("a", 2_000_000));
  backlog.settle();
  assert.deepEqual(seen, []);
  state.isReady = true;
  backlog.settle();
  state.isReady = false;
  backlog.exchange(exchange("b"));
  backlog.empty();
  assert.deepEqual(seen, [["a"], ["b"]]);
});

test("what is more than may wait is lost, counted where it is missing, and one alone is never too much", () => {
  const { backlog, seen, state, receiver } = recording(10_000);
  backlog.handTo(receiver);
  state.isReady = false;
  backlog.exchange(exchange("a", 20_000));
  for (const id of ["b", "c"]) {
    backlog.exchange(exchange(id));
    backlog.answer(id, 200);
  }
  backlog.empty();
  backlog.exchange(exchange("d"));
  backlog.empty();
  assert.deepEqual(seen, [["a", "2 lost"], ["d"]]);
});

test("what is too much is turned away until half of it has gone, so that one loss stands for many", () => {
  const { backlog, seen, state, receiver } = recording(1_000_000);
  state.isReady = false;
  backlog.handTo(receiver);
  for (let number = 0; number < 4; number += 1) backlog.exchange(exchange(`a${number}`, 240_000));
  backlog.exchange(exchange("b", 200_000));
  backlog.handTo({ isReady: () => seen.length < 1, work: receiver.work });
  backlog.exchange(exchange("c"));
  backlog.handTo({ isReady: () => seen.length < 2, work: receiver.work });
  backlog.exchange(exchange("d"));
  backlog.empty();
  assert.deepEqual(seen, [["a0"], ["a1"], ["a2"], ["a3", "2 lost", "d"]]);
});
