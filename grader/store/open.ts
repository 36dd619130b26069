import { copyFileSync, existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import Database from "better-sqlite3";
import { waymarkError } from "../../proxy/record/fault.ts";
import { makeFolder } from "../../proxy/record/folder.ts";
import { isBusy, storeFault } from "./faults.ts";
import { APPLICATION_ID, MIGRATIONS, SCHEMA_VERSION } from "./migrations.ts";

/** The write-ahead log is cut back to this size after each checkpoint; docs promise at most four times as much. */
export const WAL_LIMIT_BYTES = 16 * 1024 * 1024;

/** SQLite takes these names for databases that are gone when they are closed. */
export function refuseNoFile(file: string): void {
  if (file.trim() !== "" && file !== ":memory:") return;
  const what = file === ":memory:" ? `"${file}" names no file, and` : "the name of the database is empty;";
  throw waymarkError("WM_USAGE", `${what} nothing could be kept in it`, { fix: "Name a file with --db." });
}

export interface OpenDatabase {
  readonly db: Database.Database;
  /** Removes what opening left behind (the copy of a database whose folder may not be written). */
  readonly tidy: () => void;
}

/**
 * Opens the database for writing, making its folder, the file and the schema when they are missing. Many processes may
 * do so at the same moment. Waits up to `busyMs` for a lock.
 */
export function openForWriting(file: string, busyMs: number): OpenDatabase {
  return guarded(file, () => {
    makeFolder(dirname(file));
    const db = new Database(file, { timeout: busyMs });
    try {
      configure(db, busyMs);
      migrate(db, file);
    } catch (error) {
      db.close();
      throw error;
    }
    return { db, tidy: () => {} };
  });
}

/**
 * Opens the database for reading. Where the folder may not be written (WAL needs a file beside the database), a copy in
 * the temporary folder is read instead.
 */
export function openForReading(file: string, busyMs: number): OpenDatabase {
  return guarded(file, () => {
    if (!existsSync(file)) throw waymarkError("WM_STORE_UNREADABLE", `there is no database ${file}`);
    const opened = openInPlace(file, busyMs) ?? openCopy(file, busyMs);
    try {
      refuseForeign(opened.db, file);
      if (versionOf(opened.db) === SCHEMA_VERSION) return opened;
    } catch (error) {
      close(opened);
      throw error;
    }
    close(opened); // an older version, or an empty file: only a writer can bring it up to date
    return openForWriting(file, busyMs);
  });
}

function close({ db, tidy }: OpenDatabase): void {
  db.close();
  tidy();
}

function openInPlace(file: string, busyMs: number): OpenDatabase | undefined {
  let db: Database.Database | undefined;
  try {
    db = new Database(file, { readonly: true, fileMustExist: true, timeout: busyMs });
    db.prepare("SELECT count(*) FROM sqlite_master").get(); // only now does SQLite look for the WAL
    return { db, tidy: () => {} };
  } catch (error) {
    db?.close();
    if (isMissingWriteAccess(error)) return undefined;
    throw error;
  }
}

function openCopy(file: string, busyMs: number): OpenDatabase {
  const folder = mkdtempSync(join(tmpdir(), "waymark-db-"));
  const tidy = (): void => rmSync(folder, { recursive: true, force: true });
  try {
    const copy = join(folder, basename(file));
    copyFileSync(file, copy);
    if (existsSync(`${file}-wal`)) copyFileSync(`${file}-wal`, `${copy}-wal`);
    const db = new Database(copy, { timeout: busyMs });
    return { db, tidy };
  } catch (cause) {
    tidy();
    throw waymarkError(
      "WM_STORE_UNREADABLE",
      `${file} cannot be read in its folder, which needs write access for WAL, and could not be copied either`,
      { cause },
    );
  }
}

function isMissingWriteAccess(error: unknown): boolean {
  const code = error instanceof Database.SqliteError ? error.code : "";
  return code.startsWith("SQLITE_CANTOPEN") || code.startsWith("SQLITE_READONLY");
}

/**
 * WAL lets readers and one writer work side by side. Switching to it needs the file alone and ignores the busy timeout,
 * so processes that start together have to try again.
 */
function configure(db: Database.Database, busyMs: number): void {
  const deadline = Date.now() + busyMs;
  for (;;) {
    try {
      db.pragma("journal_mode = WAL");
      break;
    } catch (error) {
      if (!isBusy(error) || Date.now() > deadline) throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5 + Math.random() * 20);
    }
  }
  db.pragma("synchronous = NORMAL"); // with WAL: a power cut may cost the last runs, never the database
  db.pragma("foreign_keys = ON");
  db.pragma("cache_size = -2000"); // 2 MB: whoever mostly writes gains nothing from the 16 MB that are the default here
  db.pragma(`journal_size_limit = ${WAL_LIMIT_BYTES}`);
}

/** Brings the schema up to date in one transaction that takes the write lock before it looks. */
function migrate(db: Database.Database, file: string): void {
  if (versionOf(db) === SCHEMA_VERSION && db.pragma("application_id", { simple: true }) === APPLICATION_ID) return;
  db.transaction(() => {
    refuseForeign(db, file);
    for (const statements of MIGRATIONS.slice(versionOf(db))) db.exec(statements);
    db.pragma(`application_id = ${APPLICATION_ID}`);
    db.pragma(`user_version = ${SCHEMA_VERSION}`);
  }).immediate();
}

function versionOf(db: Database.Database): number {
  return Number(db.pragma("user_version", { simple: true }));
}

/** Refuses a database that a newer waymark made, and one that another program made. An empty one is neither. */
function refuseForeign(db: Database.Database, file: string): void {
  const version = versionOf(db);
  const isOurs = db.pragma("application_id", { simple: true }) === APPLICATION_ID;
  const tables = Number(db.prepare("SELECT count(*) FROM sqlite_master").pluck().get());
  if (!isOurs && (tables > 0 || version > 0)) {
    throw waymarkError("WM_STORE_DAMAGED", `${file} is a database of another program`);
  }
  if (version > SCHEMA_VERSION) {
    const message = `${file} has schema version ${version}; this waymark knows versions up to ${SCHEMA_VERSION}`;
    throw waymarkError("WM_STORE_NEWER", message);
  }
}

function guarded(file: string, action: () => OpenDatabase): OpenDatabase {
  try {
    return action();
  } catch (error) {
    throw storeFault(file, error);
  }
}
