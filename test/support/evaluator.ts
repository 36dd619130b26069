import { mkdirSync, writeFileSync } from "node:fs";
import { request } from "node:http";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { type EvaluatorOptions, type EvaluatorServer, startEvaluator } from "../../grader/evaluator/server.ts";
import { openStore, type Store } from "../../grader/store/store.ts";
import { scratchFolder } from "./scratch.ts";
import { chatSwitches } from "./telemetry.ts";

/** An answer as a test looks at it; the body is whatever JSON came. */
export interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  // biome-ignore lint/suspicious/noExplicitAny: a test reads what it expects, and fails where it is not there
  readonly body: any;
  readonly text: string;
}

export interface Asked {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  readonly signal?: AbortSignal;
}

export interface EvaluatorRoom {
  readonly folder: string;
  readonly server: EvaluatorServer;
  readonly store: Store;
  /** Sends a request; an object body goes as JSON, text as it is. */
  ask(path: string, asked?: Asked): Promise<Reply>;
  evaluate(...items: readonly object[]): Promise<Reply>;
}

/** A real server on a free port, with a database and run folders of its own. */
export async function evaluatorRoom(
  t: Pick<TestContext, "after">,
  options: Partial<EvaluatorOptions> = {},
): Promise<EvaluatorRoom> {
  const folder = scratchFolder(t);
  const store = openStore(join(folder, "waymark.db"));
  t.after(() => store.close());
  const bugs: unknown[] = [];
  const server = await startEvaluator({
    port: 0,
    store,
    markers: "markers",
    log: join(folder, "logs"),
    runs: join(folder, "runs"),
    onBug: (error) => void bugs.push(error),
    ...options,
  });
  t.after(async () => {
    await server.close();
    if (bugs.length > 0) throw bugs[0];
  });
  const ask = (path: string, asked: Asked = {}): Promise<Reply> => send(server, path, asked);
  return {
    folder,
    server,
    store,
    ask,
    evaluate: (...items) => ask("/evaluate", { body: { evaluation: items } }),
  };
}

function send(
  { host, port }: EvaluatorServer,
  path: string,
  { method, headers = {}, body, signal }: Asked,
): Promise<Reply> {
  const bytes =
    body === undefined
      ? undefined
      : typeof body === "string" || body instanceof Uint8Array
        ? body
        : JSON.stringify(body);
  return new Promise((resolve, reject) => {
    const outgoing = request(
      {
        host,
        port,
        path,
        method: method ?? (bytes === undefined ? "GET" : "POST"),
        headers: {
          ...(bytes === undefined
            ? {}
            : { "Content-Type": "application/json", "Content-Length": Buffer.byteLength(bytes) }),
          ...headers,
        },
        ...(signal === undefined ? {} : { signal }),
      },
      (response) => {
        let text = "";
        response.setEncoding("utf8").on("data", (chunk: string) => {
          text += chunk;
        });
        response.on("end", () =>
          resolve({ status: response.statusCode ?? 0, headers: response.headers, text, body: parse(text) }),
        );
        response.on("error", reject);
      },
    );
    outgoing.on("error", reject);
    outgoing.end(bytes);
  });
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Writes a log in which these chats are opened; answers its file. */
export function writeChats(folder: string, chats: readonly string[], name = "run.ndjson"): string {
  mkdirSync(folder, { recursive: true });
  const file = join(folder, name);
  writeFileSync(file, chatLines(chats));
  return file;
}

export function chatLines(chats: readonly string[]): string {
  const start = Date.UTC(2026, 0, 1);
  return chatSwitches(chats)
    .map((event, index) => `${JSON.stringify({ ...event, time: new Date(start + index * 1000).toISOString() })}\n`)
    .join("");
}

/** The item that asks for the five chats in a log. */
export function fiveChats(telemetry_file: string, more: object = {}): object {
  return { evaluator: "teams_scenarios", scenarios: ["simple_collab_switch"], telemetry_file, ...more };
}
