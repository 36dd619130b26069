import { closeSync, fstatSync, openSync, readSync, statSync } from "node:fs";
import { join } from "node:path";
import { type Fault, fault } from "../../proxy/record/fault.ts";
import { isObject, type JsonObject, type JsonValue, parseJson } from "../../proxy/record/json.ts";
import { countOf, figureOf, instantOf } from "./spending-numbers.ts";

/** One line of a step log: what the agent itself says it did, and what that cost. */
export interface LoggedStep {
  readonly name: string;
  /** `log`: written by the agent into its step log. `posted`: sent to the evaluator. */
  readonly kind: "log" | "posted";
  readonly startedMs?: number;
  readonly durationMs?: number;
  readonly costUsd?: number;
  readonly tokensIn?: number;
  readonly tokensOut?: number;
  /** All tokens, where the line does not tell in from out. */
  readonly tokens?: number;
  readonly model?: string;
}

/** A line, or a field of one, that could not be used. */
export interface BadStep {
  readonly file: string;
  readonly line: number;
  readonly why: string;
}

export interface StepLog {
  readonly steps: readonly LoggedStep[];
  /** How many lines are bad in whole or in part, and the first of them. */
  readonly badCount: number;
  readonly bad: readonly BadStep[];
}

/** Steps posted to the evaluator stand in the run's folder under this name, in the same format as the agent's own log. */
export const POSTED_STEPS = "posted-steps.ndjson";

/** Where steps posted for the run in `folder` stand. */
export function postedStepsIn(folder: string): string {
  return join(folder, POSTED_STEPS);
}

/** More than any run has; what stands behind it is counted as one bad line. */
const MAX_BYTES = 64 * 1024 * 1024;
const MAX_SHOWN = 10;
const MAX_NAME = 200;

/**
 * Reads a step log (NDJSON: `name`, and `started_at`, `duration_ms`, `cost_usd`, `tokens_in`, `tokens_out`, `tokens`,
 * `model` where known). A file that is not there holds no steps. Never throws for what stands in the file: a line that
 * is no step is left out, a field that is no figure is left out of its step, and both are counted and located.
 */
export function readStepLog(file: string, kind: LoggedStep["kind"]): StepLog {
  const bytes = bytesOf(file);
  if (typeof bytes === "string") return { steps: [], badCount: 1, bad: [{ file, line: 0, why: bytes }] };
  const log = parseStepLog(bytes.subarray(0, MAX_BYTES).toString("utf8"), file, kind);
  if (bytes.length <= MAX_BYTES) return log;
  const over = { file, line: 0, why: `the file is larger than ${MAX_BYTES} bytes; the rest was not read` };
  return { ...log, badCount: log.badCount + 1, bad: [over, ...log.bad] };
}

/** The steps in the text of a step log; see `readStepLog`. */
export function parseStepLog(text: string, file: string, kind: LoggedStep["kind"]): StepLog {
  const steps: LoggedStep[] = [];
  const bad: BadStep[] = [];
  let badCount = 0;
  for (const [index, line] of text
    .replace(/^\uFEFF/, "")
    .split("\n")
    .entries()) {
    if (line.trim() === "") continue;
    const { step, why } = parseStep(line, kind);
    if (step !== undefined) steps.push(step);
    if (why === undefined) continue;
    badCount++;
    if (bad.length < MAX_SHOWN) bad.push({ file, line: index + 1, why });
  }
  return { steps, badCount, bad };
}

/** What was wrong with step logs, as warnings with their places; at most ten, and then how many more. */
export function stepWarnings({ bad, badCount }: Pick<StepLog, "bad" | "badCount">): readonly Fault[] {
  const faults = bad.map(({ file, line, why }) =>
    fault("WM_RUN_STEP_LINE", why, {
      severity: "warning",
      ...(line === 0 ? { fix: `Check ${file}.` } : { place: { file, line, column: 1 } }),
    }),
  );
  const more = badCount - bad.length;
  if (more <= 0) return faults;
  return [...faults, fault("WM_RUN_STEP_LINE", `${more} more lines could not be used`, { severity: "warning" })];
}

function bytesOf(file: string): Buffer | string {
  const stats = statSync(file, { throwIfNoEntry: false });
  if (stats === undefined) return Buffer.alloc(0);
  if (!stats.isFile()) return `${file} is no file`; // a pipe would be waited for without end
  let descriptor: number | undefined;
  try {
    descriptor = openSync(file, "r");
    const bytes = Buffer.alloc(Math.min(fstatSync(descriptor).size, MAX_BYTES + 1));
    let filled = 0;
    for (let read = -1; read !== 0 && filled < bytes.length; filled += read) {
      read = readSync(descriptor, bytes, filled, bytes.length - filled, filled);
    }
    return bytes.subarray(0, filled);
  } catch (cause) {
    return `${file} cannot be read: ${cause instanceof Error ? cause.message : String(cause)}`;
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
}

interface ParsedStep {
  readonly step?: LoggedStep;
  readonly why?: string;
}

function parseStep(line: string, kind: LoggedStep["kind"]): ParsedStep {
  let value: JsonValue;
  try {
    value = parseJson(line);
  } catch (cause) {
    return { why: `not JSON: ${cause instanceof Error ? cause.message : String(cause)}` };
  }
  if (!isObject(value)) return { why: "a step has to be a JSON object" };
  const { name } = value;
  if (typeof name !== "string" || name.trim() === "") return { why: 'a step needs a "name"' };
  const { fields, wrong } = fieldsOf(value);
  return {
    step: { name: name.slice(0, MAX_NAME), kind, ...fields },
    ...(wrong.length === 0 ? {} : { why: `the step was used without ${wrong.join(", ")}` }),
  };
}

const READERS = [
  { key: "started_at", as: "startedMs", read: instantOf },
  { key: "duration_ms", as: "durationMs", read: figureOf },
  { key: "cost_usd", as: "costUsd", read: figureOf },
  { key: "tokens_in", as: "tokensIn", read: countOf },
  { key: "tokens_out", as: "tokensOut", read: countOf },
  { key: "tokens", as: "tokens", read: countOf },
] as const;

/** The fields that could be read; one that is there and cannot be is named as wrong, `null` counts as absent. */
function fieldsOf(value: JsonObject): { fields: Omit<LoggedStep, "name" | "kind">; wrong: string[] } {
  const wrong: string[] = [];
  const fields: Record<string, number | string> = {};
  for (const { key, as, read } of READERS) {
    const given = Object.hasOwn(value, key) ? value[key] : undefined;
    if (given === undefined || given === null) continue;
    const figure = read(given);
    if (figure === undefined) wrong.push(`${key} (${shown(given)})`);
    else fields[as] = figure;
  }
  const { model } = value;
  if (typeof model === "string" && model !== "") fields["model"] = model.slice(0, MAX_NAME);
  return { fields, wrong };
}

function shown(value: JsonValue): string {
  const text = typeof value === "string" ? JSON.stringify(value) : String(value);
  return text.length <= 40 ? text : `${text.slice(0, 40)}…`;
}
