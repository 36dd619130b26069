import type { Store } from "../grader/store/store.ts";
import { previousVersions, recordVersionChanges } from "../grader/trials/changes.ts";
import { type EvidenceMode, startRecorder } from "../grader/trials/evidence/index.ts";
import { measure } from "../grader/trials/measures.ts";
import type { Accounting } from "../grader/trials/performance.ts";
import type { Cell } from "../grader/trials/plan.ts";
import { findPrices } from "../grader/trials/prices-file.ts";
import { readSelfReport } from "../grader/trials/self-report.ts";
import { spend } from "../grader/trials/spending.ts";
import type { SummedScenario } from "../grader/trials/summarise-runs.ts";
import { gitLinesChanged } from "../grader/trials/versions-git.ts";
import type { RecordRun } from "./stage.ts";
import type { Arguments } from "./verb.ts";

// The one place where a batch is joined to what counts, compares and records beside it.

/** What counts cost and time, and reads what agents say. Throws what is wrong with the file of `--prices`. */
export function accountingFor(args: Arguments): Accounting {
  const prices = findPrices(args.text("prices"));
  return {
    spend: (places, manifest) => spend(places, manifest, { prices }),
    measure: (places, manifest, results) => measure(places, manifest, results, { prices }),
    readSelfReport,
  };
}

/** Writes down which versions are others than in the runs before, while that can still be told. */
export async function noteChanges(
  store: Store,
  current: Readonly<Record<string, string>>,
  { cells, scenarios, at }: { cells: readonly Cell[]; scenarios: readonly SummedScenario[]; at: string },
): Promise<void> {
  const variants = [...new Set(cells.map(({ variant }) => variant))];
  const sizeOf = async (element: string, from: string, to: string): Promise<number | undefined> =>
    element === "git" ? gitLinesChanged(process.cwd(), from, to) : undefined;
  for (const { id: scenario } of scenarios) {
    for (const variant of variants) {
      const previous = previousVersions(store, { scenario, ...(variant === undefined ? {} : { variant }) });
      await recordVersionChanges(store, { previous, current }, { at, sizeOf });
    }
  }
}

/** What records a run, when it is to be recorded: its browsers, and the X11 display it draws on. */
export function recorderFor(evidence: EvidenceMode, note: (text: string) => void): RecordRun | undefined {
  if (evidence === "off") return undefined;
  return ({ folder, env, profile, profiles }) => {
    const display = env["DISPLAY"];
    return startRecorder({
      folder,
      profilesFolder: profiles,
      ...(profile === undefined ? {} : { profileFolder: profile }),
      ...(display === undefined ? {} : { display }),
      on: note,
    });
  };
}
