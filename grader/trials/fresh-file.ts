import { copyFileSync, statSync } from "node:fs";
import { resolve } from "node:path";

/**
 * A file a run may write, at a place of its own or at one that all runs share. At a shared place what stood there before
 * the run began is not the run's: only a file that is new or was written since counts, and is copied into the folder.
 */
export class FreshFile {
  readonly file: string;
  readonly #kept: string;
  readonly #before: string;

  /** `kept` is the file's place in the run's folder. */
  constructor(file: string, kept: string) {
    this.file = file;
    this.#kept = kept;
    this.#before = stampOf(file);
  }

  /** The run's own copy, or undefined when the run wrote none. */
  take(): string | undefined {
    const stamp = stampOf(this.file);
    if (stamp === "" || stamp === this.#before) return undefined;
    if (resolve(this.file) !== resolve(this.#kept)) copyFileSync(this.file, this.#kept);
    return this.#kept;
  }
}

/** Empty when no file can be seen there. */
function stampOf(file: string): string {
  try {
    const stats = statSync(file, { bigint: true });
    return stats.isFile() ? `${stats.ino} ${stats.size} ${stats.mtimeNs} ${stats.ctimeNs}` : "";
  } catch {
    return "";
  }
}
