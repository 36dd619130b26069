import type Database from "better-sqlite3";
import type { Row } from "./rows.ts";
import { decodeText, encodeText } from "./text.ts";

/** Several runs started together. */
export interface Batch {
  readonly id: string;
  /** ISO times; a batch without an end was interrupted, or is under way. */
  readonly startedAt: string;
  readonly endedAt?: string;
  readonly verdict?: string;
  readonly exitCode?: number;
  /** The document `run --json` prints, as JSON. */
  readonly document?: string;
}

/** Something that changed between runs and cannot be found out afterwards. */
export interface Change {
  /** ISO time. */
  readonly at: string;
  /** What changed: `app`, `model`, `prompt`, `scenario:checkout`, or what the user names. */
  readonly element: string;
  /** How: `version`, `content`, `outside`, or what the user names. */
  readonly kind: string;
  /** How much, in whatever unit suits the element: lines, bytes, a share. */
  readonly size?: number;
  /** Hash or version of the new state. */
  readonly hash?: string;
  readonly note?: string;
}

export function saveBatch(db: Database.Database, batch: Batch): void {
  const insert = db.prepare(
    "INSERT OR REPLACE INTO batches (id, started_at, ended_at, verdict, exit_code, document) VALUES (?, ?, ?, ?, ?, ?)",
  );
  const { id, startedAt, endedAt, verdict, exitCode, document } = batch;
  insert.run(id, startedAt, endedAt ?? null, verdict ?? null, exitCode ?? null, document ?? null);
}

export function getBatch(db: Database.Database, id: string): Batch | undefined {
  const row = db.prepare("SELECT * FROM batches WHERE id = ?").get(id);
  return row === undefined ? undefined : batchOf(row as Row);
}

export function listBatches(db: Database.Database, limit = -1): readonly Batch[] {
  const rows = db.prepare("SELECT * FROM batches ORDER BY started_at DESC, id DESC LIMIT ?").all(limit) as Row[];
  return rows.map(batchOf);
}

export function addChange(db: Database.Database, { at, element, kind, size, hash, note }: Change): number {
  const insert = db.prepare("INSERT INTO changes (at, element, kind, size, hash, note) VALUES (?, ?, ?, ?, ?, ?)");
  const text = (value: string | undefined): string | null => (value === undefined ? null : encodeText(value));
  return Number(
    insert.run(at, encodeText(element), encodeText(kind), size ?? null, text(hash), text(note)).lastInsertRowid,
  );
}

export function listChanges(db: Database.Database): readonly (Change & { readonly seq: number })[] {
  const rows = db.prepare("SELECT * FROM changes ORDER BY seq").all() as Row[];
  return rows.map((row) => ({
    seq: Number(row["seq"]),
    at: String(row["at"]),
    element: decodeText(String(row["element"])),
    kind: decodeText(String(row["kind"])),
    ...(row["size"] === null ? {} : { size: Number(row["size"]) }),
    ...(row["hash"] === null ? {} : { hash: decodeText(String(row["hash"])) }),
    ...(row["note"] === null ? {} : { note: decodeText(String(row["note"])) }),
  }));
}

function batchOf(row: Row): Batch {
  return {
    id: String(row["id"]),
    startedAt: String(row["started_at"]),
    ...(row["ended_at"] === null ? {} : { endedAt: String(row["ended_at"]) }),
    ...(row["verdict"] === null ? {} : { verdict: String(row["verdict"]) }),
    ...(row["exit_code"] === null ? {} : { exitCode: Number(row["exit_code"]) }),
    ...(row["document"] === null ? {} : { document: String(row["document"]) }),
  };
}
