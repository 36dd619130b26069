import { existsSync } from "node:fs";
import { paintFor, signOf } from "../grader/report/paint.ts";
import { asText, showDuration } from "../grader/report/text.ts";
import type { StoredRun, StoredRunDetails } from "../grader/store/store.ts";
import { waymarkError } from "../proxy/record/fault.ts";
import { type JsonObject, stringifyJson } from "../proxy/record/json.ts";
import { wholeNumber } from "./quantities.ts";
import { reportingFor } from "./reporting.ts";
import type { Terminal } from "./terminal.ts";
import type { Arguments, Verb } from "./verb.ts";

const DEFAULT_DB = ".waymark/waymark.db";
const VERDICTS = ["pass", "fail", "inconclusive", "error"] as const;

export const runs: Verb = {
  name: "runs",
  usage: "runs list | runs show RUN",
  describe:
    "Lists stored runs, newest first, or shows one: by its number, its id, the beginning of its id, or `latest`.",
  options: {
    db: { kind: "text", value: "FILE", describe: "database", defaultText: DEFAULT_DB },
    scenario: { kind: "text", alias: "s", value: "NAME", describe: "only runs of this scenario" },
    verdict: { kind: "text", value: "VERDICT", describe: `only ${VERDICTS.join(", ")}` },
    last: { kind: "text", value: "N", describe: "at most N runs", defaultText: "20" },
  },
  maxPositionals: 2,
  examples: [["waymark runs show latest", "the last run, with its markers"]],
  async run(args, terminal) {
    const [action = "list", wanted] = args.positionals;
    if (action !== "list" && action !== "show") {
      throw waymarkError("WM_USAGE", `waymark runs knows list and show, not "${action}"`);
    }
    if (action === "show" && wanted === undefined) throw waymarkError("WM_USAGE", "waymark runs show needs a run");
    if (action === "list" && wanted !== undefined)
      throw waymarkError("WM_USAGE", `waymark runs list takes no "${wanted}"`);
    const file = args.text("db") ?? DEFAULT_DB;
    if (!existsSync(file))
      throw waymarkError("WM_RUN_NOT_FOUND", `there is no database "${file}"; nothing was graded here yet`);
    const { openStore } = await import("../grader/store/store.ts");
    const store = openStore(file, { readonly: true });
    try {
      if (action === "show")
        return await show(store.getRun(runNamed(wanted ?? "", store.listRuns({ limit: 1 }))), args, terminal);
      return list(store.listRuns(filterOf(args)), args, terminal);
    } finally {
      store.close();
    }
  },
};

function filterOf(args: Arguments) {
  const scenario = args.text("scenario");
  const asked = args.text("verdict");
  const verdict = VERDICTS.find((known) => known === asked);
  if (asked !== undefined && verdict === undefined) {
    throw waymarkError("WM_USAGE", `--verdict got "${asked}"`, { fix: `Known: ${VERDICTS.join(", ")}.` });
  }
  return {
    limit: wholeNumber("last", args.text("last") ?? "20", { min: 1, max: 1_000_000 }),
    ...(scenario === undefined ? {} : { scenario }),
    ...(verdict === undefined ? {} : { verdict }),
  };
}

/** `latest`, a number with or without its `#` (which shells take for a comment), an id or its beginning. */
function runNamed(wanted: string, [newest]: readonly StoredRun[]): string {
  if (wanted === "latest") return newest?.id ?? wanted;
  return /^[0-9]{1,9}$/.test(wanted) ? `#${wanted}` : wanted;
}

function list(found: readonly StoredRun[], args: Arguments, terminal: Terminal): number {
  if (args.flag("json")) {
    terminal.out(`${JSON.stringify({ schema: "waymark.runs/1", runs: found })}\n`);
    return 0;
  }
  const paint = paintFor(terminal.colour);
  const rows = found.map((run) => [
    `#${run.number}`,
    run.gradedAt.slice(0, 19).replace("T", " "),
    run.verdict,
    `${run.found}/${run.total}`,
    showDuration(run.durationMs),
    asText(run.scenario),
    asText(run.log),
    run.verdict === "pass" ? "" : asText(run.reason),
  ]);
  const header = ["run", "graded (UTC)", "verdict", "markers", "time", "scenario", "log", "reason"];
  const widths = header.map((title, column) => Math.max(title.length, ...rows.map((row) => row[column]?.length ?? 0)));
  const line = (cells: readonly string[]): string =>
    cells
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join("  ")
      .trimEnd();
  terminal.out(`  ${paint.dim(line(header))}\n`);
  for (const [index, row] of rows.entries()) {
    terminal.out(`${signOf(found[index]?.verdict ?? "error", paint)} ${line(row)}\n`);
  }
  if (found.length === 0) terminal.out("  no runs\n");
  return 0;
}

async function show(run: StoredRunDetails, args: Arguments, terminal: Terminal): Promise<number> {
  if (args.flag("json")) {
    terminal.out(`${stringifyJson({ schema: "waymark.run/1", ...run } as unknown as JsonObject)}\n`);
    return 0;
  }
  const reporting = reportingFor(args, terminal);
  terminal.out(
    `run ${run.id} (#${run.number}), graded ${run.gradedAt} by waymark ${asText(run.graderVersion)}, ${run.provenance}\n`,
  );
  reporting.result(run.result);
  return (await reporting.close()) ? 0 : 3;
}
