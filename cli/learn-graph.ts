import { extname } from "node:path";
import type { Model } from "../grader/learn/model.ts";
import { asText } from "../grader/report/text.ts";
import { waymarkError } from "../proxy/record/fault.ts";
import type { Terminal } from "./terminal.ts";
import type { Arguments } from "./verb.ts";

/** `--graph` with a learned scenario and no run to learn from. */
export function wantsGraphOnly(args: Arguments): boolean {
  const hasRuns = args.positionals.length > 0 || args.list("add").length > 0;
  return args.list("graph").length > 0 && args.text("out") !== undefined && !hasRuns;
}

/**
 * `learn --graph FILE -o SCENARIO`: draws the graph from what is kept beside the scenario; changes nothing else. Throws
 * `WM_LEARN_STATE` when nothing is kept there.
 */
export async function drawStored(args: Arguments, terminal: Terminal): Promise<number> {
  const file = args.text("out") ?? "";
  const { readState } = await import("../grader/learn/session.ts");
  const { learnModel } = await import("../grader/learn/model.ts");
  const state = readState(file);
  if (state === undefined)
    throw waymarkError("WM_LEARN_STATE", `beside ${file} nothing is kept of the runs it was learned from`);
  const model = learnModel(state.corpus, state.words, state.options);
  await drawGraph(args.list("graph"), model);
  if (args.flag("json")) {
    const { viewGraph } = await import("../grader/learn/graph-view.ts");
    terminal.out(`${JSON.stringify(viewGraph(model))}\n`);
  } else if (!args.flag("quiet")) terminal.err(`drawn: ${args.list("graph").map(asText).join(", ")}\n`);
  return 0;
}

/** Draws the learned graph into each file, by its ending: .svg, .dot or .json. Throws WM_USAGE on another ending. */
export async function drawGraph(files: readonly string[], model: Model): Promise<void> {
  if (files.length === 0) return;
  const { toDot, viewGraph } = await import("../grader/learn/graph-view.ts");
  const { toSvg } = await import("../grader/learn/svg.ts");
  const { writeWhole } = await import("../grader/learn/session.ts");
  const view = viewGraph(model);
  for (const file of files) {
    const draw = {
      ".svg": () => toSvg(view),
      ".dot": () => toDot(view),
      ".json": () => `${JSON.stringify(view, null, 2)}\n`,
    }[extname(file).toLowerCase()];
    if (draw === undefined) throw waymarkError("WM_USAGE", `--graph got "${file}"; it draws .svg, .dot and .json`);
    try {
      writeWhole(file, draw());
    } catch (cause) {
      throw waymarkError("WM_OUTPUT_FAILED", `${file} could not be written`, { cause });
    }
  }
}
