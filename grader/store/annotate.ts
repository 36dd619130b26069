import type Database from "better-sqlite3";
import { type Artifact, artifactRow, type Row } from "./rows.ts";
import type { Review } from "./stored-run.ts";
import { decodeText, encodeText } from "./text.ts";

/** What people and tools hang on a run after it was graded. Each answers false when there is no such run. */
export function saveReview(db: Database.Database, id: string, review: Review | undefined): boolean {
  const update = db.prepare("UPDATE runs SET review = ?, review_note = ?, reviewed_at = ? WHERE id = ?");
  const note = review?.note === undefined ? null : encodeText(review.note);
  return update.run(review?.verdict ?? null, note, review?.at ?? null, id).changes > 0;
}

export function addLabel(db: Database.Database, id: string, label: string): boolean {
  return insertFor(db, id, "labels", labelRow(id, label));
}

export function removeLabel(db: Database.Database, id: string, label: string): void {
  db.prepare("DELETE FROM labels WHERE run = ? AND label = ?").run(id, encodeText(label));
}

export function addArtifact(db: Database.Database, id: string, artifact: Artifact): boolean {
  return insertFor(db, id, "artifacts", artifactRow(id, artifact));
}

/** A run's labels as one JSON array, for a list of runs. */
export const LABELS_COLUMN = "(SELECT json_group_array(label) FROM labels WHERE run = id) AS labels";

/** The row of table `labels`. */
export function labelRow(run: string, label: string): Row {
  return { run, label: encodeText(label) };
}

export function labelsOf(db: Database.Database, run: string): readonly string[] {
  const rows = db.prepare("SELECT label FROM labels WHERE run = ? ORDER BY label").all(run) as Row[];
  return rows.map((row) => decodeText(String(row["label"])));
}

/** Forgets the runs with everything that hangs on them, and answers how many there were. */
export function removeRuns(db: Database.Database, ids: readonly string[]): number {
  const remove = db.prepare("DELETE FROM runs WHERE id = ?");
  return db.transaction(() => ids.reduce((sum, id) => sum + remove.run(id).changes, 0)).immediate();
}

/** Column names come from this room, never from data. */
function insertFor(db: Database.Database, id: string, table: string, row: Row): boolean {
  const columns = Object.keys(row);
  const names = columns.map((column) => `@${column}`).join(", ");
  const insert = db.prepare(`INSERT OR REPLACE INTO ${table} (${columns.join(", ")}) VALUES (${names})`);
  return db
    .transaction(() => {
      if (db.prepare("SELECT 1 FROM runs WHERE id = ?").get(id) === undefined) return false;
      insert.run(row);
      return true;
    })
    .immediate();
}
