import { readFileSync } from "node:fs";
import Database from "better-sqlite3";
import { type JsonObject, type JsonValue, parseJson, stringifyJson } from "../../proxy/record/json.ts";

/** The process that asks one question for `queryReadOnly`: order on stdin, answer on stdout. */
interface Order {
  readonly file: string;
  readonly sql: string;
  readonly params: readonly unknown[];
  readonly maxRows: number;
}

const BUSY_MS = 2000;
const HEAP_BYTES = 134_217_728;
const SELECT = /^(?:\s|--[^\n]*(?:\n|$)|\/\*[\s\S]*?\*\/)*(?:SELECT|WITH|VALUES)\b/i;

function answer({ file, sql, params, maxRows }: Order): JsonObject {
  if (!SELECT.test(sql)) return { ok: false, why: "only one SELECT is taken" };
  const db = new Database(file, { readonly: true, fileMustExist: true, timeout: BUSY_MS });
  try {
    db.pragma(`hard_heap_limit = ${HEAP_BYTES}`);
    db.pragma("trusted_schema = OFF");
    db.pragma("query_only = ON");
    const statement = db.prepare(sql);
    if (!statement.reader || !statement.readonly) return { ok: false, why: "only one SELECT is taken" };
    statement.safeIntegers(true);
    const rows: JsonObject[] = [];
    for (const row of statement.iterate(...params) as Iterable<Record<string, unknown>>) {
      if (rows.length === maxRows) return { ok: true, rows, isMore: true };
      rows.push(Object.fromEntries(Object.entries(row).map(([name, cell]) => [name, jsonOf(cell)])));
    }
    return { ok: true, rows, isMore: false };
  } finally {
    db.close();
  }
}

/** Integers as JSON has them, blobs as hexadecimal text. */
function jsonOf(cell: unknown): JsonValue {
  if (typeof cell === "bigint") return Number.isSafeInteger(Number(cell)) ? Number(cell) : cell;
  if (cell instanceof Uint8Array) return Buffer.from(cell).toString("hex");
  return cell as JsonValue;
}

function main(): void {
  let said: JsonObject;
  try {
    said = answer(parseJson(readFileSync(0, "utf8")) as unknown as Order);
  } catch (error) {
    said = { ok: false, why: error instanceof Error ? error.message : String(error) };
  }
  process.stdout.write(stringifyJson(said));
}

main();
