import type { RowPattern } from "./row-pattern.ts";

/** One way to read a row pattern: the label of each row, and whether an anchor asks for an end of the partition. */
export interface RowWord {
  readonly labels: readonly string[];
  readonly atStart: boolean;
  readonly atEnd: boolean;
}

/**
 * The words of a pattern of at most `rows` rows, each once, in the order in which SQL prefers them: the first alternative
 * before the second, a greedy quantifier once more before leaving, a reluctant one the other way round. A round that
 * takes no row ends its loop, as the standard has it.
 */
export function wordsOf(pattern: RowPattern, rows: number): RowWord[] {
  const words = [...read(pattern, { labels: [], atStart: false, atEnd: false }, rows)];
  return [...new Map(words.map((word) => [JSON.stringify(word), word])).values()];
}

function* read(pattern: RowPattern, before: RowWord, rows: number): Generator<RowWord> {
  switch (pattern.kind) {
    case "row":
      if (!before.atEnd && before.labels.length < rows) yield { ...before, labels: [...before.labels, pattern.label] };
      break;
    case "start":
      if (before.labels.length === 0) yield { ...before, atStart: true };
      break;
    case "end":
      yield { ...before, atEnd: true };
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
    const isEmpty = JSON.stringify(word) === JSON.stringify(before);
    if (!isEmpty) yield* readTimes(loop, word, round + 1);
    else if (round < min) yield word;
  }
}
