import type { WriterCounts } from "./log/writer.ts";
import type { TapCounts } from "./tap.ts";

/** What a recording has seen and written so far. */
export interface RecordingCounts extends TapCounts {
  readonly log: WriterCounts;
}

/** Of a recording that has not begun. */
export const NO_COUNTS: RecordingCounts = {
  exchanges: 0,
  events: {},
  undecoded: 0,
  retries: 0,
  redacted: 0,
  preflights: 0,
  empty: 0,
  failed: 0,
  log: { written: 0, lost: 0, files: 0, bytes: 0 },
};

/** The counts of two recordings of one session, one after the other. */
export function addCounts(a: RecordingCounts, b: RecordingCounts): RecordingCounts {
  return {
    exchanges: a.exchanges + b.exchanges,
    events: addTallies(a.events, b.events),
    undecoded: a.undecoded + b.undecoded,
    retries: a.retries + b.retries,
    redacted: a.redacted + b.redacted,
    preflights: a.preflights + b.preflights,
    empty: a.empty + b.empty,
    failed: a.failed + b.failed,
    ...(a.decoderErrors === undefined && b.decoderErrors === undefined
      ? {}
      : { decoderErrors: addTallies(a.decoderErrors ?? {}, b.decoderErrors ?? {}) }),
    log: {
      written: a.log.written + b.log.written,
      lost: a.log.lost + b.log.lost,
      files: a.log.files + b.log.files,
      bytes: a.log.bytes + b.log.bytes,
      ...(a.log.foreign === undefined && b.log.foreign === undefined
        ? {}
        : { foreign: (a.log.foreign ?? 0) + (b.log.foreign ?? 0) }),
    },
  };
}

function addTallies(a: Readonly<Record<string, number>>, b: typeof a): Record<string, number> {
  const sum = { ...a };
  for (const [name, count] of Object.entries(b)) sum[name] = (sum[name] ?? 0) + count;
  return sum;
}

/** Records that were taken but not yet written. */
export function unwrittenIn({ events, undecoded, log }: RecordingCounts): number {
  const taken = Object.values(events).reduce((sum, count) => sum + count, undecoded);
  return Math.max(0, taken - log.written);
}
