import { setMaxListeners } from "node:events";
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { createAdaptorServer } from "@hono/node-server";
import { type Fault, waymarkError } from "../../proxy/record/fault.ts";
import { createRunIds } from "../run-id.ts";
import type { Store } from "../store/store.ts";
import type { PriceList } from "../trials/prices.ts";
import type { ScenarioResult } from "../verdict.ts";
import type { HandlerDeps } from "./handler-deps.ts";
import { createHandlers } from "./handlers.ts";
import { createApp } from "./http/app.ts";
import { createDoor, refuseOpenDoor } from "./http/doors.ts";
import { createTurnstile } from "./http/turnstile.ts";
import { createPool } from "./lanes/pool.ts";
import { createLocator } from "./locator.ts";
import { bindPage } from "./page/routes.ts";
import { openBatches } from "./runs/batches.ts";
import { type DeskDeps, openDesk } from "./runs/desk.ts";
import { type SummariseBatch, summariseRuns } from "./runs/statistics.ts";
import { openShelf } from "./scenarios.ts";
import { createTidy } from "./tidy.ts";

export interface EvaluatorOptions {
  readonly listen?: string;
  /** 0 takes a free one. */
  readonly port?: number;
  /** Folder of scenarios. */
  readonly markers?: string;
  /** The log that items without `telemetry_file` mean. */
  readonly log?: string;
  /** The folder of run folders. */
  readonly runs?: string;
  /** Where results are kept; absent, they are not. Closed by whoever opened it. */
  readonly store?: Store;
  readonly root?: string;
  readonly token?: string;
  /** Names a client may use in `Host`, beside localhost and addresses. */
  readonly hosts?: readonly string[];
  readonly commands?: ReadonlyMap<string, readonly string[]>;
  /** Requests that may work at once; four times as many may wait. */
  readonly maxConcurrent?: number;
  readonly maxWaitMs?: number;
  /** Longest time one grading or look may take. */
  readonly limitMs?: number;
  readonly maxBodyBytes?: number;
  readonly maxUploadBytes?: number;
  /** Threads that grade. */
  readonly lanes?: number;
  readonly summarise?: SummariseBatch;
  /** What model calls cost. */
  readonly prices?: PriceList;
  /** Told what could not be counted or read of a run. */
  readonly onProblem?: (problem: Fault) => void;
  readonly onBug?: (error: unknown) => void;
  readonly now?: () => number;
}

export interface EvaluatorServer {
  readonly host: string;
  readonly port: number;
  readonly url: string;
  /** Jobs and requests at this moment. */
  counts(): Readonly<Record<string, number>>;
  /** Takes no more requests, ends those that wait, and resolves when all is closed. */
  close(): Promise<void>;
}

export const DEFAULT_PORT = 5053;

const DEFAULTS = {
  listen: "127.0.0.1",
  port: DEFAULT_PORT,
  markers: "markers",
  log: "logs/telemetry",
  runs: ".waymark/runs",
  hosts: [] as readonly string[],
  commands: new Map() as ReadonlyMap<string, readonly string[]>,
  maxConcurrent: 64,
  maxWaitMs: 300_000,
  limitMs: 300_000,
  maxBodyBytes: 1_048_576,
  maxUploadBytes: 268_435_456,
  lanes: 2,
  summarise: summariseRuns,
  onBug: (): void => {},
  onProblem: (): void => {},
  now: Date.now,
};
const REQUEST_MS = 60_000;
const REQUESTS_PER_COLLECTION = 25;
const HEADERS_MS = 15_000;

/**
 * Starts the evaluator server (DESIGN.md section 7). Throws `WM_SERVE_OPEN` (off loopback without token and root),
 * `WM_SERVE_ROOT`, `WM_SERVE_PORT_TAKEN`, `WM_SERVE_LISTEN`.
 */
export async function startEvaluator(given: EvaluatorOptions = {}): Promise<EvaluatorServer> {
  const options = { ...DEFAULTS, ...given };
  const { listen, token, root, now } = options;
  const door = {
    listen,
    hosts: options.hosts,
    ...(token === undefined ? {} : { token }),
    ...(root === undefined ? {} : { root }),
  };
  refuseOpenDoor(door);
  const pool = createPool({ lanes: options.lanes, limitMs: options.limitMs });
  const locator = createLocator(root === undefined ? {} : { root });
  const stopping = new AbortController();
  setMaxListeners(0, stopping.signal); // one for each request under way
  const resets = new Map<string, string>();
  const listeners = new Set<(result: ScenarioResult) => void>();
  const deps: DeskDeps = {
    pool,
    locator,
    own: createLocator(),
    sight: { commands: options.commands, ...(root === undefined ? {} : { root }) },
    store: options.store === undefined ? undefined : heard(options.store, listeners),
    newRunId: createRunIds(now),
    now,
    shelf: openShelf(options.markers),
    defaultLog: options.log,
    maxWaitMs: options.maxWaitMs,
    resetAt: (log) => resets.get(log),
    runs: options.runs,
    prices: options.prices,
    onProblem: options.onProblem,
  };
  const desk = openDesk(deps);
  const turnstile = createTurnstile(options.maxConcurrent);
  const all: HandlerDeps = {
    deps,
    desk,
    batches: openBatches({ desk, deps, summarise: options.summarise }),
    turnstile,
    resets,
    listeners,
    maxUploadBytes: options.maxUploadBytes,
    startedAt: now(),
    tidy: createTidy(REQUESTS_PER_COLLECTION),
  };
  const app = createApp({
    handlers: createHandlers(all),
    page: (routes, whenGone) => bindPage(routes, { all, whenGone, ...(token === undefined ? {} : { token }) }),
    knock: createDoor(door),
    mostBodyBytes: options.maxBodyBytes,
    stopping: stopping.signal,
    onBug: options.onBug,
  });
  const server = createAdaptorServer({
    fetch: app.fetch,
    autoCleanupIncoming: false, // leftover.ts does it, and gives clients longer
    serverOptions: { requestTimeout: REQUEST_MS, headersTimeout: HEADERS_MS },
  }) as Server;
  const { address: host, port } = await listenOn(server, listen, options.port);
  return {
    host,
    port,
    url: `http://${host.includes(":") ? `[${host}]` : host}:${port}`,
    counts: () => ({ ...pool.counts(), ...turnstile.inside }),
    async close() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      stopping.abort();
      // connections become idle as what waited ends, so they are closed as they do
      const sweep = setInterval(() => server.closeIdleConnections(), 50);
      server.closeIdleConnections();
      const force = setTimeout(() => server.closeAllConnections(), DRAIN_MS);
      await closed;
      clearInterval(sweep);
      clearTimeout(force);
      await pool.close();
    },
  };
}

/** Requests under way get this long to end when the server stops. */
const DRAIN_MS = 2000;

function listenOn(server: Server, host: string, port: number): Promise<AddressInfo> {
  return new Promise((resolve, reject) => {
    server.once("error", (cause: NodeJS.ErrnoException) => {
      const where = `${host}:${port}`;
      reject(
        cause.code === "EADDRINUSE"
          ? waymarkError("WM_SERVE_PORT_TAKEN", `${where} is in use`, { cause })
          : waymarkError("WM_SERVE_LISTEN", `cannot listen on ${where} (${cause.code ?? cause.message})`, { cause }),
      );
    });
    server.listen(port, host, () => resolve(server.address() as AddressInfo));
  });
}

/** A store whose new results are told to the streams. */
function heard(store: Store, listeners: ReadonlySet<(result: ScenarioResult) => void>): Store {
  return {
    ...store,
    saveResult: (result, details) => {
      store.saveResult(result, details);
      for (const listener of listeners) listener(result);
    },
  };
}
