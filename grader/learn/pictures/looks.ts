import { basename, extname } from "node:path";
import { type Comparison, comparePictures, type Picture } from "./compare.ts";

/** What a judge said of two pictures that the tiers left open, with what it was told. */
export interface Ruling {
  /** Digests of the two files, the smaller one first. */
  readonly pair: readonly [string, string];
  readonly same: boolean;
  readonly why?: string;
  readonly by: string;
  readonly comparison: Comparison;
}

/** What pictures of one state look like. */
export interface Look {
  /** The smallest digest of the pictures. */
  readonly id: string;
  /** Name of that picture's file, without folder and ending, for people. */
  readonly label: string;
}

/** Which pictures show the same state. */
export interface Looks {
  /** The look of each picture, by its digest. */
  readonly of: ReadonlyMap<string, Look>;
  /** Pairs that nobody decided; they count as different. */
  readonly open: readonly Open[];
  /** Pairs told to be the same, by tier. */
  readonly merged: Readonly<Record<Comparison["tier"] | "judge", number>>;
}

export interface Open {
  readonly a: Picture;
  readonly b: Picture;
  readonly comparison: Comparison;
}

/**
 * Sorts pictures into looks. Pictures are one look when each of them is the same as each other; of a chain of pictures
 * whose ends differ none are merged, because then nobody knows where to cut. The order of the pictures does not matter.
 */
export function findLooks(pictures: readonly Picture[], rulings: readonly Ruling[] = []): Looks {
  const byDigest = [...new Map(pictures.map((one) => [one.digest, one])).entries()];
  const all = byDigest.sort(([a], [b]) => (a < b ? -1 : 1)).map(([, picture]) => picture);
  const ruled = new Map(rulings.map(({ pair, same }) => [pair.join(), same]));
  const merged = { exact: pictures.length - all.length, shape: 0, hash: 0, similarity: 0, judge: 0 };
  const open: Open[] = [];
  const same = all.map((): Set<number> => new Set());
  for (const { a, b, i, j } of pairsOf(all)) {
    const comparison = comparePictures(a, b);
    const ruling = comparison.answer === "open" ? ruled.get(`${a.digest},${b.digest}`) : undefined;
    if (comparison.answer === "open" && ruling === undefined) open.push({ a, b, comparison });
    if (comparison.answer !== "same" && ruling !== true) continue;
    merged[ruling === true ? "judge" : comparison.tier]++;
    same[i]?.add(j);
    same[j]?.add(i);
  }
  return { of: looksOf(all, same), open, merged };
}

function* pairsOf(all: readonly Picture[]): Generator<{ a: Picture; b: Picture; i: number; j: number }> {
  for (const [i, a] of all.entries()) {
    for (const [offset, b] of all.slice(i + 1).entries()) yield { a, b, i, j: i + 1 + offset };
  }
}

function looksOf(all: readonly Picture[], same: readonly ReadonlySet<number>[]): ReadonlyMap<string, Look> {
  const of = new Map(all.map((picture) => [picture.digest, lookOf(picture)]));
  for (const group of cliques(same)) {
    const first = all[group[0] ?? -1];
    for (const at of group) if (first !== undefined) of.set(all[at]?.digest ?? "", lookOf(first));
  }
  return of;
}

function lookOf({ digest, file }: Picture): Look {
  return { id: digest, label: basename(file, extname(file)) };
}

/** Groups of neighbours in which all are neighbours of all, smallest member first. */
function cliques(neighbours: readonly ReadonlySet<number>[]): readonly (readonly number[])[] {
  const seen = new Set<number>();
  const groups: number[][] = [];
  for (const seed of neighbours.keys()) {
    if (seen.has(seed)) continue;
    const group = [seed];
    seen.add(seed);
    for (const member of group) {
      for (const next of neighbours[member] ?? []) {
        if (seen.has(next)) continue;
        seen.add(next);
        group.push(next);
      }
    }
    if (group.every((at) => neighbours[at]?.size === group.length - 1)) groups.push(group.sort((a, b) => a - b));
  }
  return groups;
}
