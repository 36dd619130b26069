import { extname } from "node:path";
import type { Model } from "../grader/learn/model.ts";
import { waymarkError } from "../proxy/record/fault.ts";

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
