import { listTrialFolders, readTrial } from "../../trials/folder.ts";
import type { Trial } from "../../trials/trial.ts";

/**
 * Runs that nothing graded have no rows in the database, so a batch would look better than it was: those of the batches
 * that `words` name are taken from their folders. Folders that cannot be read are passed over.
 */
export function ungradedOf(
  words: readonly string[],
  found: readonly Trial[],
  { runs }: { readonly runs: string },
): readonly Trial[] {
  if (!words.some((word) => word.startsWith("batch:"))) return [];
  const known = new Set(found.map(({ manifest }) => manifest.id));
  const batches = new Set(found.flatMap(({ manifest }) => manifest.batch ?? []));
  return listTrialFolders(runs).flatMap((folder) => {
    try {
      const trial = readTrial(folder);
      const { id, batch } = trial.manifest;
      return batch !== undefined && batches.has(batch) && !known.has(id) ? [trial] : [];
    } catch {
      return []; // damaged; `waymark runs` says so
    }
  });
}
