import assert from "node:assert/strict";
import test from "node:test";
import { seededRandom } from "../../../examples/chat/random.ts";
import { Distiller } from "../../../grader/learn/distil.ts";
import type { JsonObject } from "../../../proxy/record/json.ts";

/** Many events of one name, whose fields together have a million values. */
function noisy(count: number, seed: number): readonly JsonObject[] {
  const random = seededRandom([seed]);
  return Array.from({ length: count }, (_, at) => ({
    name: "noise",
    data: { a: random.below(40), b: random.below(30), c: random.below(20), id: `${seed}-${at}`, kind: "steady" },
  }));
}

function distilled(...runs: (readonly JsonObject[])[]): Distiller {
  return distil(new Distiller(), runs);
}

function distil(distiller: Distiller, runs: readonly (readonly JsonObject[])[]): Distiller {
  for (const events of runs) {
    const open = distiller.open();
    for (const event of events) open.event(event);
    open.end();
  }
  return distiller;
}

test("a name that comes often keeps what is steady, and few kinds of event", () => {
  const { items } = distilled(noisy(8000, 1), noisy(8000, 2)).corpus();
  assert.equal(items.length, 1);
  assert.deepEqual(
    items[0]?.leaves.map(({ path, value }) => [path, value]),
    [["data.kind", "steady"]],
  );
});

test("what is dropped does not depend on the order of the runs, nor on whether they are added later", () => {
  const runs = [noisy(1500, 1), noisy(900, 2), noisy(3000, 3)] as const;
  const all = distilled(...runs);
  assert.deepEqual(distilled(...[...runs].reverse()).corpus(), all.corpus());
  const first = distilled(runs[1]);
  const grown = new Distiller();
  grown.restore(first.corpus(), first.endless, first.words);
  for (const events of [runs[2], runs[0]]) {
    const open = grown.open();
    for (const event of events) open.event(event);
    open.end();
  }
  assert.deepEqual(grown.corpus(), all.corpus());
  assert.deepEqual(grown.endless, all.endless);
});

test("events that say whether they failed stay apart when their messages vary without end", () => {
  const events = Array.from({ length: 3000 }, (_, at) => ({
    name: "call",
    data: { error: at % 3 === 0 ? "" : `message ${at}`, result: `r${at}`, args: { same: 1 } },
  }));
  const corpus = distilled(events).corpus();
  const failed = [...(corpus.traces[0]?.items ?? [])].map((index) => corpus.items[index]?.failed);
  assert.deepEqual(
    failed,
    events.map((_, at) => at % 3 !== 0),
  );
});

for (const events of [1500, 2500, 6000]) {
  test(`told that ${events} events of a name will come, a distiller comes to what it comes to otherwise`, () => {
    const told = new Distiller();
    told.expect(new Map([["noise", events]]));
    distil(told, [noisy(events, 1)]);
    const untold = distilled(noisy(events, 1));
    assert.ok(told.isAsExpected);
    assert.deepEqual(told.corpus(), untold.corpus());
    assert.deepEqual(told.endless, untold.endless);
  });
}

test("fewer events than expected are as expected only where that makes no difference", () => {
  const withNumber = (expected: number): boolean => {
    const distiller = new Distiller();
    distiller.expect(new Map([["noise", expected]]));
    return distil(distiller, [noisy(2100, 1)]).isAsExpected;
  };
  assert.deepEqual([1, 2000, 2500, 5000, 5001].map(withNumber), [true, true, true, true, false]);
});

test("one value in several spellings is one of the values of a path, and each spelling is kept", () => {
  const spellings = ["1", 1, "1.0", '["b","a"]', ["a", "b"], ["b", "a"], true, "True"];
  const events = Array.from({ length: 6000 }, (_, at) => ({
    name: "spelled",
    data: {
      number: spellings[at % 3] ?? null,
      list: spellings[3 + (at % 3)] ?? null,
      other: spellings[6 + (at % 2)] ?? null,
    },
  }));
  const distiller = distilled(events);
  assert.deepEqual(distiller.endless, []);
  const { items } = distiller.corpus();
  const valuesAt = (path: string): number =>
    new Set(
      items.flatMap(({ leaves }) => leaves.filter((leaf) => leaf.path === path).map((leaf) => JSON.stringify(leaf))),
    ).size;
  assert.deepEqual(["data.number", "data.list", "data.other"].map(valuesAt), [3, 3, 2]);
});

test("integers beyond 2^53 in a list are told apart", () => {
  const events = [90071992547409931n, 90071992547409932n].map((id) => ({ name: "n", data: { ids: [id, 1] } }));
  assert.equal(distilled(events).corpus().items.length, 2);
});
