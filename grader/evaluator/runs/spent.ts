import { appendFileSync } from "node:fs";
import { type JsonValue, stringifyJson } from "../../../proxy/record/json.ts";
import { postedStepsIn } from "../../trials/steps-file.ts";

/** Steps that were posted stand beside the agent's own, so that nobody mixes them up; `spend` counts both. */
export function appendSteps(folder: string, steps: readonly object[]): void {
  appendFileSync(postedStepsIn(folder), steps.map((step) => `${stringifyJson(step as JsonValue)}\n`).join(""));
}
