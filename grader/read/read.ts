import { fstatSync } from "node:fs";
import { open } from "node:fs/promises";
import { PassThrough, type Readable } from "node:stream";
import { isObject } from "../../proxy/record/json.ts";
import { type Follow, followChanges } from "./follow.ts";
import { Intake, type RangeSink } from "./intake.ts";
import { parseLine } from "./parse.ts";
import type { RangeRule } from "./range.ts";
import { type ReaderOptions, SeriesReader } from "./reader.ts";
import { type Segment, type Series, segmentsOf } from "./series.ts";
import { StreamFile } from "./stream-file.ts";
import { successorsOf } from "./succession.ts";
import type { RangeSummary } from "./tally.ts";
import { helpersFor } from "./threads.ts";

export interface ReadOptions {
  readonly rule: RangeRule;
  readonly sink: RangeSink;
  /** Longest line that is read; longer ones are bad lines (LANGUAGE.md section 8.4, `line_bytes`). */
  readonly lineBytes: number;
  /** Lines that nobody has to see are taken for readable; how many, the summary says. A stream, which cannot be read again, is read in full. */
  readonly isQuick?: boolean;
  /** How many threads read files; by their size unless given. */
  readonly threads?: number;
  /** Reads on as the log grows, until this says stop. */
  readonly follow?: Follow;
  /** What a series that is a stream is read from; `streamOf` unless given. */
  readonly source?: Readable;
}

/**
 * Reads the graded range of one series and hands its events to the sink, each line parsed once. Resolves when the range
 * has ended (or `follow` says stop). Throws `WM_LOG_UNREADABLE` and `WM_LOG_NEWER_FORMAT`; everything else that is
 * wrong with a log is in the summary.
 */
export async function readSeries(series: Series, options: ReadOptions): Promise<RangeSummary> {
  return series.kind === "stream" ? readStream(series, options) : readFiles(series, options);
}

/** What a series that is a stream is read from, anew with each call; `stdin` is what `-` stands for. */
export async function streamOf({ label }: Series, stdin?: Readable): Promise<Readable> {
  const stream = label === "-" ? (stdin ?? ownStdin()) : await atPath(label);
  return stream.on("error", () => undefined); // whoever reads it is told, however late that begins
}

/** Takes time to load, and most logs are files. */
async function atPath(path: string): Promise<Readable> {
  const { pathStream } = await import("./path-stream.ts");
  return pathStream(path);
}

/** Node takes a folder on stdin for an empty stream. */
function ownStdin(): Readable {
  return isFolder(0) ? new PassThrough().destroy(new Error("it is a folder")) : process.stdin;
}

function isFolder(fd: number): boolean {
  try {
    return fstatSync(fd).isDirectory();
  } catch {
    return false; // it is closed
  }
}

async function readStream(series: Series, options: ReadOptions): Promise<RangeSummary> {
  const { follow } = options;
  const decided = new AbortController();
  const stop = follow === undefined ? undefined : AbortSignal.any([follow.signal, decided.signal]);
  const source = options.source ?? (await streamOf(series));
  const intake = new Intake({ rule: options.rule, sink: options.sink });
  const reader = new SeriesReader(intake, {
    lineBytes: options.lineBytes,
    open: async () => new StreamFile(source, series.label, stop),
    onBlock: () => {
      if (follow?.isDecided()) decided.abort();
    },
  });
  reader.extend([{ file: series.label }]);
  await drainAndClose(reader);
  return intake.finish();
}

async function drainAndClose(reader: SeriesReader, readOn?: () => Promise<void>): Promise<void> {
  try {
    await reader.drain();
    await readOn?.();
  } finally {
    await reader.close();
  }
}

async function readFiles(series: Series, options: ReadOptions): Promise<RangeSummary> {
  const { before, segments } = await chooseSegments(series, options.rule);
  const fileBefore = before.at(-1)?.file;
  const intake = new Intake({
    rule: options.rule,
    sink: options.sink,
    recordsBefore: await countAllLines(before),
    ...(fileBefore === undefined ? {} : { fileBefore }),
  });
  const reader = new SeriesReader(intake, {
    lineBytes: options.lineBytes,
    isQuick: options.isQuick === true,
    startAhead: await aheadOf(helpersFor(segments, options)),
  });
  reader.extend(segments);
  const { follow } = options;
  await drainAndClose(reader, follow === undefined ? undefined : () => keepReading(series, reader, follow));
  return intake.finish();
}

/** Most logs are too small for it, and it takes time to load. */
async function aheadOf(helpers: number): Promise<ReaderOptions["startAhead"]> {
  if (helpers === 0) return undefined;
  const { ScanAhead } = await import("./scan-ahead.ts");
  return (wish) => ScanAhead.start(helpers, wish);
}

async function keepReading(series: Series, reader: SeriesReader, follow: Follow): Promise<void> {
  const { grows } = series;
  const watched = grows?.folder ?? reader.file;
  if (watched === undefined) return;
  // a signal of its own: many series may wait for the same one
  const own = { ...follow, signal: AbortSignal.any([follow.signal]) };
  await followChanges(watched, own, async () => {
    if (grows !== undefined) reader.extend(segmentsOf(grows.folder, grows.name));
    else if (reader.facts !== undefined) reader.succeed(await successorsOf(watched, reader.facts));
    await reader.drain();
  });
}

/**
 * Files before the newest file that begins with a `start` line cannot belong to the newest capture, so they need not be
 * parsed. A `start` line anywhere else is found while reading.
 */
async function chooseSegments(
  series: Series,
  rule: RangeRule,
): Promise<{ readonly before: readonly Segment[]; readonly segments: readonly Segment[] }> {
  const { before, segments } = series;
  if (rule.kind !== "newest") return { before, segments };
  for (let at = segments.length - 1; at > 0; at--) {
    const file = segments[at]?.file;
    if (file !== undefined && (await beginsCapture(file))) {
      return { before: [...before, ...segments.slice(0, at)], segments: segments.slice(at) };
    }
  }
  return { before, segments };
}

/** True when a `start` line is among the control lines that the file begins with. */
async function beginsCapture(file: string): Promise<boolean> {
  const head = await readHead(file, 65_536);
  let start = 0;
  for (let end = head.indexOf(10); end !== -1; end = head.indexOf(10, start)) {
    const parsed = parseLine(head, start, end);
    if (parsed.kind === "event" || parsed.kind === "undecoded") return false;
    const meta = parsed.kind === "control" ? parsed.value["$capture"] : undefined;
    if (isObject(meta) && meta["control"] === "start") return true;
    start = end + 1;
  }
  return false;
}

async function readHead(file: string, bytes: number): Promise<Buffer> {
  const handle = await open(file, "r").catch(() => undefined); // the reader says what is wrong with it
  if (handle === undefined) return Buffer.alloc(0);
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(bytes), 0, bytes, 0);
    return buffer.subarray(0, bytesRead);
  } finally {
    await handle.close();
  }
}

async function countAllLines(segments: readonly Segment[]): Promise<number> {
  let lines = 0;
  for (const { file } of segments) lines += await countLines(file);
  return lines;
}

/** Physical lines of a file, the last one with or without newline; 0 when it cannot be read. */
async function countLines(file: string): Promise<number> {
  const handle = await open(file, "r").catch(() => undefined); // retention may have taken it: then it counts for nothing
  if (handle === undefined) return 0;
  const block = Buffer.allocUnsafe(1 << 20);
  let lines = 0;
  let lastByte = 10;
  try {
    for (let read = await handle.read(block); read.bytesRead > 0; read = await handle.read(block)) {
      const bytes = block.subarray(0, read.bytesRead);
      for (let at = bytes.indexOf(10); at !== -1; at = bytes.indexOf(10, at + 1)) lines++;
      lastByte = bytes[bytes.length - 1] ?? 10;
    }
  } finally {
    await handle.close();
  }
  return lastByte === 10 ? lines : lines + 1;
}
