import { readFileSync } from "node:fs";
import type { Blame } from "../grader/learn/blame.ts";
import { asText } from "../grader/report/text.ts";
import { waymarkError } from "../proxy/record/fault.ts";
import { type JsonObject, stringifyJson } from "../proxy/record/json.ts";
import { runSources } from "./learn-runs.ts";
import type { Terminal } from "./terminal.ts";
import type { Arguments } from "./verb.ts";

/** `learn --explain RUN -o FILE`: where a run left the learned graph, and whether the product or the agent is to blame. */
export async function explainRun(args: Arguments, terminal: Terminal): Promise<number> {
  const file = args.text("out");
  const run = args.text("explain") ?? "";
  if (file === undefined)
    throw waymarkError("WM_USAGE", "--explain needs the learned scenario", {
      fix: "waymark learn --explain RUN -o FILE",
    });
  const { readState } = await import("../grader/learn/session.ts");
  const { learnModel } = await import("../grader/learn/model.ts");
  const { blameRun } = await import("../grader/learn/blame.ts");
  const state = readState(file);
  if (state === undefined)
    throw waymarkError("WM_LEARN_STATE", `beside ${file} nothing is kept of the runs it was learned from`);
  const sources = await runSources(args);
  try {
    const held = await sources.hold([run]);
    const model = learnModel(state.corpus, state.words, state.options);
    const blames = held.map((one) => ({
      run: one.name,
      ...blameRun(model, readFileSync(file, "utf8"), one, state.options),
    }));
    for (const blame of blames) {
      if (args.flag("json")) terminal.out(`${stringifyJson(blame as unknown as JsonObject)}\n`);
      else terminal.out(inWords(blame));
    }
    return 0;
  } finally {
    sources.close();
  }
}

function inWords(blame: Blame & { readonly run: string }): string {
  const { run, verdict, reason, cause, evidence, left, nearest } = blame;
  const lines = [`${asText(run)}: ${verdict}${verdict === "pass" ? "" : `, ${asText(reason)}`}`];
  if (cause !== "none") lines.push(`cause: ${cause}`, ...evidence.map((one) => `  ${asText(one)}`));
  if (left !== undefined) {
    const line = left.line === undefined ? "" : ` (line ${left.line})`;
    lines.push(
      `left the path after ${asText(left.after)}${line}: expected ${asText(left.expected)}, got ${asText(left.got)}`,
    );
  }
  lines.push(
    "nearest good run:",
    ...nearest.map(
      (step) =>
        `  ${step.status === "found" ? "✓" : "✗"} ${asText(step.name)}${step.line === undefined ? "" : ` (line ${step.line})`}`,
    ),
  );
  return `${lines.join("\n")}\n`;
}
