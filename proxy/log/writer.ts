import type { JsonObject } from "../record/json.ts";
import { startLine } from "./control.ts";
import type { SeriesLock } from "./lock.ts";
import { applyRetention, openNext, prepareSeries, takeSeries, unwritable } from "./open-series.ts";
import type { UnnumberedLine } from "./queue.ts";
import { QueueingWriter } from "./queueing-writer.ts";
import type { RetentionLimits, RotationLimits } from "./rotation.ts";
import { writeLine } from "./segment.ts";

export interface SeriesOptions extends RotationLimits, RetentionLimits {
  readonly dir: string;
  readonly name: string;
  /** Characters of records that may wait for the disk; what is over it is lost and counted. */
  readonly maxQueueChars?: number;
  /** Writing may hold up the thread, which has nothing else to do; false by default. */
  readonly mayBlock?: boolean;
  /** Written into the `start` line. */
  readonly startOptions?: JsonObject;
  /** Told once when writing begins to fail, and once for each kind of tampering seen. */
  readonly onProblem?: (message: string) => void;
  readonly now?: () => number;
}

export interface WriterCounts {
  readonly written: number;
  readonly lost: number;
  readonly files: number;
  readonly bytes: number;
  /** Bytes that another program wrote into the capture's files, where there were some. */
  readonly foreign?: number;
}

/** The writer of one capture. */
export interface SeriesWriter {
  /** The file that is being written. */
  readonly file: string;
  /** The number the next record will get. */
  readonly nextSeq: number;
  /** Takes a record; never waits, never throws. False when it is lost (the queue is full, or the writer is closed). */
  append(record: UnnumberedLine): boolean;
  /** Says that records are missing which never came here: a `loss` line where they would stand; 0 when their number, if any, is unknown. */
  lose(records: number, why: string): void;
  /** Writes a `tick` line, unless records are waiting. */
  tick(): void;
  /** Resolves when everything taken so far is written, or when writing fails for now. */
  flush(): Promise<void>;
  counts(): WriterCounts;
  /** Writes what waits and the `stop` line, hands all to the disk and lets the series go. Never throws. */
  close(): Promise<WriterCounts>;
}

/**
 * Opens a series for a new capture: a new file with a `start` line, numbers going on where the last capture ended.
 * Lines are written in batches, in order, by one write at a time; a record gets its number only when it is really
 * written, so that lost ones leave no gap but a `loss` line where they are missing. Data goes to the operating system
 * with each batch (a killed process loses at most what waited) and to the disk (fdatasync) when a file is finished.
 * The series may be `taken` already; its lock is released with the writer, or when it cannot be opened.
 * Throws `WM_USAGE` for a name no file can have, `WM_PROXY_OUT_TAKEN` or `WM_PROXY_OUT_UNWRITABLE`; once open, it never throws.
 */
export async function openSeries(options: SeriesOptions, taken?: SeriesLock): Promise<SeriesWriter> {
  const { dir, name, startOptions = {}, now = Date.now } = options;
  const lock = taken ?? (await takeSeries(dir, name));
  try {
    const { nextSeq, nextIndex } = await prepareSeries(dir, name, now());
    const segment = await unwritable(dir, async () => {
      const opened = await openNext(options, nextIndex, now());
      try {
        await writeLine(opened, startLine(now(), nextSeq, startOptions));
        await applyRetention(dir, name, options);
      } catch (cause) {
        await opened.discard();
        throw cause;
      }
      return opened;
    });
    return new QueueingWriter({ ...options, now }, { segment, lock, nextSeq });
  } catch (cause) {
    await lock.release();
    throw cause;
  }
}
