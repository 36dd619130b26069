import assert from "node:assert/strict";
import test from "node:test";
import { createBacklog } from "../../../proxy/backlog.ts";
import type { Exchange } from "../../../proxy/record/exchange.ts";

function exchange(id: string, bytes = 0): Exchange {
  const where = { scheme: "https", method: "POST", host: "a.example", port: 443, target: "/" } as const;
  return { id, arrivedAt: 0, ...where, headers: [], body: new Uint8Array(bytes), truncated: false };
}

function recording(failing = "") {
  const seen: string[] = [];
  const failures: unknown[] = [];
  const backlog = createBacklog({
    take({ id }) {
      if (id === failing) throw new Error("broken");
      seen.push(id);
    },
    answered: (id, status) => void seen.push(`${id}:${status}`),
    onFailure: (cause) => void failures.push(cause),
  });
  return { backlog, seen, failures };
}

test("exchanges and answers leave in the order in which they came, and only once", () => {
  const { backlog, seen } = recording();
  backlog.exchange(exchange("a"));
  backlog.answer("a", 500);
  backlog.exchange(exchange("b"));
  backlog.answer("b", undefined);
  assert.deepEqual(seen, [], "nothing is done in the caller's turn");
  backlog.settle();
  backlog.settle();
  assert.deepEqual(seen, ["a", "a:500", "b", "b:undefined"]);
});

test("what waits is worked off without being asked for", async () => {
  const taken = new Promise<string>((resolve) => {
    const backlog = createBacklog({ take: ({ id }) => resolve(id), answered() {}, onFailure() {} });
    backlog.exchange(exchange("a"));
  });
  assert.equal(await taken, "a");
});

test("large bodies do not pile up", () => {
  const { backlog, seen } = recording();
  backlog.exchange(exchange("a", 900_000));
  assert.deepEqual(seen, []);
  backlog.exchange(exchange("b", 200_000));
  assert.deepEqual(seen, ["a", "b"]);
});

test("a failure is told and costs nothing else", () => {
  const { backlog, seen, failures } = recording("b");
  for (const id of ["a", "b", "c"]) backlog.exchange(exchange(id));
  backlog.settle();
  assert.deepEqual(seen, ["a", "c"]);
  assert.equal(failures.length, 1);
});
