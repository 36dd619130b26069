/** A directed graph: the successors of each node, by index. */
export type Successors = readonly (readonly number[])[];

/**
 * The immediate dominator of every node reachable from `root` (the root's is itself), -1 for the others. Cooper, Harvey
 * and Kennedy, "A Simple, Fast Dominance Algorithm" (2001): iterate over the nodes in reverse postorder and intersect
 * the dominators of their predecessors until nothing changes; near linear on graphs that come from runs.
 */
export function immediateDominators(successors: Successors, root: number): Int32Array {
  const order = reversePostorder(successors, root);
  const rank = new Int32Array(successors.length).fill(-1);
  for (const [index, node] of order.entries()) rank[node] = index;
  const predecessors = predecessorsOf(successors, rank);
  const dominators = new Int32Array(successors.length).fill(-1);
  dominators[root] = root;
  for (let changed = true; changed; ) {
    changed = false;
    for (const node of order) {
      if (node === root) continue;
      const next = meet(predecessors[node] ?? [], dominators, rank);
      if (next === -1 || dominators[node] === next) continue;
      dominators[node] = next;
      changed = true;
    }
  }
  return dominators;
}

/** The nodes that every path from `root` to `node` passes, from the root to the node itself; empty when there is none. */
export function dominatorsOf(node: number, dominators: Int32Array): readonly number[] {
  const chain: number[] = [];
  for (let at = node; (dominators[at] ?? -1) !== -1; at = dominators[at] ?? -1) {
    chain.push(at);
    if (dominators[at] === at) return chain.reverse();
  }
  return [];
}

/** The nodes that are reached, a node before its successors wherever there is no loop. Without recursion: graphs are deep. */
export function reversePostorder(successors: Successors, root: number): readonly number[] {
  const order: number[] = [];
  const isSeen = new Uint8Array(successors.length);
  const stack: { node: number; next: number }[] = [{ node: root, next: 0 }];
  isSeen[root] = 1;
  for (let top = stack.at(-1); top !== undefined; top = stack.at(-1)) {
    const successor = successors[top.node]?.[top.next++];
    if (successor === undefined) {
      order.push(top.node);
      stack.pop();
    } else if (isSeen[successor] === 0) {
      isSeen[successor] = 1;
      stack.push({ node: successor, next: 0 });
    }
  }
  return order.reverse();
}

function predecessorsOf(successors: Successors, rank: Int32Array): readonly (readonly number[])[] {
  const predecessors: number[][] = successors.map(() => []);
  for (const [node, list] of successors.entries()) {
    if (rank[node] === -1) continue;
    for (const successor of list) predecessors[successor]?.push(node);
  }
  return predecessors;
}

function meet(predecessors: readonly number[], dominators: Int32Array, rank: Int32Array): number {
  let met = -1;
  for (const one of predecessors) {
    if ((dominators[one] ?? -1) === -1) continue;
    met = met === -1 ? one : intersect(met, one, { dominators, rank });
  }
  return met;
}

interface Tree {
  readonly dominators: Int32Array;
  readonly rank: Int32Array;
}

function intersect(a: number, b: number, { dominators, rank }: Tree): number {
  let one = a;
  let other = b;
  while (one !== other) {
    while ((rank[one] ?? 0) > (rank[other] ?? 0)) one = dominators[one] ?? 0;
    while ((rank[other] ?? 0) > (rank[one] ?? 0)) other = dominators[other] ?? 0;
  }
  return one;
}
