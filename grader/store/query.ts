import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { isObject, type JsonObject, type JsonValue, parseJson, stringifyJson } from "../../proxy/record/json.ts";

export interface ReadOnlyQuery {
  readonly file: string;
  readonly sql: string;
  readonly params: readonly (string | number | bigint | null)[];
  /** Rows that are read; one more only says that there are more. */
  readonly maxRows: number;
  readonly limitMs: number;
  readonly signal?: AbortSignal;
}

export type QueryAnswer =
  | { readonly ok: true; readonly rows: readonly JsonObject[]; readonly isMore: boolean }
  | { readonly ok: false; readonly why: string };

/**
 * Asks a foreign SQLite database one question. SQLite has no way to stop a statement from outside that better-sqlite3
 * passes on, so the question is asked by a process of its own, which is ended at the limit. The database is opened
 * read-only, one SELECT is taken and nothing else (no ATTACH, no PRAGMA), and memory is bounded. Never rejects.
 */
export async function queryReadOnly(query: ReadOnlyQuery): Promise<QueryAnswer> {
  const { file, sql, params, maxRows, limitMs, signal } = query;
  const output = await runChild(stringifyJson({ file, sql, params, maxRows } as JsonValue), limitMs, signal);
  if (typeof output !== "string") return { ok: false, why: output.why };
  const answer = parseAnswer(output);
  if (answer === undefined) return { ok: false, why: "the query was ended before it gave an answer" };
  return answer;
}

const MOST_OUTPUT = 33_554_432;

function runChild(order: string, limitMs: number, signal: AbortSignal | undefined): Promise<string | { why: string }> {
  const script = new URL(import.meta.url.endsWith(".ts") ? "./query-child.ts" : "./query-child.js", import.meta.url);
  return new Promise((resolve) => {
    const child = spawn(process.execPath, ["--max-old-space-size=256", fileURLToPath(script)], {
      stdio: ["pipe", "pipe", "ignore"],
      windowsHide: true,
    });
    const parts: Buffer[] = [];
    let size = 0;
    let why: string | undefined;
    const end = (reason: string): void => {
      why ??= reason;
      child.kill("SIGKILL");
    };
    const timer = setTimeout(() => end(`the query took longer than ${limitMs} ms`), limitMs);
    const leave = (): void => end("nobody waits for the answer any more");
    signal?.addEventListener("abort", leave, { once: true });
    child.stdout.on("data", (chunk: Buffer) => {
      parts.push(chunk);
      size += chunk.length;
      if (size > MOST_OUTPUT) end(`the query gives more than ${MOST_OUTPUT} bytes`);
    });
    child.stdin.on("error", () => undefined); // it ended before it read the order; its exit says so
    child.once("error", (error) => end(`no process can be started: ${error.message}`));
    child.once("close", () => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", leave);
      resolve(why === undefined ? Buffer.concat(parts).toString("utf8") : { why });
    });
    child.stdin.end(order);
  });
}

function parseAnswer(output: string): QueryAnswer | undefined {
  try {
    const answer = parseJson(output);
    if (!isObject(answer)) return undefined;
    if (answer["ok"] !== true) return { ok: false, why: String(answer["why"]) };
    return { ok: true, rows: answer["rows"] as unknown as readonly JsonObject[], isMore: answer["isMore"] === true };
  } catch {
    return undefined;
  }
}
