import { dirname, join } from "node:path";
import { type Fault, WaymarkError, waymarkError } from "../../../proxy/record/fault.ts";
import type { LoadedScenario } from "../../scenario/load.ts";
import type { TrialSources } from "../../trials/select.ts";
import type { HeldRun } from "../predict.ts";
import { holdRuns, locateRuns } from "../read-runs.ts";
import type { Subject } from "./subject.ts";
import { synthesiseRuns } from "./synthesise.ts";

/** Newest passing runs that are taken when none is labelled good. */
const MOST_PASSING = 3;

export interface RunsToMutate {
  readonly runs: readonly Pick<HeldRun, "name" | "events" | "params">[];
  /** Where they come from, for people: `2 runs labelled good`. */
  readonly origin: string;
  /** Stored runs that could not be read any more. */
  readonly warnings: readonly Fault[];
}

/**
 * The runs to plant defects into: those that words name; else those of the scenario that are labelled good, else its
 * newest passing ones, else its own examples that pass, else runs made up from its markers. Throws `WM_RUN_NOT_FOUND`
 * for a word that leads nowhere, `WM_LEARN_NO_PASSING_RUN` when nothing is there and no run can be made up.
 */
export async function findRuns(
  words: readonly string[],
  { loaded, subject }: { readonly loaded: LoadedScenario; readonly subject: Subject },
  sources?: TrialSources,
): Promise<RunsToMutate> {
  if (words.length > 0) {
    return { runs: await holdRuns(await locateRuns(words, sources)), origin: "named runs", warnings: [] };
  }
  const warnings: Fault[] = [];
  const { id } = loaded.scenario;
  const stored = sources?.store;
  const good = stored?.listRuns({ label: "good", scenario: id }).map((run) => run.id) ?? [];
  const passed = stored?.listRuns({ verdict: "pass", scenario: id, limit: MOST_PASSING }).map((run) => run.id) ?? [];
  const examples = loaded.scenario.examples.filter(({ mutate, verdict }) => mutate === undefined && verdict === "pass");
  const ways: readonly (readonly [words: readonly string[], origin: string])[] = [
    [good, "runs labelled good"],
    [passed, "newest passing runs"],
    [examples.map(({ capture }) => join(dirname(loaded.file), capture)), "the scenario's examples"],
  ];
  for (const [names, origin] of ways) {
    const runs = await readable(names, sources, warnings);
    if (runs.length > 0) return { runs, origin, warnings };
  }
  const made = await synthesiseRuns(subject);
  if (made.length > 0) {
    return {
      runs: made.map((run) => ({ ...run, params: subject.given })),
      origin: "made up from the markers",
      warnings,
    };
  }
  throw waymarkError("WM_LEARN_NO_PASSING_RUN", `no run of ${id} is there, and none that passes could be made up`);
}

/** A stored run whose log is gone is no reason to stop while there are others. */
async function readable(
  words: readonly string[],
  sources: TrialSources | undefined,
  warnings: Fault[],
): Promise<readonly HeldRun[]> {
  const runs: HeldRun[] = [];
  for (const word of words) {
    try {
      runs.push(...(await holdRuns(await locateRuns([word], sources))));
    } catch (error) {
      if (!(error instanceof WaymarkError)) throw error;
      warnings.push(...error.faults.map((one) => ({ ...one, severity: "warning" as const })));
    }
  }
  return runs;
}
