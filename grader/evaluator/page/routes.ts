import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { HttpBindings } from "@hono/node-server";
import type { Context, Hono } from "hono";
import type { JsonObject } from "../../../proxy/record/json.ts";
import { findLogs } from "../../read/series.ts";
import { mediaType } from "../../report/page/collect.ts";
import { collectEvents } from "../../report/page/collect-events.ts";
import { servedData, servedPage } from "../../report/page/served.ts";
import { placesIn } from "../../trials/folder.ts";
import type { Trial } from "../../trials/trial.ts";
import type { HandlerDeps } from "../handler-deps.ts";
import { pageCookie, SECURITY_HEADERS } from "../http/doors.ts";
import { eventStream } from "../http/stream.ts";
import { Refusal } from "../refusal.ts";
import { fileAnswer, insideFolder } from "./bytes.ts";
import { openFeed } from "./feed.ts";
import { openRunFolders } from "./run-folders.ts";
import { shownRuns } from "./shown-runs.ts";

type Env = { Bindings: HttpBindings };
type Ask = Context<Env>;

export interface PageRoutes {
  readonly all: HandlerDeps;
  readonly token?: string;
  /** Comes when the asking connection is gone, or the server stops. */
  readonly whenGone: (context: Ask) => AbortSignal;
}

/** Binds what the page asks for. Nothing here changes anything. */
export function bindPage(app: Hono<Env>, { all, token, whenGone }: PageRoutes): void {
  const { deps, desk, turnstile, listeners } = all;
  const folders = openRunFolders(deps.runs);
  const feed = openFeed({ folders, shelf: deps.shelf, defaultLog: deps.defaultLog, now: deps.now });
  listeners.add(() => feed.touch());
  app.get("/", async (context, next) => {
    if (!(context.req.header("accept") ?? "").includes("text/html")) return next();
    const given = context.req.query("token");
    // The token leaves the address at once, so that no history and no log keeps it.
    if (token !== undefined && given !== undefined) {
      return new Response(null, {
        status: 303,
        headers: { ...SECURITY_HEADERS, Location: "/", "Set-Cookie": pageCookie(token) },
      });
    }
    const { html, policy } = servedPage();
    const headers = {
      ...SECURITY_HEADERS,
      "Content-Security-Policy": policy,
      "Content-Type": "text/html; charset=utf-8",
    };
    return new Response(html, { headers });
  });
  app.get("/v1/page", async (context) => {
    const leave = turnstile.enter("working");
    try {
      folders.look();
      const words = (context.req.query("runs") ?? "").split(",").filter((word) => word !== "");
      const trials = await shownRuns(words, { store: deps.store, runs: deps.runs, trials: folders.trials() });
      return json(await servedData(trials, deps.store, new Date(deps.now()).toISOString()));
    } finally {
      leave();
    }
  });
  app.get("/v1/page/stream", (context) => {
    const leave = turnstile.enter("waiting");
    const signal = whenGone(context);
    const body = eventStream(signal, (send) => {
      const stop = feed.subscribe({
        onLive: (runs) => send({ event: "live", data: { runs } as unknown as JsonObject }),
        onPage: () => send({ event: "page", data: {} }),
      });
      const end = (): void => {
        stop();
        leave();
      };
      signal.addEventListener("abort", end, { once: true });
    });
    return new Response(body, { headers: { ...SECURITY_HEADERS, "Content-Type": "text/event-stream" } });
  });
  app.get("/v1/runs/:id/log", async (context) => {
    const { folder } = folderOf(desk.get(context.req.param("id")));
    const { series } = await findLogs([placesIn(folder).telemetry]);
    const files = series.flatMap(({ segments }) => segments.map(({ file }) => file));
    for (const file of files) await insideFolder(folder, file);
    const { packed, why = "the log of this run is gone" } = await collectEvents(files, [], LOG_ROOM);
    if (packed === undefined) throw new Refusal(404, "WM_SERVE_NOT_FOUND", why);
    const headers = { ...SECURITY_HEADERS, "Content-Type": "text/plain; charset=utf-8", "Content-Encoding": "gzip" };
    return new Response(Buffer.from(packed), { headers });
  });
  app.get("/v1/runs/:id/output", async (context) => {
    const { folder } = folderOf(desk.get(context.req.param("id")));
    const { stdout, stderr, selfReport } = placesIn(folder);
    const [out, err, said] = await Promise.all([stdout, stderr, selfReport].map((file) => endOf(folder, file)));
    return json({ stdout: out, stderr: err, self_report: said });
  });
  app.get("/v1/runs/:id/artifact", async (context) => {
    const trial = folderOf(desk.get(context.req.param("id")));
    const artifact = trial.manifest.artifacts?.[Number(context.req.query("n"))];
    const type = artifact === undefined ? undefined : mediaType(artifact.path);
    if (artifact === undefined || type === undefined)
      throw new Refusal(404, "WM_SERVE_NOT_FOUND", "there is no such artifact");
    const file = await insideFolder(trial.folder, join(trial.folder, artifact.path));
    return fileAnswer(file, type, context.req.header("range"));
  });
}

/** Most packed bytes of one log. */
const LOG_ROOM = 20_000_000;
const MOST_OUTPUT = 65_536;

function folderOf(trial: Trial): Trial & { readonly folder: string } {
  const { folder } = trial;
  if (folder !== undefined) return { ...trial, folder };
  throw new Refusal(404, "WM_SERVE_NOT_FOUND", "this run has no folder");
}

/** The end of what a process wrote; undefined when there is nothing, or it leads out of the run's folder. */
async function endOf(folder: string, file: string): Promise<string | undefined> {
  const bytes = await insideFolder(folder, file)
    .then((path) => readFile(path))
    .catch(() => undefined);
  return bytes === undefined || bytes.length === 0 ? undefined : bytes.subarray(-MOST_OUTPUT).toString("utf8");
}

function json(value: unknown): Response {
  return new Response(JSON.stringify(value), { headers: { ...SECURITY_HEADERS, "Content-Type": "application/json" } });
}
