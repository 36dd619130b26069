/** Runs of a side whose sequences are compared, for each task; more add little and cost the product of both. */
const MOST_RUNS = 10;

/**
 * Levenshtein's distance of two sequences (Levenshtein 1966): the fewest names to insert, delete or replace that turn
 * one into the other. Time grows with the product of the lengths.
 */
export function editDistance(a: readonly string[], b: readonly string[]): number {
  let last = Array.from({ length: b.length + 1 }, (_, at) => at);
  for (const [row, name] of a.entries()) {
    const next = [row + 1];
    for (const [column, other] of b.entries()) {
      const replaced = (last[column] ?? 0) + (name === other ? 0 : 1);
      next.push(Math.min(replaced, (last[column + 1] ?? 0) + 1, (next[column] ?? 0) + 1));
    }
    last = next;
  }
  return last[b.length] ?? 0;
}

/** How alike two sequences are: 1 minus the edit distance over the longer length; 1 for equal ones, two empty ones too. */
export function similarity(a: readonly string[], b: readonly string[]): number {
  const longer = Math.max(a.length, b.length);
  return longer === 0 ? 1 : 1 - editDistance(a, b) / longer;
}

/** Mean similarity of each of `a` with each of `b` (the first ten of either); undefined when a side is empty. */
export function meanSimilarity(
  a: readonly (readonly string[])[],
  b: readonly (readonly string[])[],
): number | undefined {
  const others = b.slice(0, MOST_RUNS);
  return mean(a.slice(0, MOST_RUNS).flatMap((one) => others.map((other) => similarity(one, other))));
}

/** Mean similarity of every two of the first ten: how alike runs of one side are. Undefined with fewer than two. */
export function selfSimilarity(runs: readonly (readonly string[])[]): number | undefined {
  const chosen = runs.slice(0, MOST_RUNS);
  return mean(chosen.flatMap((one, at) => chosen.slice(at + 1).map((other) => similarity(one, other))));
}

/** The mean; undefined without values. */
export function mean(values: readonly number[]): number | undefined {
  return values.length === 0 ? undefined : values.reduce((sum, value) => sum + value, 0) / values.length;
}
