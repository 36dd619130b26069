import { readdir } from "node:fs/promises";
import { join, posix } from "node:path";
import { placesIn, readTrial } from "../folder.ts";
import type { TrialArtifact } from "../trial.ts";
import { artifactOf, kindOfFile } from "./artifact.ts";

const MOST_FOUND = 1000;

/**
 * Everything in a run's `evidence/`: what was recorded, what was attached meanwhile (as the manifest has it), and what
 * the run itself left there, with the kind its name tells. Frames listed by a recording count with their list.
 */
export async function gatherEvidence(folder: string, recorded: readonly TrialArtifact[]): Promise<TrialArtifact[]> {
  const known = new Map([...attached(folder), ...recorded].map((artifact) => [artifact.path, artifact]));
  const listed = recorded.filter(({ kind }) => kind === "frames").map(({ path }) => `${posix.dirname(path)}/`);
  const found = (await filesBelow(placesIn(folder).evidence, "evidence"))
    .filter((path) => !known.has(path) && !listed.some((frames) => path.startsWith(frames)))
    .slice(0, MOST_FOUND);
  const left = await Promise.all(found.map((path) => artifactOf(folder, { kind: kindOfFile(path), path })));
  return [...known.values(), ...left];
}

function attached(folder: string): readonly TrialArtifact[] {
  try {
    return readTrial(folder).manifest.artifacts ?? [];
  } catch {
    return []; // no manifest yet: nothing was attached
  }
}

/** Regular files only; a link may lead anywhere. */
async function filesBelow(folder: string, name: string): Promise<readonly string[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []); // no evidence was recorded
  const nested = entries.map((entry) => {
    const path = `${name}/${entry.name}`;
    if (entry.isDirectory()) return filesBelow(join(folder, entry.name), path);
    return Promise.resolve(entry.isFile() ? [path] : []);
  });
  return (await Promise.all(nested)).flat().sort();
}
