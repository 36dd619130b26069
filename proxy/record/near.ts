/**
 * The known names most like `typed`, best first, at most three; for "did you mean". A name counts as near when at most
 * a third of its letters differ (Damerau-Levenshtein, optimal string alignment) or when one contains the other.
 */
export function nearest(typed: string, known: Iterable<string>): string[] {
  const wanted = typed.toLowerCase();
  const scored: { name: string; distance: number }[] = [];
  for (const name of new Set(known)) {
    const candidate = name.toLowerCase();
    const distance = editDistance(wanted, candidate);
    const shorter = Math.min(wanted.length, candidate.length);
    const contained = shorter > 2 && (candidate.includes(wanted) || wanted.includes(candidate));
    if (contained || distance <= Math.floor(Math.max(wanted.length, candidate.length) / 3)) {
      scored.push({ name, distance });
    }
  }
  // Letters are left out more often than added, so of two as near the longer one comes first.
  scored.sort((a, b) => a.distance - b.distance || b.name.length - a.name.length || (a.name < b.name ? -1 : 1));
  return scored.slice(0, 3).map(({ name }) => name);
}

/** A sentence end such as ` — did you mean "within"?`, or "" when nothing is near. */
export function didYouMean(typed: string, known: Iterable<string>): string {
  const [best] = nearest(typed, known);
  return best === undefined ? "" : ` — did you mean "${best}"?`;
}

function editDistance(a: string, b: string): number {
  if (a.length > 200 || b.length > 200) return Math.abs(a.length - b.length) + 200;
  let beforeLast: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1] ? 0 : 1;
      let best = Math.min(at(last, j) + 1, at(row, j - 1) + 1, at(last, j - 1) + same);
      const swapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      if (swapped) best = Math.min(best, at(beforeLast, j - 2) + 1);
      row.push(best);
    }
    beforeLast = last;
    last = row;
  }
  return at(last, b.length);
}

function at(row: readonly number[], index: number): number {
  return row[index] ?? Number.POSITIVE_INFINITY;
}
