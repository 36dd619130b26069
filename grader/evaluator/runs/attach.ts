import { createHash, randomUUID } from "node:crypto";
import { once } from "node:events";
import { createWriteStream, existsSync, renameSync, rmSync } from "node:fs";
import { extname, join } from "node:path";
import { makeFolder } from "../../../proxy/record/folder.ts";
import type { Store } from "../../store/store.ts";
import { placesIn, readTrial, writeManifest } from "../../trials/folder.ts";
import type { Trial } from "../../trials/trial.ts";
import { pointerTo, Refusal } from "../refusal.ts";

export interface Attachment {
  readonly name: string;
  readonly kind: string;
  readonly at?: string;
}

export interface Attached {
  readonly kind: string;
  /** Relative to the run's folder. */
  readonly path: string;
  readonly sha256: string;
  readonly bytes: number;
}

/** Writes evidence into a run's folder and hangs it on the run. A file that cannot be taken whole leaves nothing behind. */
export async function attachEvidence(
  trial: Trial,
  { name, kind, at }: Attachment,
  { chunks, store }: { readonly chunks: AsyncIterable<Buffer>; readonly store: Store | undefined },
): Promise<Attached> {
  const { folder } = trial;
  if (folder === undefined)
    throw new Refusal(409, "WM_SERVE_STATE", `run ${trial.manifest.id} has no folder to hang evidence in`);
  const { evidence } = placesIn(folder);
  const wanted = safeName(name);
  makeFolder(evidence);
  const draft = join(evidence, `.${randomUUID()}.part`);
  const { sha256, bytes } = await write(draft, chunks);
  const path = `evidence/${takeName(wanted, { draft, evidence })}`;
  const artifact = { kind, path, sha256, ...(at === undefined ? {} : { at }) };
  // read again, since the run may have ended, and more may hang on it, while the body came
  const { manifest, results } = readTrial(folder);
  writeManifest(folder, { ...manifest, artifacts: [...(manifest.artifacts ?? []), artifact] });
  for (const { run } of results.length === 0 ? trial.results : results) store?.addArtifact(run, artifact);
  return { kind, path, sha256, bytes };
}

const RESERVED = /^(?:con|prn|aux|nul|com[0-9]|lpt[0-9])(?:\.|$)/i;

/** A name that is a file's on every system. Throws a 400. */
function safeName(name: string): string {
  if (/^[A-Za-z0-9][A-Za-z0-9._ -]{0,199}$/.test(name) && !/[. ]$/.test(name) && !RESERVED.test(name)) return name;
  const pointer = pointerTo(["name"]);
  throw new Refusal(400, "WM_SERVE_BODY", `"${name}" is no plain file name (letters, digits, . _ - and spaces)`, {
    pointer,
  });
}

/** Gives a draft its name, or the next free one like it; never over another file. */
function takeName(name: string, { draft, evidence }: { draft: string; evidence: string }): string {
  const ending = extname(name);
  const stem = name.slice(0, name.length - ending.length);
  try {
    for (let count = 1; ; count++) {
      const free = count === 1 ? name : `${stem}-${count}${ending}`;
      if (existsSync(join(evidence, free))) continue;
      renameSync(draft, join(evidence, free)); // nothing else of this process runs in between
      return free;
    }
  } catch (cause) {
    rmSync(draft, { force: true });
    throw cause;
  }
}

async function write(draft: string, chunks: AsyncIterable<Buffer>): Promise<{ sha256: string; bytes: number }> {
  const hash = createHash("sha256");
  const out = createWriteStream(draft, { flags: "wx" });
  let bytes = 0;
  try {
    await once(out, "open");
    for await (const chunk of chunks) {
      hash.update(chunk);
      bytes += chunk.length;
      if (!out.write(chunk)) await once(out, "drain");
    }
    out.end();
    await once(out, "close");
    return { sha256: hash.digest("hex"), bytes };
  } catch (error) {
    out.destroy();
    rmSync(draft, { force: true });
    throw error;
  }
}
