import { stringifyJson } from "../../proxy/record/json.ts";
import type { ResultDocument, ScenarioResult } from "../verdict.ts";

/** A graded document in one sentence, fit for an assert message: what failed first, where, and what came nearest. */
export function summaryOf({ results }: ResultDocument): string {
  if (results.length === 0) return "nothing was graded";
  const shown = results.filter(({ verdict }) => verdict !== "pass");
  if (shown.length === 0) return results.map(sayPassed).join("; ");
  return shown.map(sayResult).join("; ");
}

/** One result in words: `simple_collab_switch: fail, 'm3' never reached after 'm2'; nearest telemetry-0.log:1377: data.tab is "chat", wanted "calendar"`. */
export function sayResult(result: ScenarioResult): string {
  if (result.verdict === "pass") return sayPassed(result);
  const nearest = sayNearest(result);
  return `${result.scenario}: ${result.verdict}, ${result.reason}${nearest === "" ? "" : `; ${nearest}`}`;
}

/** What came nearest to the first marker that is missing; "" when nothing did. */
export function sayNearest({ markers }: ScenarioResult): string {
  const nearest = markers.find((marker) => marker.status !== "found" && marker.nearest !== undefined)?.nearest;
  if (nearest === undefined) return "";
  const why = nearest.failed.map(({ path, want, got, hint }) => {
    const is = got === undefined ? "is not there" : `is ${stringifyJson(got)}`;
    return `${path} ${is}, wanted ${stringifyJson(want)}${hint === undefined ? "" : ` (${hint})`}`;
  });
  return `nearest ${nearest.file}:${nearest.line}: ${why.join("; ")}`;
}

function sayPassed({ scenario, found, not_found: missing }: ScenarioResult): string {
  const total = found.length + missing.length;
  return total === 0 ? `${scenario}: pass` : `${scenario}: pass, ${found.length} of ${total} markers found`;
}
