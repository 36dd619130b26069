/**
 * A prefix tree acceptor: runs that begin alike share states until they part. State 0 is the start. Lists instead of
 * objects, because ten runs of 100,000 events make a million states.
 */
export interface Pta {
  /** The symbol that leads into each state (-1 for the start). */
  readonly symbols: readonly number[];
  readonly parents: readonly number[];
  /** Runs that pass each state. */
  readonly counts: readonly number[];
  /** The states in which runs end, one for each run. */
  readonly ends: readonly number[];
}

/** Builds the tree of the runs, each a list of symbols. */
export function buildPta(runs: readonly Iterable<number>[]): Pta {
  const symbols = [-1];
  const parents = [-1];
  const counts = [runs.length];
  const firstChild = [-1];
  const nextSibling = [-1];
  const childOf = (state: number, symbol: number): number => {
    let last = -1;
    for (let child = firstChild[state] ?? -1; child !== -1; child = nextSibling[child] ?? -1) {
      if (symbols[child] === symbol) return child;
      last = child;
    }
    const made = symbols.length;
    symbols.push(symbol);
    parents.push(state);
    counts.push(0);
    firstChild.push(-1);
    nextSibling.push(-1);
    if (last === -1) firstChild[state] = made;
    else nextSibling[last] = made;
    return made;
  };
  const ends = runs.map((run) => {
    let state = 0;
    for (const symbol of run) {
      state = childOf(state, symbol);
      counts[state] = (counts[state] ?? 0) + 1;
    }
    return state;
  });
  return { symbols, parents, counts, ends };
}
