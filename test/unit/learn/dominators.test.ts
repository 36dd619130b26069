import assert from "node:assert/strict";
import test from "node:test";
import { seededRandom } from "../../../examples/chat/random.ts";
import {
  dominatorsOf,
  immediateDominators,
  reversePostorder,
  type Successors,
} from "../../../grader/learn/dominators.ts";

/** Nodes on every simple path from 0 to `end`: path enumeration, the definition itself. */
function onEveryPath(successors: Successors, end: number): readonly number[] {
  let shared: Set<number> | undefined;
  const walk = (path: readonly number[]): void => {
    const at = path.at(-1) ?? 0;
    if (at === end) {
      shared = new Set(shared === undefined ? path : [...shared].filter((node) => path.includes(node)));
      return;
    }
    for (const next of successors[at] ?? []) if (!path.includes(next)) walk([...path, next]);
  };
  walk([0]);
  return [...(shared ?? [])].sort((a, b) => a - b);
}

function randomGraph(seed: number): number[][] {
  const random = seededRandom([seed]);
  const nodes = 2 + random.below(6);
  return Array.from({ length: nodes }, () =>
    Array.from({ length: nodes }, (_, to) => to).filter(() => random.chance(0.35)),
  );
}

test("dominators are what path enumeration finds, on 10,000 random small graphs", () => {
  for (let seed = 0; seed < 10_000; seed++) {
    const graph = randomGraph(seed);
    const dominators = immediateDominators(graph, 0);
    for (const node of graph.keys()) {
      const found = [...dominatorsOf(node, dominators)].sort((a, b) => a - b);
      assert.deepEqual(found, onEveryPath(graph, node), `seed ${seed}, node ${node}: ${JSON.stringify(graph)}`);
    }
  }
});

test("the paper's own figure, an irreducible graph, has the root as everyone's dominator", () => {
  // Cooper, Harvey, Kennedy, figure 2: 5 -> 4, 3; 4 -> 1; 3 -> 2; 1 -> 2; 2 -> 1 (here renumbered, root 0).
  const graph = [[1, 2], [3], [4], [4], [3]];
  assert.deepEqual([...immediateDominators(graph, 0)], [0, 0, 0, 0, 0]);
});

test("a chain of 200,000 states needs no deep stack", () => {
  const chain = Array.from({ length: 200_000 }, (_, at) => (at === 199_999 ? [] : [at + 1]));
  assert.equal(dominatorsOf(199_999, immediateDominators(chain, 0)).length, 200_000);
  assert.equal(reversePostorder(chain, 0)[0], 0);
});
