import { existsSync } from "node:fs";
import type { Explanation, NearEvent } from "../grader/explain.ts";
import { headline, markerLines } from "../grader/report/lines.ts";
import { type Paint, paintFor } from "../grader/report/paint.ts";
import { asText, showDuration, showValue } from "../grader/report/text.ts";
import type { LoadedScenario } from "../grader/scenario/load.ts";
import type { ScenarioResult } from "../grader/verdict.ts";
import { waymarkError } from "../proxy/record/fault.ts";
import { type JsonObject, stringifyJson } from "../proxy/record/json.ts";
import { didYouMean } from "../proxy/record/near.ts";
import { DEFAULT_DB, SCENARIO_OPTIONS } from "./defaults.ts";
import { paramValues } from "./params.ts";
import { wholeNumber } from "./quantities.ts";
import { runsPlaces } from "./runs-open.ts";
import { selectScenarios } from "./selection.ts";
import type { Terminal } from "./terminal.ts";
import type { Arguments, Verb } from "./verb.ts";

export const explain: Verb = {
  name: "explain",
  usage: "explain RUN [MARKER]",
  describe:
    "Says why a marker was not found: what was expected after what, and the events that came nearest, field test by field test. RUN is a stored run (its number, its id, latest, latest-failed, batch:ID, label:NAME) or a log, then with --scenario.",
  options: {
    ...SCENARIO_OPTIONS,
    db: { kind: "text", value: "FILE", describe: "database of stored runs", defaultText: DEFAULT_DB },
    nearest: { kind: "text", value: "N", describe: "how many near events", defaultText: "3" },
    param: { kind: "list", value: "NAME=VALUE", describe: "a scenario's parameter" },
  },
  maxPositionals: 2,
  examples: [
    ["waymark explain latest", "the marker the last run was waiting for"],
    ['waymark explain run.ndjson "Order placed" -s checkout', "a marker of your choice, from a log"],
  ],
  async run(args, terminal) {
    const [run, asked] = args.positionals;
    if (run === undefined)
      throw waymarkError("WM_USAGE", "waymark explain needs a run or a log", {
        fix: "Such as `waymark explain latest`.",
      });
    const { result, loaded } = await gradedRun(run, args, terminal);
    const { explainableMarkers, explainMarker } = await import("../grader/explain.ts");
    const known = explainableMarkers(loaded.scenario);
    const marker = asked ?? result.waiting_for ?? known.at(-1);
    if (marker === undefined || !known.includes(marker)) throw unknownMarker(marker ?? "", known);
    const count = wholeNumber("nearest", args.text("nearest") ?? "3", { min: 1, max: 100 });
    const params = paramValues(args.list("param"));
    const explanation = await explainMarker({ result, scenario: loaded.scenario, marker, params, count });
    if (args.flag("json")) terminal.out(`${stringifyJson(document(result, explanation))}\n`);
    else terminal.out(inWords(result, explanation, paintFor(terminal.colour)));
    return 0;
  },
};

function unknownMarker(asked: string, known: readonly string[]) {
  const fix =
    known.length === 0
      ? "This scenario has rules only; `waymark runs show` has their violations."
      : `Known: ${known.join(", ")}.`;
  return waymarkError("WM_USAGE", `the scenario has no marker "${asked}"${didYouMean(asked, known)}`, { fix });
}

interface GradedRun {
  readonly result: ScenarioResult;
  readonly loaded: LoadedScenario;
}

/** A stored run with the scenario file it was graded by, or a log graded now. */
async function gradedRun(run: string, args: Arguments, terminal: Terminal): Promise<GradedRun> {
  if (run === "-") {
    throw waymarkError("WM_USAGE", "explain reads a log twice, and stdin can be read only once", {
      fix: "Keep it in a file and name that.",
    });
  }
  const stored = await storedResult(run, args);
  if (stored === undefined) return gradeNow(run, args, terminal);
  const { loadScenario } = await import("../grader/scenario/load.ts");
  const loaded = await loadScenario(stored.file);
  if (loaded.scenario.sha256 !== stored.markers_sha256) {
    terminal.err(
      `waymark: ${stored.file} has changed since this run was graded; its wishes are shown as they stand now\n`,
    );
  }
  return { result: stored, loaded };
}

async function storedResult(run: string, args: Arguments): Promise<ScenarioResult | undefined> {
  const file = args.text("db") ?? DEFAULT_DB;
  if (existsSync(run) || !existsSync(file)) return undefined;
  const { openStore } = await import("../grader/store/store.ts");
  const store = openStore(file, { readonly: true });
  try {
    const id = run === "latest" ? store.listRuns({ limit: 1 })[0]?.id : run;
    if (!isWord(run)) return store.getRun(/^[0-9]{1,9}$/.test(id ?? "") ? `#${id}` : (id ?? run)).result;
    const { selectTrials } = await import("../grader/trials/select.ts");
    const trials = await selectTrials([run], { store, runs: runsPlaces(args).runs });
    const results = trials.toReversed().flatMap(({ results: own }) => own);
    return results.find(({ verdict }) => verdict === "fail") ?? results[0];
  } finally {
    store.close();
  }
}

/** What names runs otherwise than by number or id; of several runs the newest that failed is explained. */
function isWord(run: string): boolean {
  return run === "latest-failed" || run === "good" || /^(?:label|batch|variant|task):/.test(run);
}

async function gradeNow(log: string, args: Arguments, terminal: Terminal): Promise<GradedRun> {
  if (!existsSync(log)) throw waymarkError("WM_RUN_NOT_FOUND", `"${log}" is neither a stored run nor a log`);
  const [loaded, second] = await selectScenarios(args, terminal);
  if (loaded === undefined || second !== undefined) {
    throw waymarkError("WM_USAGE", "explaining a log needs one scenario", { fix: "Name it with --scenario." });
  }
  const { gradeLogs } = await import("../grader/grade.ts");
  const { document: graded } = await gradeLogs({
    logs: [log],
    scenarios: [loaded],
    params: paramValues(args.list("param")),
  });
  const [result] = graded.results;
  if (result === undefined) throw waymarkError("WM_LOG_NOT_FOUND", `"${log}" gave nothing to grade`);
  return { result, loaded };
}

function document(result: ScenarioResult, explanation: Explanation): JsonObject {
  const { scenario, run, verdict, reason, range, markers } = result;
  const timeline = markers.filter(({ status }) => status === "found");
  return {
    schema: "waymark.explanation/1",
    scenario,
    run,
    verdict,
    reason,
    range,
    timeline,
    ...explanation,
  } as unknown as JsonObject;
}

function inWords(result: ScenarioResult, explanation: Explanation, paint: Paint): string {
  const { marker, status, wants, source, after, nearest, unread } = explanation;
  const lines = [
    headline(result, paint),
    ...markerLines({ ...result, markers: result.markers.map(({ nearest: _, ...one }) => one) }, paint),
    "",
    `${paint.strong(`'${asText(marker)}'`)} ${status === "found" ? "was found" : status}`,
    `  wanted   ${wants.map(asText).join(", or ")}`,
    `  written  ${asText(source.file)}:${source.line}:${source.column}`,
    `  after    ${after === undefined ? "the beginning" : `'${asText(after.name)}' (${asText(after.file ?? "")}:${after.line})`}`,
    ...(nearest.length === 0
      ? [
          `  ${unread === undefined ? "no event satisfies any of its field tests" : `no event to look at: ${asText(unread)}`}`,
        ]
      : nearest.flatMap((near) => nearLines(near, explanation, paint))),
  ];
  return `${lines.join("\n")}\n`;
}

function nearLines(near: NearEvent, { after, marker }: Explanation, paint: Paint): string[] {
  const which = near.marker === marker ? "" : ` for '${asText(near.marker)}'`;
  const late =
    near.stands === "before" ? `, before '${asText(after?.name ?? "")}': out of order` : sinceText(near, after?.at);
  return [
    `  nearest${which}  ${asText(near.file)}:${near.line}${late}`,
    ...near.passed.map(({ path, got }) => `    ${paint.good("✓")} ${asText(path)} = ${showValue(got)}`),
    ...near.failed.map(({ path, got, want, hint }) => {
      const cause = hint === undefined ? "" : ` (${asText(hint)})`;
      return `    ${paint.bad("✗")} ${asText(path)} = ${showValue(got)}, wanted ${typeof want === "string" ? asText(want) : showValue(want)}${cause}`;
    }),
  ];
}

function sinceText({ at }: NearEvent, earlier: string | undefined): string {
  if (at === undefined || earlier === undefined) return "";
  return `, ${showDuration(Math.max(0, Date.parse(at) - Date.parse(earlier)))} later`;
}
