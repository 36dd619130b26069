import { asText } from "../grader/report/text.ts";
import type { LoadedScenario } from "../grader/scenario/load.ts";
import type { Store } from "../grader/store/store.ts";
import { previousVersions, recordVersionChanges } from "../grader/trials/changes.ts";
import type { LiveAccounting } from "../grader/trials/live-stop.ts";
import { measure } from "../grader/trials/measures.ts";
import { findPrices } from "../grader/trials/prices-file.ts";
import { readSelfReport } from "../grader/trials/self-report.ts";
import { spend } from "../grader/trials/spending.ts";
import type { TrialManifest } from "../grader/trials/trial.ts";
import { gitLinesChanged } from "../grader/trials/versions-git.ts";
import type { Terminal } from "./terminal.ts";
import type { Arguments } from "./verb.ts";

// The one place where `waymark runs` is joined to what counts beside a grade.

/** What counts cost, time and measures of a run that `runs stop` ends, and reads what its agent says. */
export function liveAccounting(args: Arguments, terminal: Terminal): LiveAccounting {
  const prices = findPrices(args.text("prices"));
  return {
    spend: async (places, manifest) => {
      const spent = await spend(places, manifest, { prices });
      for (const { message } of spent.warnings) terminal.err(`waymark: ${asText(message)}\n`);
      return spent;
    },
    measure: (places, manifest, results) => measure(places, manifest, results, { prices }),
    readSelfReport,
  };
}

/** Writes down which versions are others than in the runs before, while that can still be told. */
export async function noteChanges(
  store: Store,
  { versions: current, variant, started_at: at }: TrialManifest,
  scenarios: readonly LoadedScenario[],
): Promise<void> {
  const sizeOf = async (element: string, from: string, to: string): Promise<number | undefined> =>
    element === "git" ? gitLinesChanged(process.cwd(), from, to) : undefined;
  for (const { scenario } of scenarios) {
    const of = { scenario: scenario.id, ...(variant === undefined ? {} : { variant }) };
    await recordVersionChanges(store, { previous: previousVersions(store, of), current }, { at, sizeOf });
  }
}
