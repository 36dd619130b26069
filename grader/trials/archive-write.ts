import { createWriteStream } from "node:fs";
import { readdir, rename, rm } from "node:fs/promises";
import { extname, join } from "node:path";
import { pipeline } from "node:stream/promises";
import { ZipFile } from "yazl";
import { waymarkError } from "../../proxy/record/fault.ts";
import { type JsonValue, stringifyJson } from "../../proxy/record/json.ts";
import { WAYMARK_VERSION } from "../../proxy/record/version.ts";
import type { Batch } from "../store/store.ts";
import { ARCHIVE_SCHEMA, INDEX_FILE, isSafePath } from "./archive-entry.ts";
import { resultDocument } from "./result-document.ts";
import type { TrialSources } from "./select.ts";
import type { Trial } from "./trial.ts";

export interface Exported {
  readonly runs: number;
  readonly files: number;
  /** Files that no archive can hold for every system: links, devices, names that some system forbids. */
  readonly leftOut: readonly string[];
}

/** Packed already; packing them again costs time and gains nothing. */
const PACKED = [
  ".jpg",
  ".jpeg",
  ".png",
  ".webp",
  ".gif",
  ".webm",
  ".mp4",
  ".mkv",
  ".mov",
  ".zip",
  ".gz",
  ".br",
  ".zst",
];

/**
 * Packs runs with everything in their folders into a zip that `importArchive` reads, written whole or not at all. A run
 * that only the database knows gets the two files a folder would have. Throws `WM_RUN_RUNNING` for a run under way and
 * `WM_OUTPUT_FAILED` when the zip cannot be written or a file changed meanwhile.
 */
export async function exportArchive(
  trials: readonly Trial[],
  file: string,
  { store }: TrialSources,
): Promise<Exported> {
  const running = trials.find(({ manifest }) => manifest.state === "running");
  if (running !== undefined) throw waymarkError("WM_RUN_RUNNING", `run ${running.manifest.id} is still under way`);
  const zip = new ZipFile();
  const draft = `${file}.${process.pid}.tmp`;
  const written = pipeline(zip.outputStream, createWriteStream(draft));
  const failed = new Promise<never>((_resolve, reject) => zip.once("error", reject));
  for (const ending of [written, failed]) ending.catch(() => undefined); // told below, where it is waited for
  try {
    zip.addBuffer(Buffer.from(indexOf(trials, batchesOf(trials, store))), INDEX_FILE);
    const added = [];
    for (const trial of trials) added.push(await addTrial(zip, trial));
    zip.end();
    await Promise.race([written, failed]);
    await rename(draft, file);
    const files = added.reduce((sum, { files }) => sum + files, 0);
    return { runs: trials.length, files, leftOut: added.flatMap(({ leftOut }) => leftOut) };
  } catch (cause) {
    (zip.outputStream as unknown as { destroy(): void }).destroy();
    await written.catch(() => undefined); // the first failure is the one that is told
    await rm(draft, { force: true });
    const why = cause instanceof Error ? cause.message : String(cause);
    throw waymarkError("WM_OUTPUT_FAILED", `${file} could not be written: ${why}`, { cause });
  }
}

function indexOf(trials: readonly Trial[], batches: readonly Batch[]): string {
  const runs = trials.map(({ manifest }) => manifest.id);
  return stringifyJson({
    schema: ARCHIVE_SCHEMA,
    waymark: WAYMARK_VERSION,
    runs,
    batches: batches as unknown as JsonValue,
  });
}

function batchesOf(trials: readonly Trial[], store: TrialSources["store"]): readonly Batch[] {
  const ids = new Set(trials.flatMap(({ manifest }) => manifest.batch ?? []));
  return [...ids].flatMap((id) => store.getBatch(id) ?? []);
}

async function addTrial(zip: ZipFile, trial: Trial): Promise<{ files: number; leftOut: readonly string[] }> {
  const name = `runs/${trial.manifest.id}`;
  if (trial.folder === undefined) {
    const document = resultDocument(trial.results);
    zip.addBuffer(Buffer.from(`${stringifyJson(trial.manifest as unknown as JsonValue)}\n`), `${name}/run.json`);
    zip.addBuffer(Buffer.from(`${stringifyJson(document as unknown as JsonValue)}\n`), `${name}/result.json`);
    return { files: 2, leftOut: [] };
  }
  const { files, leftOut } = await filesBelow(trial.folder, "");
  for (const path of files) {
    const compress = !PACKED.includes(extname(path).toLowerCase());
    zip.addFile(join(trial.folder, path), `${name}/${path}`, { compress });
  }
  return { files: files.length, leftOut: leftOut.map((path) => `${name}/${path}`) };
}

interface Listed {
  readonly files: readonly string[];
  readonly leftOut: readonly string[];
}

/** The run's TMPDIR is no part of it. */
async function filesBelow(folder: string, prefix: string): Promise<Listed> {
  const entries = await readdir(join(folder, prefix), { withFileTypes: true });
  const parts = entries.map(async (entry): Promise<Listed> => {
    const path = prefix === "" ? entry.name : `${prefix}/${entry.name}`;
    if (path === "tmp" || /^(?:run|result)\.json\.[0-9]+\.tmp$/.test(path)) return { files: [], leftOut: [] };
    if (!isSafePath(path)) return { files: [], leftOut: [path] };
    if (entry.isDirectory()) return filesBelow(folder, path);
    return entry.isFile() ? { files: [path], leftOut: [] } : { files: [], leftOut: [path] };
  });
  const listed = await Promise.all(parts);
  return {
    files: listed.flatMap(({ files }) => files).sort(),
    leftOut: listed.flatMap(({ leftOut }) => leftOut).sort(),
  };
}
