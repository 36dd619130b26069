import { findScenarios } from "../grader/scenario/find.ts";
import type { LoadedScenario } from "../grader/scenario/load.ts";
import { renderFault } from "../proxy/record/fault.ts";
import type { Terminal } from "./terminal.ts";
import type { Arguments } from "./verb.ts";

/** The scenarios a command line selects; what is odd about them, or about other files beside them, is said on stderr. */
export async function selectScenarios(args: Arguments, terminal: Terminal): Promise<readonly LoadedScenario[]> {
  const { scenarios, warnings } = await findScenarios({
    folder: args.text("markers") ?? "markers",
    names: args.list("scenario"),
  });
  if (args.flag("quiet")) return scenarios;
  for (const warning of [...warnings, ...scenarios.flatMap((one) => one.warnings)]) {
    if (warning.severity !== "hint" || args.flag("verbose")) terminal.err(`${renderFault(warning)}\n`);
  }
  return scenarios;
}
