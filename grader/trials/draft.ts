import { rmSync } from "node:fs";
import { dirname } from "node:path";
import { type Fault, fault } from "../../proxy/record/fault.ts";
import { makeFolder } from "../../proxy/record/folder.ts";
import type { ResultDocument } from "../verdict.ts";
import { placesIn, type TrialPlaces, writeManifest, writeResult } from "./folder.ts";
import type { TrialManifest } from "./trial.ts";

/**
 * The folder of a run under way. What it is told is written at once, whole or not at all; once it is open, a disk that
 * refuses costs the file and is told to `onProblem`, never the run.
 */
export class TrialDraft {
  readonly places: TrialPlaces;
  readonly #onProblem: (problem: Fault) => void;
  #manifest: TrialManifest;
  #isOpen = false;

  constructor(folder: string, manifest: TrialManifest, onProblem: (problem: Fault) => void) {
    this.places = placesIn(folder);
    this.#manifest = manifest;
    this.#onProblem = onProblem;
  }

  get manifest(): TrialManifest {
    return this.#manifest;
  }

  /** Makes the folder and writes `run.json`; gives the reason, and leaves nothing behind, when that fails. */
  open(): Fault | undefined {
    const { folder, temporary, telemetry } = this.places;
    try {
      writeManifest(folder, this.#manifest);
      for (const path of [temporary, telemetry]) makeFolder(path);
      this.#isOpen = true;
      return undefined;
    } catch (cause) {
      removeWhatIsThere(folder);
      return fault("WM_RUN_FOLDER", `no folder can be made in "${dirname(folder)}": ${reasonOf(cause)}`);
    }
  }

  /** Adds to the manifest, and writes it. */
  update(more: Partial<TrialManifest>): void {
    this.#manifest = { ...this.#manifest, ...more };
    this.#attempt("run.json", () => writeManifest(this.places.folder, this.#manifest));
  }

  writeResult(document: ResultDocument): void {
    this.#attempt("result.json", () => writeResult(this.places.folder, document));
  }

  /** Empties the run's TMPDIR. */
  tidy(): void {
    this.#attempt("tmp", () => rmSync(this.places.temporary, { recursive: true, force: true, maxRetries: 3 }));
  }

  #attempt(what: string, action: () => void): void {
    if (!this.#isOpen) return; // that nothing can be kept has been told
    try {
      action();
    } catch (cause) {
      const { folder } = this.places;
      this.#onProblem(fault("WM_RUN_FOLDER", `"${what}" in "${folder}" could not be written: ${reasonOf(cause)}`));
    }
  }
}

function removeWhatIsThere(folder: string): void {
  try {
    rmSync(folder, { recursive: true, force: true });
  } catch {
    // a folder that cannot be reached holds nothing of ours
  }
}

function reasonOf(cause: unknown): string {
  return cause instanceof Error ? cause.message : String(cause);
}
