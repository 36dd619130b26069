import { watch } from "node:fs";
import { isSystemError } from "./unreadable.ts";

/** When following ends. */
export interface Follow {
  /** Asked after each reading: true ends the following, since nothing that comes could change a verdict. */
  readonly isDecided: () => boolean;
  /** Ends the following from outside, or at its deadline: an `AbortSignal.timeout` or a Ctrl-C. */
  readonly signal: AbortSignal;
}

/** Behind fs.watch, which some file systems (network shares) do not serve. */
const POLL_MS = 250;

/**
 * Calls `readOn` each time something changed in `path` (a folder, or one file), until `follow` ends it. Changes that
 * come while `readOn` runs lead to one more call. After the signal it reads once more, so that what was written before
 * the end counts. Errors of `readOn` end the following and are thrown.
 */
export async function followChanges(path: string, follow: Follow, readOn: () => Promise<void>): Promise<void> {
  const changes = watchPath(path);
  try {
    await readOn(); // what was written between the last reading and the start of the watching
    while (!follow.isDecided() && !follow.signal.aborted) {
      await changes.next(follow.signal);
      await readOn();
    }
  } finally {
    changes.stop();
  }
}

interface Changes {
  /** Resolves at the next change (at once when one came since the last call), the next poll, or the signal. */
  next(signal: AbortSignal): Promise<void>;
  stop(): void;
}

function watchPath(path: string): Changes {
  let hasChanged = false;
  let wake: () => void = () => {};
  const changed = (): void => {
    hasChanged = true;
    wake();
  };
  const poll = setInterval(changed, POLL_MS);
  const stopWatching = tryWatching(path, changed);
  return {
    next: (signal) =>
      new Promise((resolve) => {
        const settle = (): void => {
          signal.removeEventListener("abort", settle);
          hasChanged = false;
          wake = () => {};
          resolve();
        };
        wake = settle;
        signal.addEventListener("abort", settle, { once: true });
        if (hasChanged || signal.aborted) settle();
      }),
    stop: () => {
      clearInterval(poll);
      stopWatching();
    },
  };
}

/** The poll alone serves where watching is not possible (no such path yet, no watches left). */
function tryWatching(path: string, changed: () => void): () => void {
  try {
    const watcher = watch(path, changed);
    watcher.on("error", () => watcher.close());
    return () => watcher.close();
  } catch (error) {
    if (!isSystemError(error)) throw error;
    return () => {};
  }
}
