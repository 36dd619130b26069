import { readFileSync } from "node:fs";
import { isObject, parseJson } from "../../../proxy/record/json.ts";
import type { SelfReport } from "../../trials/trial.ts";

const DONE = /^(?:done|success|successful|succeeded|pass|passed|complete|completed|finished|ok|yes|true)$/i;
const NOT_DONE = /^(?:failed|fail|failure|error|incomplete|aborted|gave up|no|false|not done)$/i;

/** What an agent says, with what it claims where its word is one of the usual. Never part of a verdict. */
export function claimOf({
  claim,
  claims_success,
  text,
}: {
  claim: string;
  claims_success?: boolean | undefined;
  text?: string | undefined;
}): SelfReport {
  const said = claims_success ?? (DONE.test(claim.trim()) ? true : NOT_DONE.test(claim.trim()) ? false : undefined);
  return { claim, ...(said === undefined ? {} : { claims_success: said }), ...(text === undefined ? {} : { text }) };
}

/** The report an agent left in a file; undefined when there is none that can be read. */
export function claimInFile(file: string): SelfReport | undefined {
  try {
    const report = parseJson(readFileSync(file, "utf8").slice(0, MOST_CHARS));
    if (!isObject(report) || typeof report["claim"] !== "string") return undefined;
    const text = report["text"] ?? report["summary"];
    return claimOf({ claim: report["claim"], ...(typeof text === "string" ? { text } : {}) });
  } catch {
    return undefined;
  }
}

const MOST_CHARS = 1_000_000;
