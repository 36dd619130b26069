import type { Captured, Receiver } from "./backlog.ts";
import type { Decoder } from "./decoders/decoder.ts";
import { DECODERS } from "./decoders/index.ts";
import type { OwnFormats } from "./formats/index.ts";
import type { SeriesLock } from "./log/lock.ts";
import { openSeries, type SeriesOptions } from "./log/writer.ts";
import { createPipeline, type Pipeline } from "./pipeline/pipeline.ts";
import { parseRedactPath } from "./pipeline/redact-path.ts";
import { createRetryLedger } from "./pipeline/retries.ts";
import type { RecordingCounts } from "./recording-counts.ts";
import { createTap } from "./tap.ts";

/** How captured exchanges become lines. Plain data, so that it can be sent to another thread. */
export interface RecordingOptions extends OwnFormats {
  readonly log: Omit<SeriesOptions, "onProblem" | "now">;
  /** Places to redact, as written by the user. */
  readonly redact: readonly string[];
  /** Bytes a body may inflate to. */
  readonly maxInflatedBytes: number;
  /** Milliseconds between `tick` lines of an idle capture; none when absent. */
  readonly tickMs?: number;
}

export interface RecordingDeps {
  /** The series' lock, already taken. */
  readonly lock: SeriesLock;
  /** Shared with whoever reads the same exchanges; else one is made. */
  readonly pipeline?: Pipeline;
  readonly onProblem?: (message: string) => void;
  readonly now?: () => number;
}

/** Where captured exchanges become lines of a log series. */
export interface Recording extends Receiver {
  /** The log file that is being written. */
  readonly file: string;
  counts(): RecordingCounts;
  /** Resolves when every record so far is written, or when writing fails for now. */
  flush(): Promise<void>;
  /** Writes what waits and the `stop` line. Never throws. */
  close(): Promise<void>;
}

/** Every decoder there is, the user's own first. What those need is loaded only when there are some. */
export async function decodersOf({ formats = [], decoders = [] }: OwnFormats): Promise<readonly Decoder[]> {
  if (formats.length + decoders.length === 0) return DECODERS;
  const { withOwnFormats } = await import("./formats/index.ts");
  return withOwnFormats({ formats, decoders });
}

/** What reads exchanges, by the options. Throws `WM_USAGE_REDACT`. */
export function pipelineOf(
  { maxInflatedBytes, redact }: Omit<RecordingOptions, "log">,
  decoders: readonly Decoder[] = DECODERS,
): Pipeline {
  return createPipeline({ decoders, maxInflatedBytes, redactPaths: redact.map(parseRedactPath) });
}

async function pipelineWithOwn(options: RecordingOptions, lock: SeriesLock): Promise<Pipeline> {
  try {
    return pipelineOf(options, await decodersOf(options));
  } catch (cause) {
    await lock.release();
    throw cause;
  }
}

/** Decodes, redacts, numbers and writes in this thread. Throws what `openSeries` throws; the lock is then released. */
export async function openRecording(options: RecordingOptions, deps: RecordingDeps): Promise<Recording> {
  const { lock, pipeline: shared, ...surroundings } = deps;
  const { onProblem } = surroundings;
  const pipeline = shared ?? (await pipelineWithOwn(options, lock));
  const writer = await openSeries({ ...options.log, ...surroundings }, lock);
  const ledger = createRetryLedger();
  const tap = createTap({ pipeline, ledger, writer, ...(onProblem === undefined ? {} : { onProblem }) });
  const ticking = options.tickMs === undefined ? undefined : setInterval(() => writer.tick(), options.tickMs).unref();

  const workOn = (captured: Captured, delivered: Delivered): void => {
    if (captured.kind === "exchange") takeExchange(captured, delivered);
    else if (captured.kind === "loss") writer.lose(captured.exchanges, captured.why);
    else if (delivered.get(captured.id) !== "told") ledger.answered(captured.id, captured.status);
  };
  const takeExchange = ({ exchange, notRecorded }: Captured & { kind: "exchange" }, delivered: Delivered): void => {
    if (delivered.has(exchange.id)) {
      delivered.set(exchange.id, "told");
      ledger.answered(exchange.id, DELIVERED);
    }
    if (notRecorded === undefined) tap.take(exchange);
    else tap.takeTelemetry(exchange, notRecorded);
  };
  return {
    get file() {
      return writer.file;
    },
    isReady: () => true,
    work(all) {
      const delivered = deliveredIn(all);
      for (const captured of all) {
        try {
          workOn(captured, delivered);
        } catch (cause) {
          onProblem?.(String(cause));
        }
      }
    },
    counts: () => ({ ...tap.counts(), log: writer.counts() }),
    flush: () => writer.flush(),
    async close() {
      clearInterval(ticking);
      await writer.close();
    },
  };
}

const DELIVERED = 200;
const FIRST_FAILURE = 400;

/** Requests whose answer says that they were delivered, and whether the ledger of retries was told so. */
type Delivered = Map<string, "known" | "told">;

/**
 * Those answered in this very batch are told to the ledger ahead of their events, which it then need not keep: under full
 * load that was nine tenths of what outlived V8's space for new objects.
 */
function deliveredIn(all: readonly Captured[]): Delivered {
  const delivered: Delivered = new Map();
  for (const captured of all) {
    if (captured.kind === "answer" && captured.status !== undefined && captured.status < FIRST_FAILURE)
      delivered.set(captured.id, "known");
  }
  return delivered;
}
