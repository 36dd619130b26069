import { createReadStream } from "node:fs";
import { type FileHandle, open, stat } from "node:fs/promises";
import { join } from "node:path";
import { makeFolder } from "../../proxy/record/folder.ts";
import { type JsonObject, stringifyJson } from "../../proxy/record/json.ts";
import { type ControlKind, RECORD_FORMAT } from "../../proxy/record/record.ts";
import { segmentFile } from "../../proxy/record/series.ts";
import { WAYMARK_VERSION } from "../../proxy/record/version.ts";
import { captureOf } from "../read/control-line.ts";
import { createLineSplitter } from "../read/lines.ts";
import { parseLine } from "../read/parse.ts";
import { OthersLeftOut } from "./live-others.ts";
import { fingerprintAt, indexOf, type SeriesStand, segmentsThere } from "./live-stand.ts";

export interface Stretch {
  readonly from: SeriesStand;
  readonly to: SeriesStand;
  /** The run's telemetry folder. */
  readonly target: string;
  readonly run: string;
  readonly startedAt: string;
  readonly endedAt: string;
}

export interface Sliced {
  readonly file: string;
  /** Why the stretch is not whole, a sentence each; the log says the same in `loss` lines. */
  readonly cuts: readonly string[];
}

/** Longer lines are no records of waymark's. */
const MAX_LINE = 64 * 1024 * 1024;
const CONTROL = Buffer.from('"control"');

/**
 * Copies a stretch of a log series into a run's folder as a capture of its own: it begins with a `start` line that names
 * the first number to come, its records are copied byte for byte (but for those of other runs: `OthersLeftOut`), and where the series was rotated away, changed, or the
 * proxy was started again, a `loss` line stands, so that the grade knows the evidence as cut. Rejects with the system's
 * error when something cannot be read or written.
 */
export async function sliceSeries(stretch: Stretch): Promise<Sliced> {
  const { from, target, run, startedAt, endedAt } = stretch;
  makeFolder(target);
  const file = join(target, segmentFile(from.name.replace(/\.(?:log|ndjson|jsonl)$/i, ""), 0));
  const handle = await open(file, "w", 0o600);
  const isNew = from.offset === 0 && from.last_seq === undefined;
  const writer = new SliceWriter(handle, { isNew, run });
  try {
    const first = from.last_seq === undefined ? {} : { first_seq: from.last_seq + 1 };
    const details = { record_format: RECORD_FORMAT, waymark: WAYMARK_VERSION, ...first, run, sliced_from: from.file };
    writer.control("start", startedAt, details);
    const pieces = await piecesOf(stretch);
    if (pieces.missing !== undefined) writer.loss(startedAt, pieces.missing);
    for (const piece of pieces.files) await copyPiece(piece, writer, endedAt);
    writer.control("stop", endedAt, {});
    await writer.flush();
  } finally {
    await handle.close();
  }
  return { file, cuts: writer.cuts };
}

interface Piece {
  readonly file: string;
  readonly start: number;
  /** Bytes of whole lines; absent for a file that is finished. */
  readonly end?: number;
}

/** The files of the stretch, and what is missing before the first of them. */
async function piecesOf({ from, to }: Stretch): Promise<{ files: readonly Piece[]; missing?: string }> {
  const isSeries = from.index !== undefined;
  const all = isSeries ? segmentsThere(from.folder, from.name).map(({ file }) => file) : [join(from.folder, from.file)];
  const last = indexOf(to.file);
  const until = (file: string): { end?: number } => (indexOf(file) === last ? { end: to.offset } : {});
  const first = join(from.folder, from.file);
  const state = await stateOf(first, from);
  const isLater = (file: string): boolean => indexOf(file) > indexOf(first);
  const files = all.filter((file) => indexOf(file) <= last).map((file) => ({ file, start: 0, ...until(file) }));
  if (state === "same") {
    const begun = { file: first, start: from.offset, ...until(first) };
    return { files: [begun, ...files.filter(({ file }) => isSeries && isLater(file))] };
  }
  const later = files.filter(({ file }) => isLater(file));
  const missing = `${from.file}, in which the run began, ${state === "gone" ? "was removed meanwhile" : "was changed by another program"}`;
  return { files: state === "gone" && later.length > 0 ? later : files, missing };
}

async function stateOf(file: string, from: SeriesStand): Promise<"same" | "changed" | "gone"> {
  const info = await stat(file).catch(() => undefined); // retention took it
  if (info === undefined) return "gone";
  if (info.size < from.offset) return "changed";
  const handle = await open(file, "r");
  try {
    return (await fingerprintAt(handle, from.offset)) === from.fingerprint ? "same" : "changed";
  } finally {
    await handle.close();
  }
}

async function copyPiece({ file, start, end }: Piece, writer: SliceWriter, at: string): Promise<void> {
  if (end !== undefined && end <= start) return;
  const sink = {
    line: (bytes: Buffer, from: number, to: number) => writer.line(bytes.subarray(from, to)),
    tooLong: () => writer.loss(at, `a line of ${file} is too long`),
  };
  const splitter = createLineSplitter(MAX_LINE, sink, start === 0);
  for await (const chunk of createReadStream(file, { start, ...(end === undefined ? {} : { end: end - 1 }) })) {
    splitter.push(chunk as Buffer);
    await writer.flush();
  }
  const rest = splitter.end();
  if (rest.kind === "bytes") writer.line(rest.bytes);
  await writer.flush();
}

/** Writes lines, and turns the control lines of the proxy into those of a stretch. */
class SliceWriter {
  readonly cuts: string[] = [];
  readonly #handle: FileHandle;
  #waiting: Buffer[] = [];
  #stoppedAt: string | undefined;
  #isNew: boolean;
  readonly #others: OthersLeftOut;

  /** `isNew`: the series began after the run, so that its first `start` line is no second one. */
  constructor(handle: FileHandle, { isNew, run }: { readonly isNew: boolean; readonly run: string }) {
    this.#handle = handle;
    this.#isNew = isNew;
    this.#others = new OthersLeftOut(run);
  }

  line(bytes: Buffer): void {
    const parsed = bytes.includes(CONTROL) ? parseLine(bytes, 0, bytes.length) : undefined;
    const meta = parsed?.kind === "control" ? captureOf(parsed.value) : {};
    const at = String(meta["at"] ?? "");
    if (meta["control"] === "stop") this.#stoppedAt = at;
    else if (meta["control"] === "start") this.#restarted(at);
    else this.#record(bytes);
  }

  #record(bytes: Buffer): void {
    const line = this.#others.lineOf(bytes);
    if (line !== undefined) this.#put(line);
  }

  control(control: ControlKind, at: string, details: JsonObject): void {
    this.#put(Buffer.from(stringifyJson({ name: null, $capture: { control, at, ...details } })));
  }

  loss(at: string, why: string): void {
    this.cuts.push(why);
    this.control("loss", at, { records: null, why });
  }

  async flush(): Promise<void> {
    const bytes = Buffer.concat(this.#waiting);
    this.#waiting = [];
    for (let done = 0; done < bytes.length; ) done += (await this.#handle.write(bytes, done)).bytesWritten;
  }

  /** Nobody listened between two lives of the proxy. */
  #restarted(at: string): void {
    const isFirst = this.#isNew;
    this.#isNew = false;
    if (isFirst) return;
    const stopped = this.#stoppedAt === undefined ? "ended" : `was stopped at ${this.#stoppedAt}`;
    this.loss(at, `the proxy ${stopped} and was started again at ${at}, during the run`);
    this.#stoppedAt = undefined;
  }

  #put(bytes: Buffer): void {
    this.#waiting.push(Buffer.concat([bytes, Buffer.from("\n")]));
  }
}
