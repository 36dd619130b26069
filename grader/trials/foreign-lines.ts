import type { ResultDocument, ScenarioResult } from "../verdict.ts";
import { resultDocument } from "./result-document.ts";
import type { CaptureCounts } from "./trial.ts";

/**
 * The results of a log that only the proxy should have written. When somebody else wrote into it (an app under test finds
 * its folder in WAYMARK_RUN_DIR), nobody can tell which of its lines are the app's telemetry: nothing passes or fails by it.
 */
export function doubted(document: ResultDocument, capture: CaptureCounts | undefined): ResultDocument {
  if (capture?.foreign === undefined) return document;
  return resultDocument(document.results.map((result) => doubtedResult(result, capture)));
}

/** The same for one result: what was inconclusive already says this first, since it explains the rest. An error stays. */
export function doubtedResult(result: ScenarioResult, capture: CaptureCounts | undefined): ScenarioResult {
  if (capture?.foreign === undefined || result.verdict === "error") return result;
  const reason = `the log cannot be trusted: ${capture.foreign} bytes in it were written by another program than the proxy (it said: ${result.reason})`;
  return { ...result, verdict: "inconclusive", success: false, reason };
}
