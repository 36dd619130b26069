import assert from "node:assert/strict";
import test from "node:test";
import type { JsonObject, JsonValue } from "../../../proxy/record/json.ts";
import { gradeEvents } from "../../support/grade-events.ts";
import { type OracleCase, readOracle, report, tally } from "../../support/oracle.ts";
import { needsShared } from "../../support/project.ts";
import { bruteForcePlaces } from "../../support/row-brute-force.ts";
import { type RowDefinitions, rowDefinitions } from "../../support/row-define.ts";
import { placesOf, type RowMatch, reported } from "../../support/row-matches.ts";
import { parseRowPattern, type RowPattern } from "../../support/row-pattern.ts";
import { isNestable, isVoid, nestedMarkers, partitionLog, wordsMarkers } from "../../support/row-scenario.ts";
import { labelsOf, type RowWord, wordsOf } from "../../support/row-words.ts";

const shared = needsShared("oracles");

interface RowCase extends OracleCase {
  readonly pattern: OracleCase["pattern"] & {
    readonly formal_row_pattern: string;
    readonly define: string;
    readonly after_match: string;
  };
}

/** A row pattern read, with all its words. */
interface Reading {
  readonly tree: RowPattern;
  readonly definitions: RowDefinitions;
  readonly words: readonly RowWord[];
}

function read({ pattern, events }: RowCase): Reading {
  const tree = parseRowPattern(pattern.formal_row_pattern);
  const definitions = rowDefinitions(pattern.define);
  const words = wordsOf(tree, events.length).filter((word) => !isVoid(word, definitions));
  return { tree, definitions, words };
}

/** The matches of the bank, in whichever of its three forms; the last one gives labels without rows. */
function expectedMatches({ expected }: RowCase): readonly (readonly JsonValue[])[] {
  const labels = expected["labels_per_match"] as readonly JsonValue[][] | undefined;
  if (labels !== undefined) return labels;
  const matches = expected["matches"] as readonly (JsonValue[] | { from: number; labels: JsonValue[] })[];
  return matches.map((match) => (Array.isArray(match) ? match : [match.from, ...match.labels]));
}

/** What is wrong with these places as the matches of the bank. */
function checkMatches(places: readonly RowMatch[], one: RowCase): string {
  const own = JSON.stringify(inForm(reported(places, one.pattern.after_match), one));
  const wanted = JSON.stringify(expectedMatches(one));
  return own === wanted ? "" : `matches ${own}, expected ${wanted}`;
}

function inForm(matches: readonly RowMatch[], { expected }: RowCase): readonly (readonly JsonValue[])[] {
  if (expected["labels_per_match"] !== undefined) return matches.map(({ labels }) => labels.map(([, label]) => label));
  const [first] = expected["matches"] as readonly JsonValue[];
  const hasFrom = first !== undefined && !Array.isArray(first);
  return matches.map(({ from, labels }) => [...(hasFrom ? [from] : []), ...labels.map(([row, label]) => [row, label])]);
}

/**
 * All matches that the bank lists: which rows, under which labels, in which order. Each word of the pattern is graded as
 * a scenario of its own; SQL's choice among the words at one row (greedy, reluctant, first alternative) and where it goes
 * on after a match are the driver's, because waymark promises the earliest end and one match per session (LANGUAGE.md
 * sections 4.5 and 15.7).
 */
test("sql_match_recognize: every match of the bank, with its rows and labels", shared, (t) => {
  const result = tally(readOracle("sql_match_recognize"), (one) => {
    const { words, definitions } = read(one as RowCase);
    return checkMatches(placesOf(words, one.events, definitions), one as RowCase);
  });
  report(t, "sql_match_recognize", result);
});

/**
 * The whole pattern as ONE scenario, graded once on the whole log, in the form of alternatives and in that of blocks: it
 * is found exactly if there is a match, and reports what LANGUAGE.md section 4.5 promises: the events of the match that
 * ends first, of those the one with the smallest lines. Which one that is, is found by trying every word at every row
 * without waymark, which has to agree with the bank first. That waymark reports it is a documented difference from SQL,
 * which prefers the longer match where a greedy quantifier (`C+`, `B{1,}`, an optional tail) takes more rows than it
 * needs: there waymark stops in the same match as soon as it is complete. These cases are printed; in all others both
 * report the same rows.
 */
test("sql_match_recognize: each pattern as one scenario reports the match that ends first", shared, (t) => {
  const cases = readOracle("sql_match_recognize") as RowCase[];
  report(
    t,
    "sql_match_recognize as one scenario",
    tally(cases, (one) => checkOneScenario(one as RowCase)),
  );
  for (const one of cases) {
    const places = tried(read(one), one);
    const first = reported(places, one.pattern.after_match)[0]?.events.join() ?? "";
    const wanted = endingFirst(counted(places, one).map(({ events }) => events))?.join() ?? "";
    const differs = first.startsWith(`${wanted},`) ? "goes on in the same match" : "prefers another match";
    if (first !== wanted) t.diagnostic(`SQL ${differs}: ${one.id}`);
  }
});

function tried({ words }: Reading, { events, pattern }: RowCase): RowMatch[] {
  return bruteForcePlaces(words, events, pattern.define);
}

/** Esper counts no match without a row. */
function counted(places: readonly RowMatch[], { pattern }: RowCase): readonly RowMatch[] {
  return pattern.after_match.startsWith("ALL MATCHES") ? places.filter(({ labels }) => labels.length > 0) : places;
}

function checkOneScenario(one: RowCase): string {
  const reading = read(one);
  const wrong = checkMatches(tried(reading, one), one);
  const log = partitionLog(one.events);
  return [wrong, ...formsOf(reading, one).map((form) => checkForm(form, log))].filter((text) => text !== "").join("; ");
}

function checkForm({ form, markers, wanted }: Form, log: readonly JsonObject[]): string {
  const { matchedInOrder, matchIndices } = gradeEvents({ markers }, log);
  if (matchedInOrder !== (wanted !== undefined)) return `${form}: found ${matchedInOrder}`;
  const isRight = wanted === undefined || wanted.join() === matchIndices.join();
  return isRight ? "" : `${form}: events ${matchIndices.join()}, expected ${wanted.join()}`;
}

interface Form {
  readonly form: "alternatives" | "blocks";
  readonly markers: readonly JsonObject[];
  /** The events of the match that ends first. */
  readonly wanted: readonly number[] | undefined;
}

function formsOf(reading: Reading, one: RowCase): Form[] {
  const { tree, definitions, words } = reading;
  const places = counted(tried(reading, one), one);
  const some = words.filter((word) => !one.pattern.after_match.startsWith("ALL MATCHES") || labelsOf(word).length > 0);
  if (some.length === 0) return []; // every row would be compared with one that is not there: nothing to write
  const alternatives = wordsMarkers(some, definitions);
  const wanted = endingFirst(places.map(({ events }) => events));
  const forms: Form[] = [{ form: "alternatives", markers: alternatives, wanted }];
  if (isNestable(tree, definitions) && some.length === words.length) {
    const used = places.map(({ from, labels }) => [from, ...labels.map(([row]) => row + 1)]);
    const blocks = nestedMarkers(tree, definitions, one.events.length);
    forms.push({ form: "blocks", markers: blocks, wanted: endingFirst(used) });
  }
  return forms;
}

/** The events of a match follow each other, so the first one decides between those that end together. */
function endingFirst(matches: readonly (readonly number[])[]): readonly number[] | undefined {
  return [...matches].sort((a, b) => (a.at(-1) ?? 0) - (b.at(-1) ?? 0) || (a[0] ?? 0) - (b[0] ?? 0))[0];
}

test("row patterns the bank has none of are read as well", () => {
  const labels = (text: string, rows: number) => wordsOf(parseRowPattern(text), rows).map((word) => word.join(""));
  assert.deepEqual(labels("PERMUTE(A, B, C)", 3), ["ABC", "ACB", "BAC", "BCA", "CAB", "CBA"]);
  assert.deepEqual(labels("A{2}?", 4), ["AA"]);
  assert.deepEqual(labels("A?? B", 4), ["B", "AB"]);
  assert.deepEqual(labels("A{3,}", 2), ["AAA"]);
  assert.deepEqual(labels("(^ | $)* A", 2), ["^A", "$A", "A"]);
  assert.deepEqual(labels("(A | B){,2}", 2), ["AA", "AB", "A", "BA", "BB", "B", ""]);
  assert.throws(() => parseRowPattern("A & B"), /no row pattern/);
  assert.throws(() => rowDefinitions("A: value like 3"), /no definition/);
});
