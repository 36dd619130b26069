import { stringifyJson } from "../../../proxy/record/json.ts";
import { parseSelfReport } from "../../trials/self-report.ts";
import type { SelfReport } from "../../trials/trial.ts";
import type { Verdict } from "../../verdict.ts";
import type { SelfReportBody } from "../bodies.ts";

/** What an agent says, read as the report that it could have left in a file. Never part of a verdict. */
export function claimOf({ claim, claims_success: success, text }: SelfReportBody): SelfReport {
  const report = { claim, ...(success === undefined ? {} : { success }), ...(text === undefined ? {} : { text }) };
  return parseSelfReport(stringifyJson(report)) ?? { claim };
}

/** Whether a claim agrees with a verdict; undefined when there is nothing to agree on. */
export function agreesWith({ claims_success: said }: SelfReport, verdict: Verdict): boolean | undefined {
  return said === undefined || (verdict !== "pass" && verdict !== "fail") ? undefined : said === (verdict === "pass");
}
