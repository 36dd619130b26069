import Database from "better-sqlite3";
import { type FaultCode, WaymarkError, waymarkError } from "../../proxy/record/fault.ts";

/** True when another program holds the lock that was asked for. */
export function isBusy(error: unknown): boolean {
  return error instanceof Database.SqliteError && /^SQLITE_(?:BUSY|LOCKED)/.test(error.code);
}

/** What went wrong with the database, as a fault the user can act on; errors that are none of SQLite's stay as they are. */
export function storeFault(file: string, error: unknown): unknown {
  if (error instanceof WaymarkError) return error;
  const code = codeOf(error);
  if (code === undefined) return error;
  const detail = error instanceof Error ? error.message : String(error);
  const known = faultFor(code);
  if (known === undefined) return error;
  const [fault, what] = known;
  return waymarkError(fault, `${file} ${what} (${code}: ${detail})`, { cause: error });
}

function codeOf(error: unknown): string | undefined {
  if (error instanceof Database.SqliteError) return error.code;
  if (error instanceof TypeError && /directory does not exist/.test(error.message)) return "SQLITE_CANTOPEN";
  const isSystemError = error instanceof Error && "syscall" in error && "code" in error;
  return isSystemError ? String(error.code) : undefined;
}

/**
 * undefined for what only a bug of waymark can cause, such as a constraint. SQLITE_ERROR is what a database gives whose
 * schema is not the one its version promises (`no such table`): the statements themselves are fixed.
 */
function faultFor(code: string): readonly [FaultCode, string] | undefined {
  if (/^SQLITE_(?:BUSY|LOCKED)/.test(code)) return ["WM_STORE_BUSY", "stayed locked"];
  if (/^SQLITE_(?:NOTADB|CORRUPT|FORMAT|ERROR)/.test(code)) return ["WM_STORE_DAMAGED", "is damaged or no database"];
  if (/^(?:SQLITE_FULL|ENOSPC|EDQUOT|SQLITE_IOERR_WRITE)/.test(code)) return ["WM_STORE_FULL", "could not grow"];
  if (/^SQLITE_(?:CONSTRAINT|MISUSE|RANGE|MISMATCH|TOOBIG)/.test(code)) return undefined;
  return ["WM_STORE_UNREADABLE", "cannot be opened or written"];
}
