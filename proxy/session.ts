import { type Backlog, createBacklog } from "./backlog.ts";
import type { OwnFormats } from "./formats/index.ts";
import { createGapMarks } from "./gap-marks.ts";
import { startRecordingThread } from "./hand-over.ts";
import type {
  Endpoint,
  HostCounts,
  Interceptor,
  InterceptorCounts,
  InterceptorOptions,
} from "./intercept/interceptor.ts";
import { takeSeries } from "./log/open-series.ts";
import type { SeriesOptions, WriterCounts } from "./log/writer.ts";
import { createNamedHosts, createScope } from "./pipeline/scope.ts";
import { sinkReply } from "./pipeline/sink.ts";
import type { Exchange } from "./record/exchange.ts";
import { decodersOf, openRecording, pipelineOf, type Recording, type RecordingOptions } from "./recording.ts";
import { openLastingRecording } from "./succession.ts";

export interface SessionOptions extends OwnFormats {
  /** Where and how records are written. */
  readonly log: Omit<SeriesOptions, "onProblem" | "startOptions" | "now">;
  /** How connections are handled; what the session decides itself is left out. */
  readonly interceptor: Omit<
    InterceptorOptions,
    "decide" | "sink" | "wantsAnswer" | "onExchange" | "onPassing" | "onAnswer" | "onTrouble" | "onUnread"
  >;
  readonly hosts: readonly string[];
  readonly bypass: readonly string[];
  readonly all: boolean;
  /** Answer the SDKs instead of their upstreams. */
  readonly sink: boolean;
  /** Further places to redact, as written by the user. */
  readonly redact: readonly string[];
  /** Bytes a body may inflate to; 64 MiB by default. */
  readonly maxInflatedBytes?: number;
  /** Milliseconds open exchanges get to end when the session closes; 2000 by default. */
  readonly drainMs?: number;
  /** Milliseconds between `tick` lines of an idle capture; none by default. */
  readonly tickMs?: number;
}

/** What a session gets handed in, so that it can be joined with any front door. */
export interface SessionDeps {
  readonly startInterceptor: (options: InterceptorOptions) => Promise<Interceptor>;
  /** Told about trouble that costs records; one line of text each time. */
  readonly onProblem?: (message: string) => void;
  /** Told once per host and reason what goes wrong with connections; one line, which may hold text from the network. */
  readonly onTrouble?: (text: string) => void;
  readonly now?: () => number;
}

export interface SessionCounts {
  /** Requests read, whether or not they held events. */
  readonly exchanges: number;
  /** Records taken by the log, by the decoder that read them; undecoded ones not among them. */
  readonly events: Readonly<Record<string, number>>;
  readonly undecoded: number;
  readonly retries: number;
  /** Values redacted. */
  readonly redacted: number;
  /** Requests without any event: CORS preflights, and empty ones that no format knows. */
  readonly preflights: number;
  readonly empty: number;
  /** Connections that were passed on unseen. */
  readonly tunnelled: number;
  /** By the user's own decoders, how often each threw. */
  readonly decoderErrors?: Readonly<Record<string, number>>;
  /** Exchanges lost to an error of ours; each is told to `onProblem`. */
  readonly failed: number;
  readonly log: WriterCounts;
  readonly intercept: Readonly<InterceptorCounts>;
  /** By host, what was not simply read. */
  readonly hosts: readonly HostCounts[];
}

/** One capture, from its `start` line to its `stop` line. */
export interface Session {
  readonly address: Endpoint;
  /** The log file that is being written. */
  readonly file: string;
  /** Of what was read and written as of a tenth of a second ago at most; after `flush` and `close` of all. */
  counts(): SessionCounts;
  /** Resolves when every record so far is written. */
  flush(): Promise<void>;
  /** Stops listening, lets open exchanges end, writes what waits, and returns the final counts. Safe to call twice. */
  close(): Promise<SessionCounts>;
}

const MAX_INFLATED_BYTES = 67_108_864;
const DRAIN_MS = 2_000;

/**
 * Starts one capture: the interceptor listens first, so that a start that fails leaves the log series as it was; then the
 * series is opened, and what came in between is written. Decoding and writing have a thread of their own, unless the
 * session is a sink, whose answers need the reading, or has a clock of its own. Throws `WM_USAGE_HOST`,
 * `WM_USAGE_REDACT`, `WM_FORMAT_DECODER`, what the interceptor throws, `WM_PROXY_OUT_TAKEN`, `WM_PROXY_OUT_UNWRITABLE`; then nothing is left
 * open. Once started, nothing that goes wrong with a record reaches the traffic.
 */
export async function startSession(options: SessionOptions, deps: SessionDeps): Promise<Session> {
  const decoders = await decodersOf(options);
  const readers = decoders.filter(({ wantsAnswer }) => wantsAnswer !== undefined);
  const known = decoders.flatMap(({ hosts }) => hosts);
  const decide = createScope({ ...options, known });
  const how = recordingOptions(options);
  const pipeline = pipelineOf(how, decoders);
  const backlog = createBacklog();
  const { startInterceptor, onTrouble, onProblem = () => undefined, now } = deps;
  const thread = options.sink || now !== undefined ? undefined : startRecordingThread();
  const interceptor = await startInterceptor({
    ...options.interceptor,
    decide,
    wantsAnswer: (request) => readers.some((decoder) => decoder.wantsAnswer?.(request) === true),
    onExchange: options.sink ? (exchange) => atOnce(backlog, exchange) : (exchange) => backlog.exchange(exchange),
    onPassing: backlog.exchange,
    onAnswer: backlog.answer,
    onUnread: createGapMarks({
      isNamed: createNamedHosts({ ...options, known }),
      mark: backlog.gap,
      now: now ?? Date.now,
    }),
    ...(onTrouble === undefined ? {} : { onTrouble }),
    ...(options.sink ? { sink: (exchange) => sinkReply(pipeline.read(exchange)) } : {}),
  }).catch(async (cause: unknown) => {
    await thread?.dismiss();
    throw cause;
  });
  const open = async (): Promise<Recording> => {
    const lock = await takeSeries(how.log.dir, how.log.name);
    if (thread !== undefined) {
      return openLastingRecording(thread, { options: how, lock, onProblem, onReady: backlog.settle });
    }
    return openRecording(how, { lock, pipeline, onProblem, ...(now === undefined ? {} : { now }) });
  };
  const recording = await open().catch(async (cause: unknown) => {
    await Promise.all([thread?.dismiss(), interceptor.close(0)]);
    throw cause;
  });
  backlog.handTo(recording);
  return joined({ interceptor, backlog, recording, drainMs: options.drainMs ?? DRAIN_MS });
}

/** The sink has read the exchange to answer it, and the pipeline remembers only the last one. */
function atOnce(backlog: Backlog, exchange: Exchange): void {
  backlog.exchange(exchange);
  backlog.settle();
}

interface Parts {
  readonly interceptor: Interceptor;
  readonly backlog: Backlog;
  readonly recording: Recording;
  readonly drainMs: number;
}

function joined({ interceptor, backlog, recording, drainMs }: Parts): Session {
  const counts = (): SessionCounts => {
    backlog.settle();
    const { counts: intercept } = interceptor;
    const { tunnelled } = intercept;
    return { ...recording.counts(), tunnelled, intercept, hosts: interceptor.hosts() };
  };
  const close = async (): Promise<SessionCounts> => {
    await interceptor.close(drainMs).finally(() => {
      backlog.empty();
      return recording.close();
    });
    return counts();
  };
  let closing: Promise<SessionCounts> | undefined;
  return {
    address: interceptor.address,
    get file() {
      return recording.file;
    },
    counts,
    flush() {
      backlog.empty();
      return recording.flush();
    },
    close() {
      closing ??= close();
      return closing;
    },
  };
}

function recordingOptions(options: SessionOptions): RecordingOptions {
  const { log, redact, tickMs, maxInflatedBytes = MAX_INFLATED_BYTES, formats = [], decoders = [] } = options;
  return {
    log: { ...log, startOptions: describeOptions(options) },
    redact,
    maxInflatedBytes,
    formats,
    decoders,
    ...(tickMs === undefined ? {} : { tickMs }),
  };
}

/** What the `start` line says of how the capture was made; no paths of keys and no key material. */
function describeOptions({ hosts, bypass, all, sink, redact, interceptor }: SessionOptions) {
  const map = [...interceptor.map].map(([from, { host, port }]) => `${from}=${host}:${port}`);
  return { hosts, bypass, all, sink, redact, map };
}
