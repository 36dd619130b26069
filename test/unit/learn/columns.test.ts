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
  const distiller = new Distiller();
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
