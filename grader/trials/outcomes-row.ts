import type { JsonObject, JsonValue } from "../../proxy/record/json.ts";
import { nearest } from "../../proxy/record/near.ts";

export type OutcomeField = "task" | "variant" | "trial" | "run" | "success";

/** The names a field may have, the first that a row has being taken; letters' case does not matter. */
export const OUTCOME_NAMES: Readonly<Record<OutcomeField, readonly string[]>> = {
  task: ["task", "task_id", "instance_id", "problem_id", "question_id", "item", "scenario"],
  variant: ["variant", "model", "agent", "system", "model_name", "agent_name"],
  trial: ["trial", "trial_id", "attempt", "sample", "repeat", "epoch", "seed"],
  run: ["run", "run_id", "id"],
  success: ["success", "passed", "pass", "resolved", "solved", "correct", "verdict", "reward", "score"],
};

/** What a row of a table says, or why it is no outcome. */
export type OutcomeRow =
  | {
      readonly ok: true;
      readonly task: string;
      /** Stands beside the task where a table has both. */
      readonly scenario: string | undefined;
      readonly variant: string | undefined;
      readonly trial: string | undefined;
      readonly run: string | undefined;
      readonly success: boolean | undefined;
      /** A reward between 0 and 1, which is no success. */
      readonly isPartial: boolean;
    }
  | { readonly ok: false; readonly why: string };

/** Reads one row. Without a task, or with a success that is neither yes, no nor unknown, it is none. */
export function readOutcomeRow(row: JsonObject): OutcomeRow {
  const fields = new Map(Object.entries(row).map(([name, value]) => [name.trim().toLowerCase(), value] as const));
  const task = named(fields, "task");
  if (task === undefined) return { ok: false, why: missing("task", fields) };
  const given = pick(fields, "success");
  if (given === undefined) return { ok: false, why: missing("success", fields) };
  const success = readSuccess(given);
  if (success === undefined) return { ok: false, why: `the success ${quote(given)} is neither yes, no nor a number` };
  return {
    ok: true,
    task,
    scenario: identity(fields.get("scenario")),
    variant: named(fields, "variant"),
    trial: named(fields, "trial"),
    run: named(fields, "run"),
    success: success.value,
    isPartial: success.isPartial,
  };
}

/** The first of the field's names that says something: an empty cell leaves it to the next. */
function named(fields: ReadonlyMap<string, JsonValue>, field: OutcomeField): string | undefined {
  for (const name of OUTCOME_NAMES[field]) {
    const value = identity(fields.get(name));
    if (value !== undefined) return value;
  }
  return undefined;
}

function pick(fields: ReadonlyMap<string, JsonValue>, field: OutcomeField): JsonValue | undefined {
  const name = OUTCOME_NAMES[field].find((candidate) => fields.has(candidate));
  return name === undefined ? undefined : fields.get(name);
}

function missing(field: OutcomeField, fields: ReadonlyMap<string, JsonValue>): string {
  const known = OUTCOME_NAMES[field];
  const near = [...fields.keys()].find((name) => nearest(name, known).length > 0);
  const hint = near === undefined ? "" : ` ("${near}" is none of them)`;
  return `there is no ${field}: it may be called ${known.join(", ")}${hint}`;
}

/** Names and numbers of tasks, variants and trials; null, an empty text and everything nested is none. */
function identity(value: JsonValue | undefined): string | undefined {
  if (typeof value === "string") return value === "" ? undefined : value;
  return typeof value === "number" || typeof value === "bigint" || typeof value === "boolean"
    ? String(value)
    : undefined;
}

interface Success {
  readonly value: boolean | undefined;
  readonly isPartial: boolean;
}

const YES = ["true", "yes", "pass", "passed", "success", "resolved"];
const NO = ["false", "no", "fail", "failed", "failure", "unresolved"];
const UNKNOWN = ["", "error", "inconclusive", "interrupted", "null", "none", "nan"];

/**
 * A success: true and false; a number, where 1 or more is a success and everything below 1, a partial reward too, is
 * none; words for both. An empty cell, null, `error`, `inconclusive` and `interrupted` are unknown. Undefined for the rest.
 */
function readSuccess(given: JsonValue): Success | undefined {
  if (typeof given === "boolean") return certain(given);
  if (typeof given === "bigint") return certain(given >= 1n);
  if (typeof given === "number") return fromNumber(given);
  if (given === null) return { value: undefined, isPartial: false };
  if (typeof given !== "string") return undefined;
  const word = given.trim().toLowerCase();
  if (UNKNOWN.includes(word)) return { value: undefined, isPartial: false };
  if (YES.includes(word)) return certain(true);
  if (NO.includes(word)) return certain(false);
  return /^[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:e[+-]?[0-9]{1,3})?$/.test(word) ? fromNumber(Number(word)) : undefined;
}

function fromNumber(reward: number): Success | undefined {
  if (!Number.isFinite(reward)) return undefined;
  return { value: reward >= 1, isPartial: reward > 0 && reward < 1 };
}

function certain(value: boolean): Success {
  return { value, isPartial: false };
}

function quote(value: JsonValue): string {
  const text = typeof value === "string" ? JSON.stringify(value) : String(value);
  return text.length > 60 ? `${text.slice(0, 60)}…` : text;
}
