import { statSync } from "node:fs";
import { listTrialFolders, placesIn, readTrial } from "../../trials/folder.ts";
import type { Trial } from "../../trials/trial.ts";

/** The folders of runs as they were looked at last. */
export interface RunFolders {
  /** Looks again; true when a run came, went or changed. Only what changed is read. */
  look(): boolean;
  /** Oldest first. */
  trials(): readonly Trial[];
}

interface Known {
  readonly stamp: string;
  readonly trial: Trial | undefined;
}

/** Watches over a folder of run folders. One that cannot be read is passed over; `waymark runs` says so. */
export function openRunFolders(runs: string): RunFolders {
  let known = new Map<string, Known>();
  return {
    look: () => {
      const next = new Map<string, Known>();
      let hasChanged = false;
      for (const folder of listTrialFolders(runs)) {
        const stamp = stampOf(folder);
        const before = known.get(folder);
        if (before?.stamp === stamp) {
          next.set(folder, before);
          continue;
        }
        hasChanged = true;
        next.set(folder, { stamp, trial: read(folder) });
      }
      hasChanged ||= next.size !== known.size;
      known = next;
      return hasChanged;
    },
    trials: () => [...known.values()].flatMap(({ trial }) => trial ?? []),
  };
}

function stampOf(folder: string): string {
  const { manifest, result } = placesIn(folder);
  return [manifest, result]
    .map((file) => statSync(file, { throwIfNoEntry: false }))
    .map((info) => (info === undefined ? "-" : `${info.ino} ${info.size} ${info.mtimeMs}`))
    .join(" ");
}

function read(folder: string): Trial | undefined {
  try {
    return readTrial(folder);
  } catch {
    return undefined;
  }
}
