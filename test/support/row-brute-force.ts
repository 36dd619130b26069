import type { JsonObject, JsonValue } from "../../proxy/record/json.ts";
import type { RowMatch } from "./row-matches.ts";
import type { RowWord } from "./row-words.ts";

/**
 * All places where the words of a row pattern stand, by looking at the rows themselves: no scenario, no matcher. In the
 * order of `placesOf`, and with the events that markers take for them: the one before the match, those of the rows, and
 * the next one for `$` or after a match of no rows.
 */
export function bruteForcePlaces(words: readonly RowWord[], rows: readonly JsonObject[], define: string): RowMatch[] {
  return rows.flatMap((_, from) => words.flatMap((word) => stand(word, from, { rows, define }) ?? []));
}

interface Partition {
  readonly rows: readonly JsonObject[];
  readonly define: string;
}

function stand(word: RowWord, from: number, { rows, define }: Partition): RowMatch | undefined {
  const labels: [number, string][] = [];
  let events = from + (word[0] === "^" ? 0 : 1);
  for (const step of word) {
    const row = from + labels.length;
    events += 1;
    if (step === "^" ? row !== 0 : step === "$" && row !== rows.length) return undefined;
    if (step === "^" || step === "$") continue;
    if (!isRow(step, row, { rows, define, labels })) return undefined;
    labels.push([row, step]);
  }
  const end = labels.length === 0 ? events + 1 : events;
  return { from, labels, events: Array.from({ length: end - from }, (_, at) => from + at) };
}

interface Position extends Partition {
  readonly labels: readonly (readonly [number, string])[];
}

function isRow(label: string, row: number, position: Position): boolean {
  const { rows, define, labels } = position;
  const current = rows[row];
  if (current === undefined) return false;
  if (define.startsWith("X:") && define.includes("name starts with")) {
    return String(current["name"]).startsWith(label.toLowerCase());
  }
  const condition = define.split("; ").find((part) => part.startsWith(`${label}: `));
  const [field = "", sign = "", right = ""] =
    condition?.slice(label.length + 2).split(/\s*(<=|>=|[<>=]|\bin\b)\s*/) ?? [];
  if (sign === "") return true;
  const other = labels.findLast(([, of]) => right.startsWith(`${of}.`))?.[0];
  const left = current[field];
  if (right.startsWith("previous")) return compare(left, sign, rows[row - 1]?.[field]);
  if (/^[A-Z]/.test(right)) return other !== undefined && compare(left, sign, rows[other]?.[field]);
  return right
    .replace(/[()]/g, "")
    .split(",")
    .some((value) => compare(left, sign === "in" ? "=" : sign, Number(value)));
}

function compare(left: JsonValue | undefined, sign: string, right: JsonValue | undefined): boolean {
  if (typeof left !== "number" || typeof right !== "number") return false;
  return (
    (sign.includes("=") && left === right) || (sign[0] === "<" && left < right) || (sign[0] === ">" && left > right)
  );
}
