import { dirname, join } from "node:path";
import { type Fault, fault } from "../proxy/record/fault.ts";
import { gradeLogs } from "./grade.ts";
import type { LoadedScenario } from "./scenario/load.ts";
import type { Verdict } from "./verdict.ts";

/**
 * Grades a scenario's own `examples:` (captures beside its file) and reports those that do not get their verdict. An
 * example with a `mutate` is reported as a warning: mutations are not made by this version.
 */
export async function exampleFaults({ scenario, file, texts }: LoadedScenario): Promise<readonly Fault[]> {
  const faults: Fault[] = [];
  for (const { capture, mutate, verdict, place } of scenario.examples) {
    const details = { place, text: texts.get(place.file) };
    if (mutate !== undefined) {
      const message = `the example "${capture}" asks for the mutation "${mutate}", which this version cannot make`;
      faults.push(fault("WM_SCENARIO_UNSUPPORTED", message, { ...details, severity: "warning" }));
      continue;
    }
    const got = await verdictOf(join(dirname(file), capture), { scenario, texts });
    if (got.verdict === verdict) continue;
    const message = `the example "${capture}" should be ${verdict}, but is ${got.verdict}: ${got.reason}`;
    faults.push(fault("WM_SCENARIO_EXAMPLE", message, details));
  }
  return faults;
}

async function verdictOf(
  log: string,
  scenario: Pick<LoadedScenario, "scenario" | "texts">,
): Promise<{ readonly verdict: Verdict; readonly reason: string }> {
  const { document } = await gradeLogs({ logs: [log], scenarios: [scenario] });
  return { verdict: document.verdict, reason: document.results[0]?.reason ?? "nothing was graded" };
}
