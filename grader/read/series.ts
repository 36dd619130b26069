import { type Dirent, readdirSync, type Stats, statSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { waymarkError } from "../../proxy/record/fault.ts";
import { parseSegmentFile, segmentFile } from "../../proxy/record/series.ts";
import { isSystemError } from "./unreadable.ts";

/** One file of a series. `index` is its number when it is named like `telemetry-3.log`. */
export interface Segment {
  readonly file: string;
  readonly index?: number;
}

/** Files that are graded together as one log, in the order in which they were written. */
export interface Series {
  /** How outputs name it: the file, or the folder with the series' name. */
  readonly label: string;
  readonly segments: readonly Segment[];
  /** Files of the same series that stand before the first one and were not asked for. */
  readonly before: readonly Segment[];
  /** True when the user named one file: its capture counts, not the newest one. */
  readonly isNamedFile: boolean;
  /** Where later files of the series will appear, and under which name; absent for a single file and for stdin. */
  readonly grows?: { readonly folder: string; readonly name: string };
  readonly kind: "files" | "stream";
}

/** Something named by the user where no log stands. */
export interface MissingLog {
  readonly name: string;
  readonly why: string;
}

export interface FoundLogs {
  readonly series: readonly Series[];
  readonly missing: readonly MissingLog[];
}

const LOG_FILE = /\.(?:log|ndjson|jsonl)$/i;

/**
 * Finds what the user named: a file (with the later files of its series), a folder (every series in it), a glob (every
 * series it touches, only the files it matches), `-` (stdin). Each series comes once; several files of one series, as a
 * shell makes of a glob, are the series from the lowest of them on. Names that lead nowhere come back as `missing`. Throws `WM_LOG_UNREADABLE` on a folder that cannot be listed.
 */
export async function findLogs(names: readonly string[]): Promise<FoundLogs> {
  const series = new Map<string, Series>();
  const missing: MissingLog[] = [];
  for (const name of names) {
    const found = await findOne(name);
    if (found.length === 0) missing.push({ name, why: await whyMissing(name) });
    for (const one of found) {
      const key = keyOf(one);
      const known = series.get(key);
      series.set(key, known === undefined ? one : together(known, one));
    }
  }
  return { series: [...series.values()], missing };
}

function keyOf({ label, segments, grows, isNamedFile }: Series): string {
  if (isNamedFile && grows !== undefined) return `named\n${join(resolve(grows.folder), grows.name)}`;
  return `${label}\n${segments[0]?.file ?? ""}`;
}

/** As a glob that matches both: the newest capture of what stands from the lower one on, so that none is graded twice. */
function together(a: Series, b: Series): Series {
  const [firstOfA, firstOfB] = [a.segments[0]?.index ?? 0, b.segments[0]?.index ?? 0];
  if (firstOfA === firstOfB) return a;
  return { ...(firstOfA < firstOfB ? a : b), isNamedFile: false };
}

async function findOne(name: string): Promise<readonly Series[]> {
  if (name === "-") return [{ label: "-", segments: [], before: [], isNamedFile: false, kind: "stream" }];
  const stats = statsOf(name);
  if (typeof stats === "string") return [];
  if (stats?.isDirectory()) return groupSeries(logFilesIn(name));
  if (stats?.isFile()) return [namedFile(name)];
  if (stats !== undefined) return [{ ...singleFile(name), kind: "stream" }];
  return groupSeries(await filesMatching(name));
}

/** What stands at a path; undefined when nothing does, the system's code where that cannot be told (`ELOOP`, `EACCES`...). */
function statsOf(path: string): Stats | string | undefined {
  if (path.includes("\0")) return undefined;
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch (error) {
    if (!isSystemError(error)) throw error;
    return error.code;
  }
}

/** True when folders have the names of all files between `before`, whose number is `from` - 1, and number `to`. */
export function areFolders(before: string, from: number, to: number): boolean {
  const name = parseSegmentFile(basename(before))?.name;
  if (name === undefined) return false;
  for (let index = from; index < to; index++) {
    const stats = statsOf(join(dirname(before), segmentFile(name, index)));
    if (typeof stats !== "object" || !stats.isDirectory()) return false;
  }
  return true;
}

/** The segments of the series that stand in `folder` now, in order; for following a series as it grows. */
export function segmentsOf(folder: string, name: string): readonly Segment[] {
  return logFilesIn(folder)
    .map(toSegment)
    .filter(({ file, index }) => index !== undefined && parseSegmentFile(basename(file))?.name === name)
    .sort((a, b) => (a.index ?? 0) - (b.index ?? 0));
}

function namedFile(file: string): Series {
  const own = parseSegmentFile(basename(file));
  if (own === undefined) return singleFile(file);
  const folder = dirname(file);
  const all = segmentsOf(folder, own.name).map((segment) => ({ ...segment, file: besides(file, segment.file) }));
  return {
    label: file,
    segments: all.filter(({ index = 0 }) => index >= own.index),
    before: all.filter(({ index = 0 }) => index < own.index),
    isNamedFile: true,
    grows: { folder, name: own.name },
    kind: "files",
  };
}

/** `./a/x-0.log` keeps the way the user wrote its folder, so that outputs name files as the user does. */
function besides(named: string, file: string): string {
  return named.slice(0, named.length - basename(named).length) + basename(file);
}

function singleFile(file: string): Series {
  return { label: file, segments: [{ file }], before: [], isNamedFile: true, kind: "files" };
}

function groupSeries(files: readonly string[]): readonly Series[] {
  const groups = new Map<string, Segment[]>();
  for (const file of files) {
    const name = parseSegmentFile(basename(file))?.name;
    const key = name === undefined ? file : join(dirname(file), name);
    const group = groups.get(key) ?? [];
    group.push(toSegment(file));
    groups.set(key, group);
  }
  return [...groups].map(([label, segments]) => grouped(label, segments));
}

function grouped(label: string, segments: Segment[]): Series {
  const sorted = segments.sort((a, b) => (a.index ?? 0) - (b.index ?? 0));
  const [first] = sorted;
  if (first === undefined || first.index === undefined) return { ...singleFile(label), isNamedFile: false };
  const grows = { folder: dirname(first.file), name: basename(label) };
  return { label, segments: sorted, before: [], isNamedFile: false, grows, kind: "files" };
}

function toSegment(file: string): Segment {
  const index = parseSegmentFile(basename(file))?.index;
  return index === undefined ? { file } : { file, index };
}

function logFilesIn(folder: string): readonly string[] {
  return entriesOf(folder)
    .filter((entry) => LOG_FILE.test(entry.name) && isFile(folder, entry))
    .map((entry) => join(folder, entry.name))
    .sort();
}

function entriesOf(folder: string): readonly Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch (cause) {
    throw waymarkError("WM_LOG_UNREADABLE", `the folder ${folder} cannot be listed`, { cause });
  }
}

function isFile(folder: string, entry: Dirent): boolean {
  if (!entry.isSymbolicLink()) return entry.isFile();
  const stats = statsOf(join(folder, entry.name));
  // A link that leads nowhere, or in a circle, is passed over; one that may not be followed has to be reported.
  return typeof stats === "object" ? stats.isFile() : stats === "EACCES" || stats === "EPERM";
}

/** The files a glob names; a name that is no glob names none. tinyglobby is loaded only for names that lead nowhere. */
async function filesMatching(pattern: string): Promise<readonly string[]> {
  const { glob, isDynamicPattern } = await import("tinyglobby");
  if (!isDynamicPattern(pattern)) return [];
  // A backslash separates folders on Windows and escapes a character everywhere else.
  const portable = process.platform === "win32" ? pattern.replaceAll("\\", "/") : pattern;
  const files = await glob(portable, { onlyFiles: true, dot: true, expandDirectories: false });
  return files.map((file) => join(file)).sort();
}

async function whyMissing(name: string): Promise<string> {
  if (name === "") return "the name given is empty";
  const stats = statsOf(name);
  if (typeof stats === "string") return `${name} cannot be read (${stats})`;
  if (stats !== undefined) return `${name} holds no log (*.log, *.ndjson, *.jsonl)`;
  const { isDynamicPattern } = await import("tinyglobby");
  return isDynamicPattern(name) ? `no file matches ${name}` : `${name} does not exist`;
}
