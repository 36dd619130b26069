import { createWriteStream } from "node:fs";
import { readFile, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { Transform } from "node:stream";
import { pipeline } from "node:stream/promises";
import { crc32 } from "node:zlib";
import { type Entry, openPromise, type ZipFile } from "yauzl";
import { WaymarkError, waymarkError } from "../../proxy/record/fault.ts";
import { makeFolder } from "../../proxy/record/folder.ts";
import { isObject, type JsonObject, parseJson } from "../../proxy/record/json.ts";
import type { Batch } from "../store/store.ts";
import {
  ARCHIVE_SCHEMA,
  type ArchiveLimits,
  checkEntries,
  INDEX_FILE,
  isSafePath,
  RUN_ID,
  unsafe,
} from "./archive-entry.ts";
import { readTrial } from "./folder.ts";

export interface Unpacked {
  /** The runs, oldest first; the folder of each is `runs/<id>` below the target. */
  readonly ids: readonly string[];
  readonly batches: readonly Batch[];
}

const MOST_ENTRIES = 200_000;
/** An archive may unpack to a hundred times its size, logs to about thirty; a small one to this much in any case. */
const MOST_TIMES = 100;
const LEAST_BYTES = 1_000_000_000;

/**
 * Unpacks an archive of runs into `target`, each file checked against its size and checksum, and each run against its
 * folder's name. Throws `WM_RUN_ARCHIVE_DAMAGED`, `_UNSAFE`, `_SIZE`, `_FOREIGN` or `_NEWER`; what it has written until
 * then is the caller's to remove.
 */
export async function unpackArchive(
  file: string,
  target: string,
  limits: Partial<ArchiveLimits> = {},
): Promise<Unpacked> {
  try {
    return await unpack(file, target, limits);
  } catch (cause) {
    throw cause instanceof WaymarkError ? cause : archiveFault(file, cause);
  }
}

async function unpack(file: string, target: string, limits: Partial<ArchiveLimits>): Promise<Unpacked> {
  const { size: bytes } = await stat(file);
  const maxBytes = limits.maxBytes ?? Math.max(LEAST_BYTES, MOST_TIMES * bytes);
  const maxEntries = limits.maxEntries ?? MOST_ENTRIES;
  const zip = await openPromise(file, { lazyEntries: true, autoClose: false, strictFileNames: true });
  try {
    const entries = await entriesOf(zip, file, maxEntries);
    const files = checkEntries(entries, { file, bytes, limits: { maxBytes, maxEntries } });
    refuseForeign(file, files);
    for (const entry of files) await unpackEntry(zip, entry, target);
  } finally {
    zip.close();
  }
  return readUnpacked(file, target);
}

async function entriesOf(zip: ZipFile, file: string, most: number): Promise<readonly Entry[]> {
  if (zip.entryCount > most) throw unsafe(file, `it has ${zip.entryCount} entries; at most ${most} are read`);
  const entries: Entry[] = [];
  for await (const entry of zip.eachEntry()) entries.push(entry);
  return entries;
}

function refuseForeign(file: string, files: readonly Entry[]): void {
  const isOurs = (name: string): boolean => name === INDEX_FILE || name.startsWith("runs/");
  const stranger = files.find(({ fileName }) => !isOurs(fileName));
  if (files.some(({ fileName }) => fileName === INDEX_FILE) && stranger === undefined) return;
  const why = stranger === undefined ? `it has no ${INDEX_FILE}` : `it holds "${stranger.fileName}"`;
  throw waymarkError("WM_RUN_ARCHIVE_FOREIGN", `${file} is no archive of waymark's runs: ${why}`);
}

async function unpackEntry(zip: ZipFile, entry: Entry, target: string): Promise<void> {
  const path = join(target, ...entry.fileName.split("/"));
  makeFolder(dirname(path));
  let sum = 0;
  const check = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      sum = crc32(chunk, sum);
      done(null, chunk);
    },
    flush(done) {
      done(sum === entry.crc32 ? null : new Error(`the checksum of ${entry.fileName} does not fit`));
    },
  });
  const source = await zip.openReadStreamPromise(entry);
  await pipeline(source, check, createWriteStream(path, { flags: "wx" }));
}

/** Reads what was unpacked as runs, so that nothing is imported that could not be shown. */
async function readUnpacked(file: string, target: string): Promise<Unpacked> {
  const index = readIndex(file, await readFile(join(target, INDEX_FILE), "utf8"));
  const listed = Array.isArray(index["runs"]) ? index["runs"].map(String) : [];
  if (listed.length === 0) throw waymarkError("WM_RUN_ARCHIVE_FOREIGN", `${file} holds no run`);
  for (const id of listed) {
    if (!RUN_ID.test(id)) throw unsafe(file, `"${id}" cannot be the id of a run`);
    const { manifest } = readTrial(join(target, "runs", id));
    if (manifest.id !== id) throw unsafe(file, `the folder runs/${id} holds the run "${String(manifest.id)}"`);
    const stray = (manifest.artifacts ?? []).find(({ path }) => !isSafePath(path));
    if (stray !== undefined) throw unsafe(file, `evidence of run ${id} lies outside of its folder: "${stray.path}"`);
  }
  return { ids: [...listed].sort(), batches: batchesIn(index) };
}

function readIndex(file: string, text: string): JsonObject {
  const index = parseJson(text);
  const schema = isObject(index) ? index["schema"] : undefined;
  if (isObject(index) && schema === ARCHIVE_SCHEMA) return index;
  if (typeof schema === "string" && /^waymark\.export\/[0-9]+$/.test(schema)) {
    throw waymarkError("WM_RUN_ARCHIVE_NEWER", `${file} is written as ${schema}; this waymark reads ${ARCHIVE_SCHEMA}`);
  }
  throw waymarkError("WM_RUN_ARCHIVE_FOREIGN", `${file} is no archive of waymark's runs: ${INDEX_FILE} says otherwise`);
}

function batchesIn({ batches }: JsonObject): readonly Batch[] {
  if (!Array.isArray(batches)) return [];
  return batches.flatMap((batch) =>
    isObject(batch) && typeof batch["id"] === "string" && typeof batch["startedAt"] === "string"
      ? [batch as unknown as Batch]
      : [],
  );
}

/** Errors of the zip library are texts; three of them mean a name that leads out. */
function archiveFault(file: string, cause: unknown): unknown {
  const message = cause instanceof Error ? cause.message : String(cause);
  if (/^(?:invalid characters in fileName|absolute path|invalid relative path)/.test(message))
    return unsafe(file, message);
  return waymarkError("WM_RUN_ARCHIVE_DAMAGED", `${file} cannot be unpacked: ${message}`, { cause });
}
