import assert from "node:assert/strict";
import test from "node:test";
import { toDot, viewGraph } from "../../../grader/learn/graph-view.ts";
import { learnRuns } from "../../../grader/learn/learn.ts";
import { toSvg } from "../../../grader/learn/svg.ts";
import { heldRun } from "../../support/learning.ts";

const { model } = learnRuns(
  [
    heldRun("a", ["open <x>", "card", "paid"]),
    heldRun("b", ["open <x>", "paypal", "paid"]),
    heldRun("c", ["open <x>", "paypal", "paid"]),
  ],
  "x",
);

test("the graph says what is essential, optional and convergent, with how many runs took each edge", () => {
  const view = viewGraph(model);
  const kinds = Object.fromEntries(
    view.states.map(({ label, kind, convergent, layer }) => [label, [kind, convergent, layer]]),
  );
  assert.deepEqual(kinds, {
    start: ["start", false, 0],
    "open <x>": ["essential", false, 1],
    card: ["optional", false, 2],
    paypal: ["optional", false, 2],
    paid: ["essential", true, 3],
    end: ["end", false, 4],
  });
  const label = (id: number) => view.states.find((state) => state.id === id)?.label;
  const edges = view.edges.map(({ from, to, runs }) => `${label(from)}>${label(to)}:${runs}`).sort();
  assert.deepEqual(edges, [
    "card>paid:1",
    "open <x>>card:1",
    "open <x>>paypal:2",
    "paid>end:3",
    "paypal>paid:2",
    "start>open <x>:3",
  ]);
});

test("the drawing is well-formed, escapes names, and follows light and dark", () => {
  const svg = toSvg(viewGraph(model));
  assert.match(svg, /^<svg [^>]*viewBox="0 0 \d+ \d+"/);
  assert.match(svg, /open &lt;x&gt;/);
  assert.doesNotMatch(svg, /open <x>/);
  assert.match(svg, /prefers-color-scheme:dark/);
  assert.equal(svg.match(/<path class="edge/g)?.length, 6);
  assert.equal(svg.match(/<g /g)?.length, svg.match(/<\/g>/g)?.length);
});

test("the DOT text has a line for every state and edge", () => {
  const dot = toDot(viewGraph(model));
  assert.equal(dot.match(/ -> /g)?.length, 6);
  assert.equal(dot.match(/style="rounded,dashed"/g)?.length, 2);
});
