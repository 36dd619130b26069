import { statSync } from "node:fs";
import type Database from "better-sqlite3";
import { waymarkError } from "../../proxy/record/fault.ts";
import { WAYMARK_VERSION } from "../../proxy/record/version.ts";
import type { ScenarioResult, Verdict } from "../verdict.ts";
import {
  addArtifact,
  addLabel,
  LABELS_COLUMN,
  labelRow,
  labelsOf,
  removeLabel,
  removeRuns,
  saveReview,
} from "./annotate.ts";
import { storeFault } from "./faults.ts";
import { addChange, type Batch, type Change, getBatch, listBatches, listChanges, saveBatch } from "./ledger.ts";
import { type OpenDatabase, openForReading, openForWriting, refuseNoFile, WAL_LIMIT_BYTES } from "./open.ts";
import { type Artifact, artifactRow, markerRow, type Row, type RunDetails, ruleRow, runRow, stepRow } from "./rows.ts";
import { parseResult, type Review, readParts, readRun, type StoredRun, type StoredRunDetails } from "./stored-run.ts";
import { encodeText } from "./text.ts";

export type { Batch, Change } from "./ledger.ts";
export type { Artifact, Provenance, RunDetails, Step } from "./rows.ts";
export type { Review, StoredRun, StoredRunDetails } from "./stored-run.ts";

export interface StoreOptions {
  /** Never writes; the database has to exist. */
  readonly readonly?: boolean;
  /** How long to wait for a lock another process holds, in milliseconds. */
  readonly busyMs?: number;
  /** Most pages (4 KB each) the database may have, for this connection; no limit unless given. */
  readonly maxPages?: number;
}

/** Which runs to list; every field narrows. Newest first. */
export interface RunFilter {
  readonly scenario?: string;
  readonly batch?: string;
  readonly variant?: string;
  readonly verdict?: Verdict;
  /** ISO time; runs graded then or later. */
  readonly since?: string;
  readonly limit?: number;
  readonly trial?: string;
  readonly task?: string;
  readonly label?: string;
  /** Also results of old logs graded again; false, so that a run counts once. */
  readonly withRegrades?: boolean;
}

/** Pass rate of a scenario, or of one of its variants; null where no run passed or failed. */
export interface PassRate {
  readonly scenario: string;
  readonly variant?: string | null;
  readonly runs: number;
  readonly passed: number;
  readonly failed: number;
  readonly inconclusive: number;
  readonly errors: number;
  readonly pass_rate: number | null;
}

/** The results of runs in SQLite (DESIGN.md section 6). Synchronous; no statement stays open between calls. */
export interface Store {
  readonly file: string;
  /** Stores a result with all its rows in one transaction. Throws `WM_STORE_BUSY` and `WM_STORE_FULL`. */
  saveResult(result: ScenarioResult, details: RunDetails): void;
  /** Stores what the agent said of a run, and whether that agrees with the grade. Never changes a verdict. */
  saveSelfReport(id: string, selfReport: string, agrees: boolean | undefined): void;
  listRuns(filter?: RunFilter): readonly StoredRun[];
  /** One run by its id, the beginning of its id, or `#n`. Throws `WM_RUN_NOT_FOUND` when none or several have it. */
  getRun(idOrNumber: string): StoredRunDetails;
  passRates(by: "scenario" | "variant"): readonly PassRate[];
  /** Keeps a person's word on a run beside its grade, over an earlier word; undefined takes it back. Throws `WM_RUN_NOT_FOUND`. */
  saveReview(id: string, review: Review | undefined): void;
  /** Hangs a label, or a piece of evidence, on a run; one that hangs there already stays. Throws `WM_RUN_NOT_FOUND`. */
  addLabel(id: string, label: string): void;
  removeLabel(id: string, label: string): void;
  addArtifact(id: string, artifact: Artifact): void;
  /** Forgets runs with all their rows; answers how many there were. Their folders are the caller's. */
  removeRuns(ids: readonly string[]): number;
  /** Keeps a batch; a batch of the same id is replaced. */
  saveBatch(batch: Batch): void;
  getBatch(id: string): Batch | undefined;
  /** Newest first. */
  listBatches(limit?: number): readonly Batch[];
  /** Adds to the append-only table of what changed between runs; answers the change's sequence number. */
  addChange(change: Change): number;
  /** In the order they were added. */
  listChanges(): readonly (Change & { readonly seq: number })[];
  close(): void;
}

/** Processes that write at once each wait their turn; 30 s is what eight busy ones needed at worst, ten times over. */
const BUSY_MS = 30_000;
/** How often a writer looks at the size of the write-ahead log. */
const SAVES_PER_CHECK = 64;

/**
 * Opens (and, unless read-only, makes and brings up to date) the database. Throws `WM_STORE_NEWER`, `WM_STORE_BUSY`,
 * `WM_STORE_DAMAGED`, `WM_STORE_FULL` or `WM_STORE_UNREADABLE`; `WM_USAGE` on a name that stands for no file.
 */
export function openStore(file: string, options: StoreOptions = {}): Store {
  refuseNoFile(file);
  const busyMs = options.busyMs ?? BUSY_MS;
  const opened = options.readonly === true ? openForReading(file, busyMs) : openForWriting(file, busyMs);
  if (options.maxPages !== undefined) opened.db.pragma(`max_page_count = ${options.maxPages}`);
  return createStore(file, opened);
}

function createStore(file: string, { db, tidy }: OpenDatabase): Store {
  let saves = 0;
  const guard = <T>(action: () => T): T => {
    try {
      return action();
    } catch (error) {
      throw storeFault(file, error);
    }
  };
  const wasGone = watchFile(file);
  const insert = createInsert(db);
  const insertAll = db.transaction((result: ScenarioResult, details: RunDetails) => insertRun(insert, result, details));
  return {
    file,
    saveResult: (result, details) =>
      guard(() => {
        insertAll.immediate(result, details);
        wasGone();
        if (++saves % SAVES_PER_CHECK === 0) shrinkWal(db, file);
      }),
    saveSelfReport: (id, selfReport, agrees) =>
      guard(() => {
        const said = agrees === undefined ? null : Number(agrees);
        const update = db.prepare("UPDATE runs SET self_report = ?, agrees = ? WHERE id = ?");
        if (update.run(encodeText(selfReport), said, id).changes === 0) throw noSuchRun(id);
      }),
    listRuns: (filter = {}) => guard(() => listRuns(db, filter)),
    getRun: (wanted) => guard(() => getRun(db, wanted)),
    passRates: (by) => guard(() => db.prepare(`SELECT * FROM pass_rate_by_${by}`).all() as PassRate[]),
    saveReview: (id, review) => guard(() => requireRun(saveReview(db, id, review), id)),
    addLabel: (id, label) => guard(() => requireRun(addLabel(db, id, label), id)),
    removeLabel: (id, label) => guard(() => removeLabel(db, id, label)),
    addArtifact: (id, artifact) => guard(() => requireRun(addArtifact(db, id, artifact), id)),
    removeRuns: (ids) => guard(() => removeRuns(db, ids)),
    saveBatch: (batch) =>
      guard(() => {
        saveBatch(db, batch);
        wasGone();
      }),
    getBatch: (id) => guard(() => getBatch(db, id)),
    listBatches: (limit) => guard(() => listBatches(db, limit)),
    addChange: (change) => guard(() => addChange(db, change)),
    listChanges: () => guard(() => listChanges(db)),
    close: () => {
      db.close();
      tidy();
    },
  };
}

/** SQLite goes on writing into a file that was deleted or replaced under it, and says nothing. */
function watchFile(file: string): () => void {
  const identity = (): bigint | undefined => statSync(file, { bigint: true, throwIfNoEntry: false })?.ino;
  const opened = identity();
  return () => {
    if (identity() === opened) return;
    throw waymarkError("WM_STORE_DAMAGED", `${file} was deleted or replaced while it was open: its rows are gone`, {
      fix: "`waymark runs rebuild` makes it anew from the folders of the runs.",
    });
  };
}

type Insert = (table: string, row: Row) => void;

function insertRun(insert: Insert, result: ScenarioResult, details: RunDetails): void {
  const { run } = result;
  insert("runs", runRow(result, details, WAYMARK_VERSION));
  for (const [position, marker] of result.markers.entries()) insert("marker_results", markerRow(run, position, marker));
  for (const [position, rule] of result.rules.entries()) insert("rule_results", ruleRow(run, position, rule));
  for (const [position, step] of (details.steps ?? []).entries()) insert("steps", stepRow(run, position, step));
  for (const artifact of details.artifacts ?? []) insert("artifacts", artifactRow(run, artifact));
  for (const label of details.labels ?? []) insert("labels", labelRow(run, label));
}

function requireRun(isThere: boolean, id: string): void {
  if (!isThere) throw noSuchRun(id);
}

/** Prepares one statement per table, at its first row. Column names come from rows.ts, never from data. */
function createInsert(db: Database.Database): Insert {
  const statements = new Map<string, Database.Statement<[Row]>>();
  return (table, row) => {
    const columns = Object.keys(row);
    const values = columns.map((column) => `@${column}`).join(", ");
    const statement =
      statements.get(table) ?? db.prepare<[Row]>(`INSERT INTO ${table} (${columns.join(", ")}) VALUES (${values})`);
    statements.set(table, statement);
    statement.run(row);
  };
}

/** SQLite cuts the log back only when no reader is in the way, so a log that has grown is emptied when they let us. */
function shrinkWal(db: Database.Database, file: string): void {
  const size = statSync(`${file}-wal`, { throwIfNoEntry: false })?.size ?? 0;
  if (size > WAL_LIMIT_BYTES) db.pragma("wal_checkpoint(TRUNCATE)");
}

function listRuns(db: Database.Database, filter: RunFilter): readonly StoredRun[] {
  const conditions = ["1"];
  const values: (string | number)[] = [];
  for (const column of ["scenario", "batch", "variant", "verdict", "trial", "task"] as const) {
    const wanted = filter[column];
    if (wanted === undefined) continue;
    conditions.push(`${column} = ?`);
    values.push(encodeText(wanted));
  }
  if (filter.since !== undefined) {
    conditions.push("graded_at >= ?");
    values.push(filter.since);
  }
  if (filter.label !== undefined) {
    conditions.push("id IN (SELECT run FROM labels WHERE label = ?)");
    values.push(encodeText(filter.label));
  }
  if (filter.withRegrades !== true) conditions.push("regrade_of IS NULL");
  const where = conditions.join(" AND "); // conditions are written above, never data
  const select = db.prepare(`SELECT *, ${LABELS_COLUMN} FROM runs WHERE ${where} ORDER BY seq DESC LIMIT ?`);
  return select.all(...values, filter.limit ?? -1).map((row) => readRun(row as Row));
}

function getRun(db: Database.Database, wanted: string): StoredRunDetails {
  const rows = findRuns(db, wanted);
  const [row] = rows;
  if (row === undefined) throw noSuchRun(wanted);
  if (rows.length > 1) throw waymarkError("WM_RUN_NOT_FOUND", `several runs have an id that begins with "${wanted}"`);
  const run = readRun(row);
  const result = parseResult(db.name, row);
  const steps = db.prepare("SELECT * FROM steps WHERE run = ? ORDER BY position").all(run.id) as Row[];
  const artifacts = db.prepare("SELECT * FROM artifacts WHERE run = ? ORDER BY kind, path").all(run.id) as Row[];
  return { ...run, result, ...readParts(steps, artifacts), labels: labelsOf(db, run.id) };
}

function findRuns(db: Database.Database, wanted: string): readonly Row[] {
  const number = /^#([0-9]{1,15})$/.exec(wanted)?.[1];
  if (number !== undefined) return db.prepare("SELECT * FROM runs WHERE seq = ?").all(Number(number)) as Row[];
  if (wanted === "") return [];
  const exact = db.prepare("SELECT * FROM runs WHERE id = ?").all(encodeText(wanted)) as Row[];
  if (exact.length > 0) return exact;
  const prefix = encodeText(wanted).toUpperCase();
  return db
    .prepare("SELECT * FROM runs WHERE substr(id, 1, length(@prefix)) = @prefix LIMIT 2")
    .all({ prefix }) as Row[];
}

function noSuchRun(wanted: string): Error {
  return waymarkError("WM_RUN_NOT_FOUND", `no stored run has the id "${wanted}"`);
}
