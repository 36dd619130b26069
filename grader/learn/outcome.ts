import type { Classes } from "./classes.ts";
import { holdsLongInteger } from "./facts.ts";
import type { Corpus, Item, Leaf } from "./trace.ts";

/** How good runs come out: the answers of their last call. */
export interface Outcome {
  readonly path: string;
  /** Different answers that good runs ended with, most frequent first. */
  readonly answers: readonly { readonly leaf: Leaf; readonly runs: number }[];
  /** The answers say so little (nothing, or one character) that others could give them as well. */
  readonly isWeak: boolean;
  /** The last calls themselves worked. */
  readonly worked: boolean;
}

const MOST_ANSWERS = 10;

/**
 * What the last call of every run answered, when the runs agree on it: all of them, or at least two of them where no
 * effect tells good from bad; beside effects an answer that says nothing is none. Undefined where they do not, or where some run ends without an answer.
 */
export function findOutcome(corpus: Corpus, classes: Classes, hasEffects: boolean): Outcome | undefined {
  const lasts = corpus.traces.map((trace) => lastWork(corpus, classes, trace.items));
  const leaves = lasts.flatMap((item) => (item?.outcome === undefined ? [] : [item.outcome]));
  const [first] = leaves;
  if (first === undefined || leaves.length < lasts.length || leaves.some(({ path }) => path !== first.path))
    return undefined;
  if (leaves.some(({ value }) => holdsLongInteger(value))) return undefined;
  const byKey = new Map<string, { leaf: Leaf; runs: number }>();
  for (const leaf of leaves) {
    const known = byKey.get(leaf.key);
    if (known === undefined) byKey.set(leaf.key, { leaf, runs: 1 });
    else known.runs += 1;
  }
  const answers = [...byKey.values()].sort((a, b) => b.runs - a.runs || (a.leaf.key < b.leaf.key ? -1 : 1));
  const agrees = hasEffects ? answers.length === 1 && leaves.length > 2 : (answers[0]?.runs ?? 0) > 1;
  const weak = answers.some(({ leaf }) => isWeak(leaf));
  if (!agrees || (weak && hasEffects) || answers.length > MOST_ANSWERS) return undefined;
  return {
    path: first.path,
    answers,
    isWeak: weak,
    worked: lasts.every((item) => item?.failed === false),
  };
}

/** The last event that is neither noise nor a claim. */
function lastWork({ items }: Corpus, { of }: Classes, trace: Iterable<number>): Item | undefined {
  const work = [...trace].filter((index) => of[index] !== "noise" && of[index] !== "claim");
  return items[work.at(-1) ?? -1];
}

const SHORTEST_ANSWER = 3;

function isWeak({ value }: Leaf): boolean {
  if (typeof value === "string") return value.trim().length < SHORTEST_ANSWER;
  if (value === null || typeof value === "boolean") return true;
  return Array.isArray(value) ? value.length === 0 : typeof value === "object" && Object.keys(value).length === 0;
}
