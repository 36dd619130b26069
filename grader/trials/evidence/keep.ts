import { rm } from "node:fs/promises";
import { join } from "node:path";
import { waymarkError } from "../../../proxy/record/fault.ts";
import type { TrialArtifact } from "../trial.ts";

/** `--evidence`: always, never, or only of runs that did not pass. */
export type EvidenceMode = "on" | "off" | "on-fail";

const MODES: readonly EvidenceMode[] = ["on", "off", "on-fail"];

/** Reads `--evidence`; throws `WM_USAGE` on anything else. */
export function evidenceMode(text: string): EvidenceMode {
  const mode = MODES.find((known) => known === text);
  if (mode !== undefined) return mode;
  throw waymarkError("WM_USAGE", `--evidence got "${text}"`, { fix: `Known: ${MODES.join(", ")}.` });
}

/**
 * What of a run's recording stays: all of it, or nothing after a pass when only failures are kept. Deletes the files of
 * what goes and answers what stays. Never rejects: a file that cannot be deleted is only left over.
 */
export async function keepEvidence(
  mode: EvidenceMode,
  {
    folder,
    artifacts,
    passed,
  }: { readonly folder: string; readonly artifacts: readonly TrialArtifact[]; readonly passed: boolean },
): Promise<readonly TrialArtifact[]> {
  if (mode !== "on-fail" || !passed) return artifacts;
  await rm(join(folder, "evidence"), { recursive: true, force: true }).catch(() => undefined); // left over, no harm
  return [];
}
