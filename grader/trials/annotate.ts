import { join } from "node:path";
import { waymarkError } from "../../proxy/record/fault.ts";
import type { Review } from "../store/store.ts";
import { readTrial, writeManifest, writeResult } from "./folder.ts";
import { resultDocument } from "./result-document.ts";
import type { TrialSources } from "./select.ts";
import type { Trial, TrialManifest } from "./trial.ts";

/**
 * Keeps a person's word on a run, or takes it back (`undefined`), in its folder and in the database. It stands beside the
 * grade: no verdict is touched. Throws `WM_RUN_RUNNING` for a run without a grade.
 */
export function reviewTrial(trial: Trial, review: Review | undefined, { store }: TrialSources): Trial {
  if (trial.results.length === 0) {
    throw waymarkError("WM_RUN_RUNNING", `run ${trial.manifest.id} is ${trial.manifest.state}: it has no grade yet`);
  }
  const { review: _, ...rest } = trial.manifest;
  const reviewed = changeManifest(trial, review === undefined ? rest : { ...rest, review });
  for (const { run } of trial.results) store.saveReview(run, review);
  return reviewed;
}

/** Hangs labels on a run, or takes them off, in its folder and in the database. Throws `WM_USAGE` on a name that could not be written in a selection. */
export function labelTrial(
  trial: Trial,
  { names, remove }: { readonly names: readonly string[]; readonly remove: boolean },
  { store }: TrialSources,
): Trial {
  for (const name of names) refuseLabel(name);
  const old = trial.manifest.labels.filter((label) => !names.includes(label));
  const labelled = changeManifest(trial, { ...trial.manifest, labels: remove ? old : [...old, ...names].sort() });
  for (const { run } of trial.results) {
    for (const name of names) remove ? store.removeLabel(run, name) : store.addLabel(run, name);
  }
  return labelled;
}

/** The labels that a command line names, each once. Throws `WM_USAGE` on a name that could not be written in a selection. */
export function labelNames(names: readonly string[]): readonly string[] {
  for (const name of names) refuseLabel(name);
  return [...new Set(names)];
}

function refuseLabel(name: string): void {
  if (name.trim() === name && name !== "" && name.length <= 100 && !/[,\p{Cc}]/u.test(name)) return;
  throw waymarkError("WM_USAGE", `"${name}" cannot be a label`, {
    fix: "A label has 1 to 100 characters, no comma, no line break, and no blank at its ends.",
  });
}

/** Writes the manifest where the run has a folder; what else was written into it meanwhile stays. */
export function changeManifest(trial: Trial, manifest: TrialManifest): Trial {
  if (trial.folder !== undefined) writeManifest(trial.folder, manifest);
  return { ...trial, manifest };
}

/** The run with a folder: one that only the database knows gets one, with the files a folder has. */
export function withFolder(trial: Trial, { runs }: TrialSources): Trial & { readonly folder: string } {
  if (trial.folder !== undefined) return { ...trial, folder: trial.folder };
  const folder = join(runs, trial.manifest.id);
  writeManifest(folder, trial.manifest);
  writeResult(folder, resultDocument(trial.results));
  return { ...readTrial(folder), folder };
}
