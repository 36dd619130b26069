import { readFileSync } from "node:fs";
import { selectionBy } from "../grader/match/wanted.ts";
import { compileWhere, type FieldCheck } from "../grader/operators/where.ts";
import type { Selection } from "../grader/read/selection.ts";
import type { Scenario } from "../grader/scenario/ast.ts";
import { parseScenario } from "../grader/scenario/parse-scenario.ts";
import { type Fault, WaymarkError, waymarkError } from "../proxy/record/fault.ts";
import { type JsonObject, stringifyJson } from "../proxy/record/json.ts";
import type { Arguments } from "./verb.ts";

/** The events that were asked for. */
export interface Asked {
  /** Whether an event is one of them. */
  fits(event: JsonObject): boolean;
  /** Those that could be, as far as that shows before an event is parsed. */
  readonly selection: Selection;
}

/**
 * What the options ask of an event, all of it at once: `--where PATH=VALUE` in the language of markers (`data.n|gte=3`,
 * `data.tab!=chat`, a path alone for "is there"), `--where-file` with field tests as they stand under `where:`, `--name`
 * (any of them, `*` for any text), `--session`. Throws the faults of the tests, with their places.
 */
export function askedBy(args: Arguments): Asked {
  const checks = [...args.list("where").map(inlineCheck), ...fileChecks(args.text("where-file"))];
  const isNamed = nameTest(args.list("name"));
  const session = args.text("session");
  return {
    fits: (event) => isNamed(event) && isOfSession(event, session) && checks.every((check) => check.test(event, NONE)),
    selection: selectionBy(checks, (name) => isNamed({ name }) || (name === "" && isNamed({}))),
  };
}

const NONE = new Map<string, never>();

function nameTest(names: readonly string[]): (event: JsonObject) => boolean {
  if (names.length === 0) return () => true;
  const check = checkOf(`{ "event|glob": ${JSON.stringify(names)} }`, { file: "--name" });
  return (event) => check.test(event, NONE);
}

function isOfSession(event: JsonObject, session: string | undefined): boolean {
  if (session === undefined) return true;
  const meta = event["$capture"];
  return typeof meta === "object" && meta !== null && (meta as JsonObject)["session"] === session;
}

/** `PATH=VALUE`: the first `=` outside brackets and quotes divides. */
function inlineCheck(text: string): FieldCheck {
  const at = divider(text);
  const isNot = at > 0 && text[at - 1] === "!";
  const path = text.slice(0, at < 0 ? undefined : isNot ? at - 1 : at).trim();
  if (path === "") {
    throw waymarkError("WM_USAGE", `--where got "${text}", which is no field test`, {
      fix: "Write it like data.tab=calendar, data.count|gte=3, data.tab!=chat, or data.error.",
    });
  }
  const test = at < 0 ? `{ ${quoted(`${path}|exists`)}: true }` : `{ ${quoted(path)}: ${asYaml(text.slice(at + 1))} }`;
  return checkOf(isNot ? `{ not: ${test} }` : test, { file: `--where ${text}` });
}

function divider(text: string): number {
  let depth = 0;
  let quote = "";
  for (const [index, sign] of [...text].entries()) {
    if (quote !== "") quote = sign === quote ? "" : quote;
    else if (sign === '"' || sign === "'") quote = sign;
    else if (sign === "[") depth++;
    else if (sign === "]") depth--;
    else if (sign === "=" && depth === 0) return index;
  }
  return -1;
}

/** JSON is what it says; everything else is text. */
function asYaml(text: string): string {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "number" && String(value) !== text ? quoted(text) : text;
  } catch {
    return quoted(text);
  }
}

function quoted(text: string): string {
  return stringifyJson(text);
}

function fileChecks(file: string | undefined): FieldCheck[] {
  if (file === undefined) return [];
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch (cause) {
    throw waymarkError("WM_USAGE", `the file "${file}" given with --where-file cannot be read`, { cause });
  }
  const indented = text.replace(/^/gm, " ".repeat(INDENT));
  return [checkOf(`\n${indented}`, { file, lines: HEAD_LINES, columns: INDENT })];
}

const INDENT = 6;
const HEAD_LINES = 5;

interface Origin {
  readonly file: string;
  /** What stands before it in the text that is parsed. */
  readonly lines?: number;
  readonly columns?: number;
}

/** Compiles field tests by way of a scenario of one marker, so that they are read just as markers are. */
function checkOf(where: string, origin: Origin): FieldCheck {
  const text = `waymark: 1\nscenario: asked\nmarkers:\n  - name: asked\n    where: ${where}\n`;
  const faults: Fault[] = [];
  const { scenario } = within(origin, () => parseScenario(text, origin.file));
  const [marker] = scenario.markers;
  if (marker?.kind !== "marker") throw waymarkError("WM_USAGE", `${origin.file} is no field test`);
  const check = compileWhere(
    marker.where,
    contextOf(scenario, text, (fault) => void faults.push(fault)),
  );
  if (faults.length > 0) throw new WaymarkError(faults.map((fault) => moved(fault, origin)));
  return check;
}

function contextOf({ events }: Scenario, text: string, fault: (fault: Fault) => void) {
  return { eventName: events.name, params: new Map<string, never>(), fault, text };
}

function within<T>(origin: Origin, act: () => T): T {
  try {
    return act();
  } catch (cause) {
    if (cause instanceof WaymarkError)
      throw new WaymarkError(
        cause.faults.map((fault) => moved(fault, origin)),
        { cause },
      );
    throw cause;
  }
}

/** A fault at the place where the user wrote it; of an option it has none but the option. */
function moved(fault: Fault, { file, lines, columns = 0 }: Origin): Fault {
  const { place, excerpt: _, ...rest } = fault;
  if (place === undefined || lines === undefined) return { ...rest, message: `${file}: ${rest.message}` };
  const line = Math.max(1, place.line - lines);
  return { ...rest, place: { ...place, line, column: Math.max(1, place.column - columns) } };
}
