import type { JsonObject } from "../../proxy/record/json.ts";
import { gradeEvents } from "./grade-events.ts";
import type { RowDefinitions } from "./row-define.ts";
import { isVoid, partitionLog, stepsOf, wordMarkers } from "./row-scenario.ts";
import { labelsOf, type RowWord } from "./row-words.ts";

/** One place where a word of the pattern stands: its labelled rows (from 0), and the events the markers took. */
export interface RowMatch {
  readonly from: number;
  readonly labels: readonly (readonly [number, string])[];
  readonly events: readonly number[];
}

/**
 * All places where the words of a pattern stand, found by grading each word as a scenario, and again on the rest of the
 * log behind the place just found. Sorted by the first row, then in the order of the words.
 */
export function placesOf(
  words: readonly RowWord[],
  rows: readonly JsonObject[],
  definitions: RowDefinitions,
): RowMatch[] {
  const log = partitionLog(rows);
  const found = words.filter((word) => !isVoid(word, definitions)).flatMap((word) => places(word, log, definitions));
  return found.sort((a, b) => a.from - b.from);
}

function places(word: RowWord, log: readonly JsonObject[], definitions: RowDefinitions): RowMatch[] {
  const markers = wordMarkers(word, definitions);
  const matches: RowMatch[] = [];
  for (let from = 0; from < log.length; ) {
    const outcome = gradeEvents({ markers }, log.slice(from));
    if (!outcome.matchedInOrder) break;
    const events = outcome.markers.flatMap(({ evidence }) => evidence.map(({ record }) => record + from));
    const [first = 0] = events;
    const steps = stepsOf(word).map((step, at): [number, string] => [(events[at + 1] ?? Number.NaN) - 1, step]);
    const labels = steps.filter(([, step]) => labelsOf([step]).length > 0);
    matches.push({ from: first, labels, events });
    from = first + 1;
  }
  return matches;
}

/**
 * The matches SQL reports of these places: of each first row the preferred one, then on behind it (AFTER MATCH), a match
 * of no rows one row on; or all of them, but none without a row, as Esper's ALL MATCHES has it.
 */
export function reported(places: readonly RowMatch[], afterMatch: string): RowMatch[] {
  if (afterMatch.startsWith("ALL MATCHES")) return places.filter(({ labels }) => labels.length > 0);
  const step = SKIPS[afterMatch];
  if (step === undefined) throw new Error(`no AFTER MATCH: ${afterMatch}`);
  const matches: RowMatch[] = [];
  let next = 0;
  for (const place of places) {
    if (place.from < next) continue;
    matches.push(place);
    next = place.from + Math.max(1, step(place));
  }
  return matches;
}

const SKIPS: Record<string, (match: RowMatch) => number> = {
  "SKIP PAST LAST ROW": ({ labels }) => labels.length,
  "SKIP TO NEXT ROW": () => 1,
};
