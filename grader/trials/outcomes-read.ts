import { readFileSync } from "node:fs";
import { basename, extname } from "node:path";
import { type Fault, fault, WaymarkError, waymarkError } from "../../proxy/record/fault.ts";
import { isObject, type JsonObject, type JsonValue, parseJson } from "../../proxy/record/json.ts";
import { readCsv } from "./csv-read.ts";
import type { Outcome } from "./outcomes.ts";
import { readOutcomeRow } from "./outcomes-row.ts";

export interface ReadOutcomes {
  readonly outcomes: readonly Outcome[];
  /** What was taken for granted, a sentence each. */
  readonly notes: readonly string[];
}

/** Bad lines that are told one by one; of the others only the number. */
const MOST_TOLD = 20;

/**
 * Reads outcome tables: NDJSON, one JSON list of objects, or CSV (also with tabs or semicolons) with a header. A row
 * without a variant has that of its file's name, one without a trial is numbered in the order of the lines. Throws
 * `WM_COMPARE_TABLE` with every bad line by its place (a table read in part would give wrong figures),
 * `WM_COMPARE_TABLE_TWICE` when a trial stands twice, `WM_COMPARE_TABLE_EMPTY` when there is no row.
 */
export function readOutcomeFiles(files: readonly string[]): ReadOutcomes {
  const tables = files.map((file) => readTable(file, textOf(file)));
  const faults = tables.flatMap((table) => table.faults);
  if (faults.length > 0) throw new WaymarkError(tell(faults));
  const rows = byScenario(tables.flatMap((table) => table.rows));
  if (rows.length === 0) throw waymarkError("WM_COMPARE_TABLE_EMPTY", `${files.join(", ")}: no outcome in it`);
  const numbered = numberTrials(rows);
  refuseTwins(numbered);
  return { outcomes: numbered.map(({ outcome }) => outcome), notes: notesOn(rows) };
}

/** In a table of several scenarios, each scenario of a task is a task of its own. */
function byScenario(rows: readonly Row[]): readonly Row[] {
  if (new Set(rows.map(({ scenario }) => scenario)).size < 2) return rows;
  return rows.map((row) => {
    const { task, scenario } = row;
    return scenario === undefined || scenario === task ? row : { ...row, task: `${task} / ${scenario}` };
  });
}

interface Row {
  readonly file: string;
  readonly line: number;
  readonly task: string;
  readonly scenario: string | undefined;
  readonly variant: string;
  readonly trial: string | undefined;
  readonly run: string | undefined;
  readonly success: boolean | undefined;
  readonly isPartial: boolean;
}

interface Table {
  readonly rows: readonly Row[];
  readonly faults: readonly Fault[];
}

interface Line {
  readonly line: number;
  readonly value?: JsonValue;
  readonly why?: string;
}

function textOf(file: string): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(readFileSync(file));
  } catch (cause) {
    const why = cause instanceof TypeError ? "is not UTF-8 text" : "cannot be read";
    throw waymarkError("WM_COMPARE_TABLE", `the table ${file} ${why}`, { cause });
  }
}

function readTable(file: string, text: string): Table {
  const rows: Row[] = [];
  const faults: Fault[] = [];
  const fallback = basename(file, extname(file));
  for (const { line, value, why } of linesOf(text)) {
    const row = why === undefined && isObject(value) ? readOutcomeRow(value) : undefined;
    if (row?.ok === true) rows.push({ ...row, file, line, variant: row.variant ?? fallback });
    else faults.push(badLine({ file, line }, why ?? row?.why ?? "it is no JSON object"));
  }
  return { rows, faults };
}

function linesOf(text: string): readonly Line[] {
  const [first] = text.trimStart();
  if (first === "{") return ndjsonLines(text);
  if (first === "[") return listItems(text);
  return first === undefined ? [] : csvLines(text);
}

function ndjsonLines(text: string): readonly Line[] {
  return text.split("\n").flatMap((line, at): Line[] => {
    if (line.trim() === "") return [];
    try {
      return [{ line: at + 1, value: parseJson(line) }];
    } catch (error) {
      return [{ line: at + 1, why: `it is not JSON (${error instanceof Error ? error.message : String(error)})` }];
    }
  });
}

function listItems(text: string): readonly Line[] {
  try {
    const list = parseJson(text);
    const items = Array.isArray(list) ? (list as readonly JsonValue[]) : [];
    const lines = itemLines(text);
    return items.map((value, at) => ({ line: lines[at] ?? 1, value }));
  } catch (error) {
    return [{ line: 1, why: `the list is not JSON (${error instanceof Error ? error.message : String(error)})` }];
  }
}

/** The line on which each item of a JSON list begins. */
function itemLines(text: string): readonly number[] {
  const lines: number[] = [];
  let line = 1;
  let depth = 0;
  let isExpected = false;
  for (const [token] of text.matchAll(/"(?:[^"\\]|\\.)*"|[\n[\]{},]|[^\s"[\]{},]+/g)) {
    if (token === "\n") line++;
    else if (depth === 1 && token === ",") isExpected = true;
    else {
      if (isExpected && token !== "]") lines.push(line);
      isExpected = depth === 0 && token === "[";
      if (token === "[" || token === "{") depth++;
      if (token === "]" || token === "}") depth--;
    }
  }
  return lines;
}

function csvLines(text: string): readonly Line[] {
  const [head = ""] = text.split(/\r?\n/, 1);
  const separator = head.includes("\t") ? "\t" : head.includes(",") || !head.includes(";") ? "," : ";";
  const { rows, problems } = readCsv(text, separator);
  const [header, ...body] = rows;
  if (header === undefined) return [];
  const lines = body.map(({ line, cells }): Line => {
    if (cells.length !== header.cells.length) {
      return { line, why: `it has ${cells.length} cells, and the header ${header.cells.length}` };
    }
    return {
      line,
      value: Object.fromEntries(header.cells.map((name, at) => [name, unguarded(cells[at] ?? "")])) as JsonObject,
    };
  });
  return [...problems, ...lines];
}

/** Takes away the quote that `tableOf` puts before what a spreadsheet would take for a formula. */
function unguarded(cell: string): string {
  return /^'+[=+\-@\t\r]/.test(cell) ? cell.slice(1) : cell;
}

function badLine(place: { file: string; line: number }, why: string): Fault {
  return fault("WM_COMPARE_TABLE", why, { place: { ...place, column: 1 } });
}

function tell(faults: readonly Fault[]): readonly Fault[] {
  const [first] = faults;
  if (first === undefined || faults.length <= MOST_TOLD) return faults;
  const rest = fault("WM_COMPARE_TABLE", `${faults.length - MOST_TOLD} more lines are no outcomes`);
  return [...faults.slice(0, MOST_TOLD), rest];
}

interface Numbered {
  readonly row: Row;
  readonly outcome: Outcome;
}

function numberTrials(rows: readonly Row[]): readonly Numbered[] {
  const counts = new Map<string, number>();
  return rows.map((row) => {
    const { task, variant, run, success } = row;
    const key = JSON.stringify([task, variant]);
    const count = (counts.get(key) ?? 0) + 1;
    counts.set(key, count);
    const trial = row.trial ?? `#${count}`;
    return { row, outcome: { task, variant, trial, ...(run === undefined ? {} : { run }), success } };
  });
}

function refuseTwins(rows: readonly Numbered[]): void {
  const first = new Map<string, Row>();
  const faults = rows.flatMap(({ row, outcome: { task, variant, trial } }): Fault[] => {
    const key = JSON.stringify([task, variant, trial]);
    const earlier = first.get(key);
    if (earlier === undefined) {
      first.set(key, row);
      return [];
    }
    const place = { file: row.file, line: row.line, column: 1 };
    const message = `trial ${trial} of task "${task}" by "${variant}" stands already at ${earlier.file}:${earlier.line}`;
    return [fault("WM_COMPARE_TABLE_TWICE", message, { place })];
  });
  if (faults.length > 0) throw new WaymarkError(faults.slice(0, MOST_TOLD));
}

function notesOn(rows: readonly Row[]): readonly string[] {
  const unknown = rows.filter(({ success }) => success === undefined).length;
  const partial = rows.filter(({ isPartial }) => isPartial).length;
  const unnumbered = rows.filter(({ trial }) => trial === undefined).length;
  return [
    ...(unknown > 0 ? [`${unknown} of ${rows.length} trials have no outcome and are in no figure`] : []),
    ...(partial > 0 ? [`${partial} of ${rows.length} rewards lie between 0 and 1 and count as no success`] : []),
    ...(unnumbered > 0 ? [`${unnumbered} of ${rows.length} lines have no trial and are numbered in their order`] : []),
  ];
}
