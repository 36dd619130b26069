import { createReadStream } from "node:fs";
import { open } from "node:fs/promises";
import { basename, dirname, resolve } from "node:path";
import { parseSegmentFile } from "../../proxy/record/series.ts";
import { captureOf, positive } from "../read/control-line.ts";
import { createLineSplitter } from "../read/lines.ts";
import { parseLine } from "../read/parse.ts";
import type { LinePlace } from "../read/range-sink.ts";
import { type StartOrder, startRunAt } from "./live-run.ts";
import { fingerprintAt, isSameSeries, type SeriesStand, standsOf } from "./live-stand.ts";
import { type StopOrder, type Stopped, stopLiveRun } from "./live-stop.ts";
import type { TrialSources } from "./select.ts";

export interface SaveOrder {
  readonly start: StartOrder;
  readonly stop: Omit<StopOrder, "settle">;
  /** The first line of each series that counts, as it was watched. */
  readonly from: readonly LinePlace[];
}

/**
 * Keeps what was watched of a log, up to now, as a run of its own: its stretch of the log, graded, in a folder and the
 * database. Rejects with the system's error when the log cannot be read, and with what `stopLiveRun` throws.
 */
export async function saveWatchedRun({ start, stop, from }: SaveOrder, sources: TrialSources): Promise<Stopped> {
  const begun = await Promise.all(from.map(standAtLine));
  const now = await standsOf(start.log);
  const others = now.filter((stand) => !begun.some((one) => isSameSeries(one, stand)));
  const trial = startRunAt(start, [...begun, ...others]);
  return stopLiveRun(trial, { ...stop, settle: { idleMs: 0, limitMs: 0 } }, sources);
}

/** Where a series stood before this line of it was written. */
async function standAtLine({ file, line }: LinePlace): Promise<SeriesStand> {
  const own = parseSegmentFile(basename(file));
  const { offset, seq } = await findLine(file, line);
  const handle = await open(file, "r");
  try {
    return {
      folder: resolve(dirname(file)),
      name: own?.name ?? basename(file),
      file: basename(file),
      ...(own === undefined ? {} : { index: own.index }),
      offset,
      fingerprint: await fingerprintAt(handle, offset),
      ...(seq === undefined || seq < 1 ? {} : { last_seq: seq - 1 }),
      has_stopped: false,
    };
  } finally {
    await handle.close();
  }
}

const MAX_LINE = 64 * 1024 * 1024;

/** The byte a line begins at, and the number of the first record from there on that has one (in its file, near it). */
async function findLine(file: string, line: number): Promise<{ readonly offset: number; readonly seq?: number }> {
  const offset = await offsetOf(file, line);
  let seq: number | undefined;
  const sink = {
    line: (bytes: Buffer, from: number, to: number): void => {
      const parsed = parseLine(bytes, from, to);
      if (parsed.kind === "event" || parsed.kind === "undecoded") seq ??= positive(captureOf(parsed.value)["seq"]);
    },
    tooLong: (): void => undefined,
  };
  const splitter = createLineSplitter(MAX_LINE, sink, offset === 0);
  for await (const chunk of createReadStream(file, { start: offset })) {
    splitter.push(chunk as Buffer);
    if (seq !== undefined) break;
  }
  return seq === undefined ? { offset } : { offset, seq };
}

async function offsetOf(file: string, line: number): Promise<number> {
  let before = line - 1;
  let offset = 0;
  if (before === 0) return 0;
  for await (const chunk of createReadStream(file)) {
    const bytes = chunk as Buffer;
    for (let at = bytes.indexOf(10); at !== -1; at = bytes.indexOf(10, at + 1)) {
      before -= 1;
      if (before === 0) return offset + at + 1;
    }
    offset += bytes.length;
  }
  return offset;
}
