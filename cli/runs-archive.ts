import { writeFileSync } from "node:fs";
import { asText, plural } from "../grader/report/text.ts";
import { importArchive } from "../grader/trials/archive-import.ts";
import { exportArchive } from "../grader/trials/archive-write.ts";
import { tableOf } from "../grader/trials/csv.ts";
import { rebuildDatabase } from "../grader/trials/rebuild.ts";
import { selectTrials } from "../grader/trials/select.ts";
import type { Trial } from "../grader/trials/trial.ts";
import { fault, renderFault, waymarkError } from "../proxy/record/fault.ts";
import { sizeBytes } from "./quantities.ts";
import type { RunsCall } from "./runs.ts";
import { runsPlaces, withSources } from "./runs-open.ts";

/** `waymark runs export RUN.. -o FILE.zip`, or `--csv`. */
export async function exportRuns({ words, args, terminal }: RunsCall): Promise<number> {
  const output = args.text("output");
  return withSources(args, "read", async (sources) => {
    const trials = await selectTrials(words, sources);
    if (args.flag("csv")) return exportTable(trials, output, terminal.out);
    if (output === undefined) throw waymarkError("WM_USAGE", "waymark runs export needs -o FILE.zip, or --csv");
    const { runs, files, leftOut } = await exportArchive(trials, output, sources);
    if (args.flag("json")) {
      terminal.out(
        `${JSON.stringify({ schema: "waymark.exported/1", file: output, runs, files, left_out: leftOut })}\n`,
      );
      return 0;
    }
    terminal.out(`${plural(runs, "run")} (${plural(files, "file")}) in ${output}\n`);
    for (const path of leftOut) terminal.err(`waymark: left out ${asText(path)}, which no archive can hold\n`);
    return 0;
  });
}

function exportTable(trials: readonly Trial[], output: string | undefined, write: (text: string) => void): number {
  const table = tableOf(trials);
  if (output === undefined) write(table);
  else {
    try {
      writeFileSync(output, table);
    } catch (cause) {
      throw waymarkError("WM_OUTPUT_FAILED", `${output} could not be written`, { cause });
    }
  }
  return 0;
}

/** `waymark runs import FILE.zip`. */
export async function importRuns({ words, args, terminal }: RunsCall): Promise<number> {
  const [file = ""] = words;
  const size = args.text("max-size");
  const limits = size === undefined ? {} : { maxBytes: sizeBytes("max-size", size) };
  return withSources(args, "make", async (sources) => {
    const trials = await importArchive(file, sources, { replace: args.flag("replace") === true, limits });
    const ids = trials.map(({ manifest }) => manifest.id);
    if (args.flag("json")) terminal.out(`${JSON.stringify({ schema: "waymark.imported/1", runs: ids })}\n`);
    else terminal.out(`${plural(ids.length, "run")} imported from ${asText(file)}\n`);
    return 0;
  });
}

/** `waymark runs rebuild`. Folders that are damaged are said and give exit code 3; the database is whole without them. */
export async function rebuildRuns({ args, terminal }: RunsCall): Promise<number> {
  const { db, runs } = runsPlaces(args);
  const rebuilt = rebuildDatabase({ file: db, runs, now: Date.now });
  const { carried, damaged, oldAt } = rebuilt;
  for (const { folder, why } of damaged) {
    const problem = fault("WM_RUN_DAMAGED", `${folder} is left out: ${why}`, { severity: "warning" });
    terminal.err(`${renderFault(problem)}\n`);
  }
  if (args.flag("json")) terminal.out(`${JSON.stringify({ schema: "waymark.rebuilt/1", file: db, ...rebuilt })}\n`);
  else {
    terminal.out(
      `${db} holds ${plural(rebuilt.runs, "run")} from their folders (${plural(rebuilt.results, "result")})\n`,
    );
    if (carried.results > 0) terminal.out(`${plural(carried.results, "result")} that no folder has kept from before\n`);
    if (oldAt !== undefined) terminal.err(`waymark: the old database could not be read; it is now ${asText(oldAt)}\n`);
  }
  return damaged.length === 0 ? 0 : 3;
}
