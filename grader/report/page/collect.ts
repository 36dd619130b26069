import { statSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { extname, join } from "node:path";
import { promisify } from "node:util";
import { gzip } from "node:zlib";
import { findLogs } from "../../read/series.ts";
import { placesIn } from "../../trials/folder.ts";
import type { Trial } from "../../trials/trial.ts";
import { collectEvents, type EventsFound, type WantedLine } from "./collect-events.ts";
import type { Attachments } from "./input.ts";
import { fileName } from "./page-result.ts";
import { verdictOf } from "./page-run.ts";
import type { Chunk } from "./render.ts";

export interface CollectOptions {
  /** Most bytes of video and screenshots inside the page; what is heavier goes beside it. */
  readonly embedLimit: number;
  /** Most bytes of packed events inside the page; beyond it only the events that markers name are kept. */
  readonly eventsLimit: number;
}

/** A file that has to stand beside the page. */
export interface BesideFile {
  readonly from: string;
  /** Relative to the page, with `/`. */
  readonly to: string;
}

export interface Collected {
  /** By the id of the launch. */
  readonly attachments: ReadonlyMap<string, Attachments>;
  /** Packed events and process logs. */
  readonly chunks: readonly Chunk[];
  /** Media inside the page, read only when they are written. */
  readonly embedded: readonly { readonly id: string; readonly file: string }[];
  readonly beside: readonly BesideFile[];
  readonly notes: readonly string[];
}

/**
 * Looks into the folders of runs: packs their logs and the ends of their outputs, and decides which media go inside the
 * page and which beside it. Runs that did not pass come first, so that they keep their events when room runs out. What
 * cannot be read is said in the run and in no way stops the others. `beside` names the folder for heavy files.
 */
export async function collect(trials: readonly Trial[], beside: string, options: CollectOptions): Promise<Collected> {
  const room = { media: options.embedLimit, events: options.eventsLimit };
  const shelf: Shelf = { chunks: [], embedded: [], beside: [], room, folder: beside };
  const attachments = new Map<string, Attachments>();
  const order = [...trials.entries()].sort(([, a], [, b]) => Number(isPass(a)) - Number(isPass(b)));
  let left = 0;
  // Two at a time keep a second core busy with packing while the next log is read.
  const queue = order.values();
  const work = async (): Promise<void> => {
    for (const [at, trial] of queue) {
      const found = await attach(trial, at, shelf);
      if (found.eventsWhy?.startsWith("only the events") === true) left++;
      attachments.set(trial.manifest.id, found);
    }
  };
  await Promise.all([work(), work()]);
  const notes =
    left === 0
      ? []
      : [`${left} of ${trials.length} runs show only the events that markers name, to keep this page small`];
  return { attachments, chunks: shelf.chunks, embedded: shelf.embedded, beside: shelf.beside, notes };
}

interface Shelf {
  readonly chunks: Chunk[];
  readonly embedded: { readonly id: string; readonly file: string }[];
  readonly beside: BesideFile[];
  readonly room: { media: number; events: number };
  readonly folder: string;
}

function isPass(trial: Trial): boolean {
  return verdictOf(trial) === "pass";
}

async function attach(trial: Trial, at: number, shelf: Shelf): Promise<Attachments> {
  const events = await eventsOf(trial, shelf.room.events);
  const id = `events-${at}`;
  if (events.packed !== undefined) {
    shelf.room.events -= events.packed.length;
    shelf.chunks.push({ id, encoding: "gzip", bytes: events.packed });
  }
  const process = await processChunk(trial, `process-${at}`);
  if (process !== undefined) shelf.chunks.push(process);
  return {
    files: events.files,
    ...(events.packed === undefined ? {} : { eventsChunk: id }),
    ...(events.why === undefined ? {} : { eventsWhy: events.why }),
    ...(process === undefined ? {} : { processChunk: process.id }),
    media: mediaOf(trial, at, shelf),
    times: events.times,
    redacted: events.redacted,
  };
}

async function eventsOf(trial: Trial, room: number): Promise<EventsFound> {
  const { folder, results } = trial;
  const logs = folder === undefined ? [...new Set(results.map(({ log }) => log))] : [placesIn(folder).telemetry];
  try {
    const { series } = await findLogs(logs.filter((log) => log !== "-"));
    const files = [...new Set(series.flatMap(({ segments }) => segments.map(({ file }) => file)))];
    if (files.length === 0) return { files: [], times: new Map(), redacted: 0, why: "the log of this run is gone" };
    return await collectEvents(files, wantedLines(trial), room);
  } catch (cause) {
    const why = `the log of this run cannot be read: ${cause instanceof Error ? cause.message : String(cause)}`;
    return { files: [], times: new Map(), redacted: 0, why };
  }
}

/** The lines that the page opens: markers, nearest misses and violations. */
function wantedLines({ results }: Trial): readonly WantedLine[] {
  return results.flatMap(({ markers, rules }) => [
    ...markers.flatMap(({ file, line, nearest }) => [
      ...(file === undefined || line === undefined ? [] : [{ file: fileName(file), line }]),
      ...(nearest === undefined ? [] : [{ file: fileName(nearest.file), line: nearest.line }]),
    ]),
    ...rules.flatMap(({ violations }) =>
      violations.map(({ file, line }) => ({ file: fileName(file), line, timed: true })),
    ),
  ]);
}

const MOST_OUTPUT = 65_536;
const pack = promisify(gzip);

async function processChunk({ folder }: Trial, id: string): Promise<Chunk | undefined> {
  if (folder === undefined) return undefined;
  const { stdout, stderr, selfReport } = placesIn(folder);
  const [out, err, said] = await Promise.all([stdout, stderr, selfReport].map(endOf));
  if (out === undefined && err === undefined && said === undefined) return undefined;
  return { id, encoding: "gzip", bytes: await pack(JSON.stringify({ stdout: out, stderr: err, self_report: said })) };
}

/** The end of a text file, and a word in front when more stood before it. */
async function endOf(file: string): Promise<string | undefined> {
  const bytes = await readFile(file).catch(() => undefined); // no such output
  if (bytes === undefined || bytes.length === 0) return undefined;
  if (bytes.length <= MOST_OUTPUT) return bytes.toString("utf8");
  return `… ${bytes.length - MOST_OUTPUT} bytes before this are in ${file}\n${bytes.subarray(-MOST_OUTPUT).toString("utf8")}`;
}

const TYPES: Readonly<Record<string, string>> = {
  ".webm": "video/webm",
  ".mp4": "video/mp4",
  ".m4v": "video/mp4",
  ".mov": "video/quicktime",
  ".mkv": "video/x-matroska",
  ".png": "image/png",
  ".jpg": "image/jpeg",
  ".jpeg": "image/jpeg",
  ".webp": "image/webp",
  ".gif": "image/gif",
};

/** The media type of a video or a screenshot by its name; undefined for anything else. */
export function mediaType(path: string): string | undefined {
  return TYPES[extname(path).toLowerCase()];
}

function mediaOf({ manifest, folder }: Trial, at: number, shelf: Shelf): Attachments["media"] {
  if (folder === undefined) return [];
  return (manifest.artifacts ?? []).flatMap(({ kind, path, at: began }, position): Attachments["media"] => {
    const type = mediaType(path);
    const file = join(folder, path);
    const size = statSync(file, { throwIfNoEntry: false })?.size;
    if ((kind !== "video" && kind !== "screenshot") || type === undefined || !size) return [];
    const media = { kind, name: fileName(path), type, ...(began === undefined ? {} : { at: began }) } as const;
    if (size <= shelf.room.media) {
      shelf.room.media -= size;
      const id = `media-${at}-${position}`;
      shelf.embedded.push({ id, file });
      return [{ ...media, chunk: id }];
    }
    const to = `${shelf.folder}/${at + 1}-${position + 1}${extname(path).toLowerCase()}`;
    shelf.beside.push({ from: file, to });
    return [{ ...media, href: to.split("/").map(encodeURIComponent).join("/") }];
  });
}
