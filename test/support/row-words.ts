import type { RowPattern } from "./row-pattern.ts";

/** One way to read a row pattern: labels, one per row, and the anchors `^` and `$` where they stand. */
export type RowWord = readonly string[];

/** The labels of a word. */
export function labelsOf(word: RowWord): string[] {
  return word.filter((step) => step !== "^" && step !== "$");
}

/**
 * The words of a pattern of at most `rows` rows (of as many as its shortest one has, when that has more), each once, in
 * the order in which SQL prefers them: the first alternative before the second, a greedy quantifier once more before
 * leaving, a reluctant one the other way round. A round that takes no row ends its loop, as the standard has it.
 */
export function wordsOf(pattern: RowPattern, rows: number): RowWord[] {
  const words = [...read(pattern, [], Math.max(rows, shortest(pattern)))];
  return [...new Map(words.map((word) => [word.join(" "), word])).values()];
}

function shortest(pattern: RowPattern): number {
  switch (pattern.kind) {
    case "row":
      return 1;
    case "any":
      return Math.min(...pattern.items.map(shortest));
    case "all":
      return pattern.items.reduce((sum, item) => sum + shortest(item), 0);
    case "times":
      return pattern.min * shortest(pattern.item);
    default:
      return 0;
  }
}

function* read(pattern: RowPattern, before: RowWord, rows: number): Generator<RowWord> {
  switch (pattern.kind) {
    case "row":
      if (labelsOf(before).length < rows) yield [...before, pattern.label];
      break;
    case "start":
      yield anchored(before, "^");
      break;
    case "end":
      yield anchored(before, "$");
      break;
    case "any":
      for (const item of pattern.items) yield* read(item, before, rows);
      break;
    case "all":
      yield* readAll(pattern.items, before, rows);
      break;
    case "times":
      yield* readTimes({ pattern, rows }, before, 0);
  }
}

/** An anchor takes no row: twice the same one in a row says no more than once. */
function anchored(before: RowWord, anchor: string): RowWord {
  return before.at(-1) === anchor ? before : [...before, anchor];
}

function* readAll(items: readonly RowPattern[], before: RowWord, rows: number): Generator<RowWord> {
  const [first, ...others] = items;
  if (first === undefined) yield before;
  else for (const word of read(first, before, rows)) yield* readAll(others, word, rows);
}

interface Loop {
  readonly pattern: Extract<RowPattern, { kind: "times" }>;
  readonly rows: number;
}

function* readTimes(loop: Loop, before: RowWord, round: number): Generator<RowWord> {
  const { min, greedy } = loop.pattern;
  if (!greedy && round >= min) yield before;
  yield* readRound(loop, before, round);
  if (greedy && round >= min) yield before;
}

function* readRound(loop: Loop, before: RowWord, round: number): Generator<RowWord> {
  const { item, min, max } = loop.pattern;
  if (round >= max) return;
  for (const word of read(item, before, loop.rows)) {
    const takesRow = labelsOf(word).length > labelsOf(before).length;
    if (takesRow) yield* readTimes(loop, word, round + 1);
    else if (round < min || word.length > before.length) yield word;
  }
}
