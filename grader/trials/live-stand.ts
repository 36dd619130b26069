import { createHash } from "node:crypto";
import { statSync } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { isObject, type JsonObject } from "../../proxy/record/json.ts";
import { parseSegmentFile, segmentFile } from "../../proxy/record/series.ts";
import { captureOf, positive } from "../read/control-line.ts";
import { parseLine } from "../read/parse.ts";
import { findLogs, type Segment, type Series, segmentsOf } from "../read/series.ts";
import { isGone } from "../read/unreadable.ts";

/** How far a log series had come at one moment. */
export interface SeriesStand {
  readonly folder: string;
  /** The series' name, or that of its one file. */
  readonly name: string;
  /** The newest file then, and the bytes of whole lines in it. */
  readonly file: string;
  readonly index?: number;
  readonly offset: number;
  /** Hash of what stood right before `offset`, so that another file of the same name is told from this one. */
  readonly fingerprint: string;
  /** The largest number of a record so far. */
  readonly last_seq?: number;
  /** The last line said that its capture is over: nobody writes. */
  readonly has_stopped: boolean;
}

const WINDOW = 65_536;
const FINGERPRINT = 4096;

/**
 * Where each series stands that a log's name leads to, and each of those `known` before, whose first files may be gone.
 * Rejects with the system's error.
 */
export async function standsOf(log: string, known: readonly SeriesStand[] = []): Promise<readonly SeriesStand[]> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await lookAt(log, known);
    } catch (cause) {
      if (!isGone(cause) || attempt === MOST_ATTEMPTS) throw cause; // a file was rotated away while it was looked at
    }
  }
}

const MOST_ATTEMPTS = 5;

async function lookAt(log: string, known: readonly SeriesStand[]): Promise<readonly SeriesStand[]> {
  const { series } = await findLogs([log]);
  const found = await Promise.all(series.filter(({ kind }) => kind === "files").map(standOf));
  const stands = found.filter((stand) => stand !== undefined);
  const rest = known.filter((one) => one.index !== undefined && !stands.some((stand) => isSameSeries(one, stand)));
  const others = rest.map(({ folder, name }) => standOf(seriesIn(folder, name)));
  return [...stands, ...(await Promise.all(others)).filter((stand) => stand !== undefined)];
}

function seriesIn(folder: string, name: string): Series {
  const label = join(folder, name);
  const segments = segmentsThere(folder, name);
  return { label, segments, before: [], isNamedFile: false, grows: { folder, name }, kind: "files" };
}

/** The files of a series that are there now, oldest first; none when its folder is gone. */
export function segmentsThere(folder: string, name: string): readonly Segment[] {
  return isFolder(folder) ? segmentsOf(folder, name) : [];
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}

/** True for two stands of one series. */
export function isSameSeries(a: SeriesStand, b: SeriesStand): boolean {
  return a.folder === b.folder && a.name === b.name;
}

/** Where a series stands now; undefined for one without a file. Rejects with the system's error. */
async function standOf({ label, segments, grows }: Series): Promise<SeriesStand | undefined> {
  const last = segments.at(-1);
  if (last === undefined) return undefined;
  const newest = await endOf(last);
  const before = newest.last === undefined ? await lastLine(segments.slice(0, -1)) : undefined;
  const seq = newest.seq ?? before?.seq;
  const control = captureOf(newest.last ?? before?.last ?? {})["control"];
  return {
    folder: resolve(grows?.folder ?? dirname(last.file)),
    name: grows?.name ?? basename(label),
    file: basename(last.file),
    ...(last.index === undefined ? {} : { index: last.index }),
    offset: newest.offset,
    fingerprint: newest.fingerprint,
    ...(seq === undefined ? {} : { last_seq: seq }),
    has_stopped: control === "stop",
  };
}

interface FileEnd {
  readonly offset: number;
  readonly fingerprint: string;
  readonly last?: JsonObject;
  readonly seq?: number;
}

/** A file that was begun this moment says nothing yet: the one before it does. */
async function lastLine(segments: readonly Segment[]): Promise<FileEnd | undefined> {
  for (const segment of [...segments].reverse()) {
    const end = await endOf(segment);
    if (end.last !== undefined) return end;
  }
  return undefined;
}

async function endOf({ file }: Segment): Promise<FileEnd> {
  const handle = await open(file, "r");
  try {
    const { size } = await handle.stat();
    for (let window = Math.min(WINDOW, size); ; window = Math.min(window * 16, size)) {
      const bytes = await readBefore(handle, size, window);
      const whole = bytes.lastIndexOf(10) + 1;
      const { last, seq } = linesBackwards(bytes.subarray(0, whole), window === size);
      if (seq === undefined && window < size) continue;
      const offset = size - bytes.length + whole;
      const fingerprint = await fingerprintAt(handle, offset);
      return { offset, fingerprint, ...(last === undefined ? {} : { last }), ...(seq === undefined ? {} : { seq }) };
    }
  } finally {
    await handle.close();
  }
}

/** The last line that is JSON, and the last number: of a record, or the one before what a `start` line promises. */
function linesBackwards(bytes: Buffer, isWhole: boolean): { readonly last?: JsonObject; readonly seq?: number } {
  let last: JsonObject | undefined;
  for (let end = bytes.length - 1; end > 0; ) {
    const start = bytes.lastIndexOf(10, end - 1) + 1;
    if (start === 0 && !isWhole) break; // this line begins before the window
    const parsed = parseLine(bytes, start, end);
    if (parsed.kind !== "blank" && parsed.kind !== "bad") {
      last ??= parsed.value;
      const seq = seqOf(parsed.value);
      if (seq !== undefined) return { last, seq };
    }
    end = start - 1;
  }
  return last === undefined ? {} : { last };
}

function seqOf(line: JsonObject): number | undefined {
  const meta = captureOf(line);
  const first = meta["control"] === "start" ? positive(meta["first_seq"]) : undefined;
  return positive(meta["seq"]) ?? (first === undefined ? undefined : first - 1);
}

/** Hash of up to 4 KB that end at `offset`. */
export async function fingerprintAt(handle: FileHandle, offset: number): Promise<string> {
  const bytes = await readBefore(handle, offset, Math.min(FINGERPRINT, offset));
  return hashOf(bytes);
}

function hashOf(bytes: Buffer): string {
  return createHash("sha256").update(bytes).digest("hex").slice(0, 16);
}

async function readBefore(handle: FileHandle, end: number, length: number): Promise<Buffer> {
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(length), 0, length, end - length);
  return buffer.subarray(0, bytesRead);
}

/** The stand of a series that was not there yet: what it holds now all came later. */
export function beginningOf({ folder, name, file, index }: SeriesStand): SeriesStand {
  const first = index === undefined ? { file } : { file: segmentFile(name, 0), index: 0 };
  return { folder, name, ...first, offset: 0, fingerprint: hashOf(Buffer.alloc(0)), has_stopped: false };
}

/** A stand as it was written into a run's folder; undefined when that is none. */
export function readStand(value: unknown): SeriesStand | undefined {
  if (!isObject(value)) return undefined;
  const { folder, name, file, offset, fingerprint } = value;
  const isStand = [folder, name, file, fingerprint].every((text) => typeof text === "string");
  return isStand && typeof offset === "number" ? (value as unknown as SeriesStand) : undefined;
}

/** The place of a file in its series. */
export function indexOf(file: string): number {
  return parseSegmentFile(basename(file))?.index ?? 0;
}
