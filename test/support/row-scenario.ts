import type { JsonObject } from "../../proxy/record/json.ts";
import type { RowDefinitions } from "./row-define.ts";
import type { RowPattern } from "./row-pattern.ts";
import { labelsOf, type RowWord } from "./row-words.ts";

/**
 * The rows of a partition as a log: an event that opens it, one event per row, an event that closes it. The first and
 * the last carry null in every field of a row, which is what SQL sees beyond the ends of a partition. The event of row
 * `n` (from 0) is event `n + 1`.
 */
export function partitionLog(rows: readonly JsonObject[]): JsonObject[] {
  const outside = Object.fromEntries(rows.flatMap((row) => Object.keys(row)).map((field) => [field, null]));
  const events = rows.map((row, index) => ({ ...row, row: index + 1 }));
  return [{ ...outside, partition: "start" }, ...events, { ...outside, partition: "end" }];
}

/** True when a row of the word is compared with a label that no row before it has: in SQL a comparison with null. */
export function isVoid(word: RowWord, definitions: RowDefinitions): boolean {
  return word.some((label, at) => definitions.test(label).refersTo.some((of) => !word.slice(0, at).includes(of)));
}

/** The event before the match is the first marker; `^` at the beginning is a test of it. */
const OPENING = "^";

/** A word as its markers behind the first one. */
export function stepsOf(word: RowWord): RowWord {
  return word[0] === OPENING ? word.slice(1) : word;
}

/**
 * A word as markers: the event before the match (which gives the first row something to look back at, and is the opening
 * one for `^`), then each row and anchor as the very next event: for `$` the closing one. After a word of no rows there
 * has to be a row still, for SQL's matches begin at a row.
 */
export function wordMarkers(word: RowWord, definitions: RowDefinitions): JsonObject[] {
  const steps = stepsOf(word).map((step) => stepMarker(step, definitions));
  const further = labelsOf(word).length === 0 ? [{ where: { "row|exists": true }, immediately: true }] : [];
  return [before(definitions, word[0] === OPENING), ...steps, ...further];
}

function stepMarker(step: string, definitions: RowDefinitions): JsonObject {
  if (step === "^") return { where: { partition: "start" }, immediately: true };
  return step === "$" ? { where: { partition: "end" }, immediately: true } : rowMarker(step, definitions);
}

function before(definitions: RowDefinitions, atStart: boolean): JsonObject {
  const capture = definitions.captures("");
  return { where: atStart ? { partition: "start" } : {}, ...(isEmpty(capture) ? {} : { capture }) };
}

function rowMarker(label: string, definitions: RowDefinitions): JsonObject {
  const capture = definitions.captures(label);
  const { where } = definitions.test(label);
  return { where, immediately: true, ...(isEmpty(capture) ? {} : { capture }) };
}

function isEmpty(map: JsonObject): boolean {
  return Object.keys(map).length === 0;
}

/** The whole pattern as one list of alternatives. */
export function wordsMarkers(words: readonly RowWord[], definitions: RowDefinitions): JsonObject[] {
  return [{ one_of: words.map((word) => wordMarkers(word, definitions)) }];
}

/** True for a pattern whose parts can become blocks one by one: no anchor, no row compared with that of another label. */
export function isNestable(pattern: RowPattern, definitions: RowDefinitions): boolean {
  switch (pattern.kind) {
    case "row":
      return definitions.test(pattern.label).refersTo.length === 0;
    case "times":
      return isNestable(pattern.item, definitions);
    case "all":
    case "any":
      return pattern.items.every((item) => isNestable(item, definitions));
    default:
      return false;
  }
}

/**
 * The whole pattern as it is written: alternatives as `one_of`, what may be left out as an optional `sequence`, a loop as
 * optional rounds inside each other, as many as the partition has `rows`. (A loop of rows that look back is no `repeat`:
 * what a round captures is not known in the next one, LANGUAGE.md section 4.5.)
 */
export function nestedMarkers(pattern: RowPattern, definitions: RowDefinitions, rows: number): JsonObject[] {
  return [before(definitions, false), ...nested(pattern)];

  function nested(part: RowPattern): JsonObject[] {
    switch (part.kind) {
      case "row":
        return [rowMarker(part.label, definitions)];
      case "all":
        return part.items.flatMap(nested);
      case "any":
        return alternatives(part.items.map(nested));
      case "times":
        return loop(nested(part.item), part.min, Math.min(part.max, Math.max(part.min, rows)));
      default:
        throw new Error("an anchor is no block");
    }
  }
}

function alternatives(lists: readonly JsonObject[][]): JsonObject[] {
  const [first = []] = lists;
  if (lists.length < 2) return first;
  const some = lists.filter((list) => list.length > 0);
  if (some.length === 0) return [];
  return [{ one_of: some, ...(some.length < lists.length ? { optional: true } : {}) }];
}

function loop(round: readonly JsonObject[], min: number, max: number): JsonObject[] {
  if (round.length === 0) return [];
  const rounds = (left: number): JsonObject[] =>
    left === 0 ? [] : [{ sequence: [...round, ...rounds(left - 1)], optional: true }];
  return [...Array.from({ length: min }, () => round).flat(), ...rounds(max - min)];
}
