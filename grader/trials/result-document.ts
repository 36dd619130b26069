import { WAYMARK_VERSION } from "../../proxy/record/version.ts";
import { exitOf, worstExit, worstVerdict } from "../combine.ts";
import { exitOfError } from "../result.ts";
import type { ResultDocument, ScenarioResult } from "../verdict.ts";

/** The results of a run as the document `grade --json` would have printed for them. */
export function resultDocument(results: readonly ScenarioResult[]): ResultDocument {
  const exits = results.map(({ verdict, error }) => (error === undefined ? exitOf(verdict) : exitOfError(error.code)));
  return {
    schema: "waymark.result/1",
    waymark: WAYMARK_VERSION,
    verdict: worstVerdict(results.map(({ verdict }) => verdict)),
    exit_code: worstExit(exits),
    results,
  };
}
