import { constants, statSync } from "node:fs";
import { copyFile, rm } from "node:fs/promises";
import { basename, extname, join } from "node:path";
import { waymarkError } from "../../proxy/record/fault.ts";
import { makeFolder } from "../../proxy/record/folder.ts";
import { changeManifest, withFolder } from "./annotate.ts";
import { isSafePath } from "./archive-entry.ts";
import { kindOfFile, sha256OfFile } from "./evidence/artifact.ts";
import { placesIn } from "./folder.ts";
import type { TrialSources } from "./select.ts";
import type { Trial, TrialArtifact } from "./trial.ts";

export interface AttachOrder {
  readonly files: readonly string[];
  /** What the files are; told by the ends of their names unless given. */
  readonly kind?: string;
  /** When they were recorded (a video: its beginning), ISO time, so that markers can be found in them. */
  readonly at?: string;
}

export interface Attached {
  readonly trial: Trial;
  readonly artifacts: readonly TrialArtifact[];
}

/**
 * Copies files into a run's evidence, and notes them with their hashes in its manifest and in the database. A file with
 * the same bytes that hangs there already is not copied again. Throws `WM_RUN_EVIDENCE` on what is no file or cannot be
 * copied; then nothing of this call is attached.
 */
export async function attachEvidence(trial: Trial, order: AttachOrder, sources: TrialSources): Promise<Attached> {
  for (const file of order.files) refuseNoFile(file);
  const own = withFolder(trial, sources);
  const added: TrialArtifact[] = [];
  const copied: string[] = [];
  try {
    for (const file of order.files) {
      const known = [...(own.manifest.artifacts ?? []), ...added];
      const artifact = await attachOne(own.folder, { file, known, order });
      if (!known.some(({ path }) => path === artifact.path)) copied.push(artifact.path);
      added.push(artifact);
    }
  } catch (cause) {
    for (const path of copied) await rm(join(own.folder, path), { force: true });
    const why = cause instanceof Error ? cause.message : String(cause);
    throw waymarkError("WM_RUN_EVIDENCE", `nothing was attached: ${why}`, { cause });
  }
  const kept = new Map([...(own.manifest.artifacts ?? []), ...added].map((artifact) => [artifact.path, artifact]));
  const attached = changeManifest(own, { ...own.manifest, artifacts: [...kept.values()] });
  for (const { run } of trial.results) for (const artifact of added) sources.store.addArtifact(run, artifact);
  return { trial: attached, artifacts: added };
}

interface One {
  readonly file: string;
  readonly known: readonly TrialArtifact[];
  readonly order: AttachOrder;
}

async function attachOne(folder: string, { file, known, order }: One): Promise<TrialArtifact> {
  const kind = order.kind ?? kindOfFile(file);
  const sha256 = await sha256OfFile(file);
  const at = order.at === undefined ? {} : { at: order.at };
  const same = known.find((artifact) => artifact.sha256 === sha256 && artifact.kind === kind);
  if (same !== undefined) return { ...same, ...at };
  return { kind, path: await copyIn(folder, file), sha256, ...at };
}

/** Copies under the file's own name, or the next free one like it; never over another file. */
async function copyIn(folder: string, file: string): Promise<string> {
  makeFolder(placesIn(folder).evidence);
  const name = isSafePath(basename(file)) ? basename(file) : `evidence${extname(file).replace(/[^.\w]/g, "")}`;
  const stem = name.slice(0, name.length - extname(name).length);
  for (let number = 1; ; number++) {
    const path = `evidence/${number === 1 ? name : `${stem}-${number}${extname(name)}`}`;
    try {
      await copyFile(file, join(folder, path), constants.COPYFILE_EXCL);
      return path;
    } catch (cause) {
      if ((cause as NodeJS.ErrnoException).code !== "EEXIST" || number > 10_000) throw cause;
    }
  }
}

function refuseNoFile(file: string): void {
  const info = file.includes("\0") ? undefined : statSync(file, { throwIfNoEntry: false });
  if (info?.isFile() === true) return;
  const why = info === undefined ? "does not exist" : "is no file";
  throw waymarkError("WM_RUN_EVIDENCE", `"${file}" ${why}`);
}
