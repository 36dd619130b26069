import type { BatchDocument } from "../grader/trials/batch.ts";
import type { TrialManifest } from "../grader/trials/trial.ts";
import type { ScenarioResult, Verdict } from "../grader/verdict.ts";

export type { BatchDocument } from "../grader/trials/batch.ts";
export type { ScenarioResult, Verdict } from "../grader/verdict.ts";

export interface ClientOptions {
  /** Where `waymark serve` listens; http://127.0.0.1:5053 unless given. */
  readonly url?: string;
  readonly token?: string;
  /** Longest time a request may take beyond what it waits for, in milliseconds; 60 s unless given. */
  readonly timeoutMs?: number;
  readonly fetch?: typeof fetch;
}

/** An item that grades telemetry. */
export interface TelemetryItem {
  /** Any name that ends in `_scenarios`. */
  readonly evaluator: `${string}_scenarios`;
  readonly scenarios?: readonly string[];
  readonly telemetry_file?: string;
  readonly since?: string;
  readonly session?: string;
  readonly params?: Readonly<Record<string, unknown>>;
  readonly all?: boolean;
  readonly wait?: string;
}

/** An item that looks at the final state; its other keys are the evaluator's arguments. */
export interface StateItem {
  readonly evaluator: string;
  readonly wait?: string;
  readonly [argument: string]: unknown;
}

export interface ItemAnswer {
  readonly evaluator: string;
  readonly verdict: Verdict;
  readonly success: boolean;
  readonly summary: string;
  /** Of a telemetry item. */
  readonly results?: readonly ScenarioResult[];
  readonly waited?: Waited;
  readonly error?: { readonly code: string; readonly message: string };
  readonly [fact: string]: unknown;
}

export interface Waited {
  readonly waited_ms: number;
  readonly timed_out: boolean;
  readonly awaited: readonly { readonly scenario: string; readonly marker?: string }[];
  readonly last_event: { readonly name: string | null; readonly at?: string; readonly file: string } | null;
}

export interface Evaluation {
  readonly verdict: Verdict;
  readonly success: boolean;
  readonly summary: string;
  readonly results: readonly ItemAnswer[];
}

export interface RunOrder {
  readonly scenarios: readonly string[];
  readonly telemetry_file?: string;
  readonly batch?: string;
  readonly index?: number;
  readonly variant?: string;
  readonly task?: string;
  readonly labels?: readonly string[];
  readonly versions?: Readonly<Record<string, string>>;
  readonly params?: Readonly<Record<string, unknown>>;
  readonly command?: readonly string[];
}

export interface StartedRun {
  readonly id: string;
  readonly index: number;
  readonly folder: string;
  readonly telemetry: string;
  readonly started_at: string;
  /** Variables for the agent's process. */
  readonly env: Readonly<Record<string, string>>;
}

export interface Run {
  readonly id: string;
  readonly state: TrialManifest["state"];
  readonly verdict: Verdict | null;
  readonly success: boolean;
  readonly summary: string;
  readonly folder: string | null;
  readonly manifest: TrialManifest;
  readonly results: readonly ScenarioResult[];
}

export interface RunStanding {
  readonly id: string;
  readonly state: TrialManifest["state"];
  /** With a wait: what was awaited came before the time was up. */
  readonly decided: boolean;
  readonly results: readonly ScenarioResult[];
  readonly waited?: Waited;
}

export interface Step {
  readonly name: string;
  readonly started_at?: string;
  readonly duration_ms?: number;
  readonly cost_usd?: number;
  readonly tokens_in?: number;
  readonly tokens_out?: number;
}

/** The server refused a request: a wrong body, an unknown name, a path out of the root. Never a verdict. */
export class EvaluatorError extends Error {
  override readonly name = "EvaluatorError";
  readonly status: number;
  readonly code: string;
  readonly pointer: string | undefined;
  readonly known: readonly string[] | undefined;

  constructor(status: number, { code, message, pointer, known }: RefusalBody) {
    super(`${message} (${code}, HTTP ${status})`);
    this.status = status;
    this.code = code;
    this.pointer = pointer;
    this.known = known;
  }
}

interface RefusalBody {
  readonly code: string;
  readonly message: string;
  readonly pointer?: string;
  readonly known?: readonly string[];
}

export interface EvaluatorClient {
  evaluate(items: readonly (TelemetryItem | StateItem)[], options?: { readonly wait?: string }): Promise<Evaluation>;
  startRun(order: RunOrder): Promise<StartedRun>;
  stopRun(
    id: string,
    options?: { readonly settle?: { readonly idle?: string; readonly max?: string }; readonly exit_code?: number },
  ): Promise<Run>;
  run(id: string): Promise<Run>;
  markers(id: string, options?: { readonly wait?: string; readonly marker?: string }): Promise<RunStanding>;
  selfReport(
    id: string,
    report: { readonly claim: string; readonly claims_success?: boolean; readonly text?: string },
  ): Promise<void>;
  steps(id: string, steps: readonly Step[]): Promise<void>;
  attach(
    id: string,
    evidence: {
      readonly name: string;
      readonly kind?: string;
      readonly at?: string;
      readonly body: Uint8Array | string;
    },
  ): Promise<{ readonly path: string; readonly sha256: string }>;
  startBatch(options?: {
    readonly gate?: string;
    readonly runs?: number;
  }): Promise<{ readonly id: string; readonly gate: string }>;
  batch(id: string): Promise<BatchDocument>;
  events(options?: {
    readonly telemetry_file?: string;
    readonly name?: string;
    readonly since?: string;
    readonly limit?: number;
  }): Promise<{
    readonly counts: { readonly total: number; readonly by_name: Readonly<Record<string, number>> };
    readonly events: readonly unknown[];
  }>;
  reset(telemetryFile?: string): Promise<{ readonly at: string }>;
}

const WAIT_ALLOWANCE_MS = 60_000;
const LONGEST_WAIT_MS = 600_000;
const BUSY = 429;
const MOST_TRIES = 5;

/**
 * A client of `waymark serve` for TypeScript and JavaScript, of Node and of browsers. Verdicts are answers; what the
 * server refuses is an `EvaluatorError`, and a server that is busy is asked again after the time it names.
 */
export function createClient({
  url = "http://127.0.0.1:5053",
  token,
  timeoutMs = WAIT_ALLOWANCE_MS,
  fetch: ask = fetch,
}: ClientOptions = {}): EvaluatorClient {
  const request = async (method: string, path: string, sent: Sent = {}): Promise<unknown> => {
    const headers = {
      ...(sent.type === undefined ? {} : { "Content-Type": sent.type }),
      ...(token === undefined ? {} : { Authorization: `Bearer ${token}` }),
    };
    for (let tries = 1; ; tries++) {
      const signal = AbortSignal.timeout(timeoutMs + (sent.waits === true ? LONGEST_WAIT_MS : 0));
      const response = await ask(new URL(path, url), {
        method,
        headers,
        signal,
        ...(sent.body === undefined ? {} : { body: sent.body as NonNullable<RequestInit["body"]> }),
      });
      if (response.status === BUSY && tries < MOST_TRIES) {
        await response.arrayBuffer();
        await new Promise((resolve) => setTimeout(resolve, 1000 * Number(response.headers.get("Retry-After") ?? 1)));
        continue;
      }
      const answer: unknown = await response.json();
      if (response.ok) return answer;
      throw new EvaluatorError(response.status, (answer as { error: RefusalBody }).error);
    }
  };
  const post = (path: string, value: unknown, waits = false): Promise<unknown> =>
    request("POST", path, { type: "application/json", body: JSON.stringify(value), waits });
  const runs = (id: string, more = ""): string => `/v1/runs/${encodeURIComponent(id)}${more}`;
  return {
    evaluate: (items, { wait } = {}) =>
      post(`/evaluate${queryOf({ wait })}`, { evaluation: items }, true) as Promise<Evaluation>,
    startRun: (order) => post("/v1/runs", order) as Promise<StartedRun>,
    stopRun: (id, options = {}) => post(runs(id, "/stop"), options, true) as Promise<Run>,
    run: (id) => request("GET", runs(id)) as Promise<Run>,
    markers: (id, options = {}) =>
      request("GET", runs(id, `/markers${queryOf(options)}`), { waits: true }) as Promise<RunStanding>,
    selfReport: async (id, report) => void (await post(runs(id, "/self-report"), report)),
    steps: async (id, steps) => void (await post(runs(id, "/steps"), { steps })),
    attach: (id, { body, ...query }) =>
      request("POST", runs(id, `/attach${queryOf(query)}`), {
        type: "application/octet-stream",
        body,
      }) as Promise<{ path: string; sha256: string }>,
    startBatch: (options = {}) => post("/v1/batches", options) as Promise<{ id: string; gate: string }>,
    batch: (id) => request("GET", `/v1/batches/${encodeURIComponent(id)}`) as Promise<BatchDocument>,
    events: (options = {}) => request("GET", `/v1/events${queryOf(options)}`) as ReturnType<EvaluatorClient["events"]>,
    reset: (file) => post("/v1/reset", file === undefined ? {} : { telemetry_file: file }) as Promise<{ at: string }>,
  };
}

interface Sent {
  readonly type?: string;
  readonly body?: Uint8Array | string;
  readonly waits?: boolean;
}

function queryOf(values: Readonly<Record<string, string | number | undefined>>): string {
  const given = Object.entries(values).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, String(value)] as [string, string]],
  );
  return given.length === 0 ? "" : `?${new URLSearchParams(given)}`;
}
