import type { SeriesWriter } from "./log/writer.ts";
import type { Pipeline, UnnumberedRecord } from "./pipeline/pipeline.ts";
import type { Reading } from "./pipeline/reading.ts";
import type { RetryLedger } from "./pipeline/retries.ts";
import type { Exchange } from "./record/exchange.ts";

/** What a tap has seen so far. */
export interface TapCounts {
  readonly exchanges: number;
  readonly events: Readonly<Record<string, number>>;
  readonly undecoded: number;
  readonly retries: number;
  readonly redacted: number;
  readonly preflights: number;
  readonly empty: number;
  readonly failed: number;
  /** By the user's own decoders, how often each threw. */
  readonly decoderErrors?: Readonly<Record<string, number>>;
}

export interface TapParts {
  readonly pipeline: Pipeline;
  readonly ledger: RetryLedger;
  readonly writer: Pick<SeriesWriter, "append" | "lose">;
  readonly onProblem?: (message: string) => void;
}

/** Where exchanges leave the traffic and become records. It never throws and never waits. */
export interface Tap {
  readonly take: (exchange: Exchange) => void;
  /** Takes an exchange when a decoder finds a named event in it, and else calls `notRecorded` and forgets it. */
  readonly takeTelemetry: (exchange: Exchange, notRecorded: () => void) => void;
  counts(): TapCounts;
}

/** Joins the pipeline to the log and counts what passes. */
export function createTap({ pipeline, ledger, writer, onProblem }: TapParts): Tap {
  const counts = { exchanges: 0, undecoded: 0, retries: 0, redacted: 0, preflights: 0, empty: 0, failed: 0 };
  const events = new Map<string, number>();
  const decoderErrors = new Map<string, number>();

  const count = (record: UnnumberedRecord, format: string): void => {
    counts.redacted += record.redacted;
    if (record.undecoded) counts.undecoded++;
    else events.set(format, (events.get(format) ?? 0) + 1);
    if (record.retry) counts.retries++;
  };
  const countEmpty = ({ nothing, events: found }: Reading): void => {
    if (nothing === "preflight") counts.preflights++;
    else if (found.length === 0) counts.empty++;
  };

  const countFailures = ({ failures }: Reading): void => {
    for (const { decoder, why } of failures) {
      const before = decoderErrors.get(decoder) ?? 0;
      decoderErrors.set(decoder, before + 1);
      if (before === 0) onProblem?.(`the decoder ${decoder} failed, further failures are only counted: ${why}`);
    }
  };

  const take = (exchange: Exchange): void => {
    counts.exchanges++;
    try {
      const reading = pipeline.read(exchange);
      countEmpty(reading);
      countFailures(reading);
      for (const record of pipeline.records(exchange, ledger)) {
        if (writer.append(record)) count(record, reading.format);
      }
    } catch (cause) {
      counts.failed++;
      writer.lose(1, "an error in waymark");
      onProblem?.(`request ${exchange.id} is not in the log: ${cause instanceof Error ? cause.stack : String(cause)}`);
    }
  };

  return {
    take,
    takeTelemetry(exchange, notRecorded) {
      if (isTelemetry(pipeline.read(exchange))) take(exchange);
      else notRecorded();
    },
    counts: () => ({
      ...counts,
      events: Object.fromEntries(events),
      ...(decoderErrors.size === 0 ? {} : { decoderErrors: Object.fromEntries(decoderErrors) }),
    }),
  };
}

function isTelemetry({ format, events }: Reading): boolean {
  return format !== "raw" && events.some(({ name }) => name !== null);
}
