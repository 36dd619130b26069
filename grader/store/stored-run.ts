import { waymarkError } from "../../proxy/record/fault.ts";
import { isObject, parseJson } from "../../proxy/record/json.ts";
import type { ScenarioResult, Verdict } from "../verdict.ts";
import type { Artifact, Cell, Provenance, Row, Step } from "./rows.ts";
import { decodeText } from "./text.ts";

/** A run as the table `runs` has it. */
export interface StoredRun {
  /** The number behind `#`. */
  readonly number: number;
  readonly id: string;
  readonly scenario: string;
  readonly file: string;
  readonly markersSha256: string;
  readonly graderVersion: string;
  readonly batch?: string;
  readonly variant?: string;
  readonly gradedAt: string;
  readonly startedAt?: string;
  readonly endedAt?: string;
  readonly verdict: Verdict;
  readonly success: boolean;
  readonly coverage: number;
  readonly found: number;
  readonly total: number;
  readonly reason: string;
  readonly events: number;
  readonly durationMs: number;
  readonly costUsd?: number;
  readonly provenance: Provenance;
  readonly selfReport?: string;
  readonly agrees?: boolean;
  readonly log: string;
  readonly range: string;
  readonly session?: string;
  readonly folder?: string;
  readonly trial?: string;
  readonly trialIndex?: number;
  readonly task?: string;
  readonly ended?: string;
  readonly tokensIn?: number;
  readonly tokensOut?: number;
  readonly versions?: Readonly<Record<string, string>>;
  readonly measures?: Readonly<Record<string, number>>;
  readonly regradeOf?: string;
  readonly review?: Review;
  /** In a list: absent without any. */
  readonly labels?: readonly string[];
}

/** What a person who looked at the run says; kept beside the grade, never over it. */
export interface Review {
  readonly verdict: "pass" | "fail";
  readonly note?: string;
  /** ISO time. */
  readonly at: string;
}

/** A run with everything stored for it. */
export interface StoredRunDetails extends StoredRun {
  readonly result: ScenarioResult;
  readonly steps: readonly Step[];
  readonly artifacts: readonly Artifact[];
  readonly labels: readonly string[];
}

/** Reads a row of `runs`, undoing the escapes of text.ts. */
export function readRun(row: Row): StoredRun {
  return {
    number: Number(row["seq"]),
    id: String(row["id"]),
    scenario: textOf(row["scenario"]),
    file: textOf(row["file"]),
    markersSha256: textOf(row["markers_sha256"]),
    graderVersion: textOf(row["grader_version"]),
    gradedAt: textOf(row["graded_at"]),
    verdict: row["verdict"] as Verdict,
    success: row["success"] === 1,
    coverage: Number(row["coverage"]),
    found: Number(row["found"]),
    total: Number(row["total"]),
    reason: textOf(row["reason"]),
    events: Number(row["events"]),
    durationMs: Number(row["duration_ms"]),
    provenance: row["provenance"] as Provenance,
    log: textOf(row["log"]),
    range: textOf(row["range"]),
    ...optional(row),
  };
}

/** Reads the rows of `steps` and `artifacts` that belong to a run. */
export function readParts(steps: readonly Row[], artifacts: readonly Row[]): { steps: Step[]; artifacts: Artifact[] } {
  return {
    steps: steps.map((row) => ({
      name: textOf(row["name"]),
      ...when(row["started_at"], (value) => ({ startedAt: textOf(value) })),
      ...when(row["duration_ms"], (value) => ({ durationMs: Number(value) })),
      ...when(row["cost_usd"], (value) => ({ costUsd: Number(value) })),
      ...when(row["tokens"], (value) => ({ tokens: Number(value) })),
    })),
    artifacts: artifacts.map((row) => ({
      kind: textOf(row["kind"]),
      path: textOf(row["path"]),
      ...when(row["sha256"], (value) => ({ sha256: textOf(value) })),
    })),
  };
}

/** The result as it was graded. Throws `WM_STORE_DAMAGED` when it cannot be read. */
export function parseResult(file: string, row: Row): ScenarioResult {
  const damaged = `${file} is damaged: the result of run ${String(row["id"])} cannot be read`;
  try {
    const result = parseJson(String(row["result"]));
    if (isObject(result)) return result as unknown as ScenarioResult;
  } catch (cause) {
    throw waymarkError("WM_STORE_DAMAGED", damaged, { cause });
  }
  throw waymarkError("WM_STORE_DAMAGED", damaged);
}

function optional(row: Row): Partial<StoredRun> {
  return {
    ...when(row["batch"], (value) => ({ batch: textOf(value) })),
    ...when(row["variant"], (value) => ({ variant: textOf(value) })),
    ...when(row["started_at"], (value) => ({ startedAt: textOf(value) })),
    ...when(row["ended_at"], (value) => ({ endedAt: textOf(value) })),
    ...when(row["cost_usd"], (value) => ({ costUsd: Number(value) })),
    ...when(row["self_report"], (value) => ({ selfReport: textOf(value) })),
    ...when(row["agrees"], (value) => ({ agrees: value === 1 })),
    ...when(row["session"], (value) => ({ session: textOf(value) })),
    ...when(row["folder"], (value) => ({ folder: textOf(value) })),
    ...trialOf(row),
  };
}

function trialOf(row: Row): Partial<StoredRun> {
  return {
    ...when(row["trial"], (value) => ({ trial: textOf(value) })),
    ...when(row["trial_index"], (value) => ({ trialIndex: Number(value) })),
    ...when(row["task"], (value) => ({ task: textOf(value) })),
    ...when(row["ended"], (value) => ({ ended: textOf(value) })),
    ...when(row["tokens_in"], (value) => ({ tokensIn: Number(value) })),
    ...when(row["tokens_out"], (value) => ({ tokensOut: Number(value) })),
    ...when(row["versions"], (value) => ({ versions: recordOf<string>(value) })),
    ...when(row["measures"], (value) => ({ measures: recordOf<number>(value) })),
    ...when(row["regrade_of"], (value) => ({ regradeOf: textOf(value) })),
    ...when(row["review"], (value) => ({ review: reviewOf(value, row) })),
    ...when(row["labels"], labelsIn),
  };
}

function labelsIn(cell: Cell): { readonly labels?: readonly string[] } {
  const labels = (JSON.parse(String(cell)) as readonly string[]).map(decodeText).sort(); // SQLite wrote it
  return labels.length === 0 ? {} : { labels };
}

function reviewOf(verdict: Cell, row: Row): Review {
  return {
    verdict: verdict as Review["verdict"],
    ...when(row["review_note"], (value) => ({ note: textOf(value) })),
    at: textOf(row["reviewed_at"]),
  };
}

/** A column that this program wrote as JSON; nothing when someone else has written over it. */
function recordOf<T>(cell: Cell): Readonly<Record<string, T>> {
  try {
    return JSON.parse(String(cell)) as Readonly<Record<string, T>>;
  } catch {
    return {};
  }
}

function when<T extends object>(cell: Cell | undefined, read: (value: Cell) => T): T | object {
  return cell === undefined || cell === null ? {} : read(cell);
}

function textOf(cell: Cell | undefined): string {
  return decodeText(String(cell ?? ""));
}
