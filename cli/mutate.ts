import { existsSync } from "node:fs";
import type { MutationScore } from "../grader/learn/mutate/score.ts";
import { type Paint, paintFor } from "../grader/report/paint.ts";
import { asText, plural } from "../grader/report/text.ts";
import type { LoadedScenario } from "../grader/scenario/load.ts";
import { saveMutation } from "../grader/trials/mutation-file.ts";
import type { TrialSources } from "../grader/trials/select.ts";
import { renderFault, waymarkError } from "../proxy/record/fault.ts";
import type { JsonObject } from "../proxy/record/json.ts";
import { stringifyJson } from "../proxy/record/json.ts";
import { DEFAULT_DB, SCENARIO_OPTIONS } from "./defaults.ts";
import { mutationLines } from "./mutate-report.ts";
import { paramValues } from "./params.ts";
import { wholeNumber } from "./quantities.ts";
import { selectScenarios } from "./selection.ts";
import type { Terminal } from "./terminal.ts";
import type { Arguments, Verb } from "./verb.ts";

export const mutate: Verb = {
  name: "mutate",
  usage: "mutate [RUN..] -s NAME",
  describe:
    "Puts a scenario to the test: plants defects into runs that pass and asks whether it notices, makes changes that mean nothing and asks whether it keeps quiet, and names every marker and rule that nothing makes fail.",
  options: {
    ...SCENARIO_OPTIONS,
    runs: {
      kind: "list",
      value: "RUN",
      describe: "runs that pass: logs, run folders, or words such as good and batch:ID",
      defaultText: "good, else the newest that pass, else the examples, else made up",
    },
    "min-score": { kind: "text", value: "SHARE", describe: "fewer planted defects caught: exit 1", defaultText: "90%" },
    seed: { kind: "text", value: "N", describe: "another seed, other places", defaultText: "1" },
    param: { kind: "list", value: "NAME=VALUE", describe: "a scenario's parameter" },
    db: { kind: "text", value: "FILE", describe: "database of stored runs", defaultText: DEFAULT_DB },
    store: { kind: "flag", describe: "keep the score for the report (--no-store does not)", defaultText: "true" },
  },
  examples: [
    ["waymark mutate -s checkout", "with good runs, or with runs made up"],
    ["waymark mutate -s checkout --runs good.ndjson --min-score 100%", "with a log, and nothing may be missed"],
  ],
  async run(args, terminal) {
    const least = shareOf(args.text("min-score") ?? "90%");
    const seed = wholeNumber("seed", args.text("seed") ?? "1", { min: 0, max: 2 ** 32 - 1 });
    const scenarios = await selectScenarios(args, terminal);
    const { sources, close } = await openSources(args);
    try {
      const tested: Tested[] = [];
      for (const loaded of scenarios) tested.push(await testScenario(loaded, { args, seed, sources }, terminal));
      if (args.flag("store") !== false) keepScores(tested, args.text("db") ?? DEFAULT_DB);
      if (args.flag("json")) terminal.out(`${stringifyJson(documentOf(tested, { seed, least }))}\n`);
      else for (const one of tested) say(one, { args, least }, terminal);
      return exitCodeOf(tested, least);
    } finally {
      close();
    }
  },
};

interface Tested {
  readonly sha256: string;
  readonly origin: string;
  readonly score: MutationScore;
}

/** Where there is a database, the score goes beside it, for the page that `waymark report` writes. */
function keepScores(tested: readonly Tested[], db: string): void {
  if (!existsSync(db)) return;
  for (const { sha256, score } of tested) {
    const items = score.items.map(({ target, status, kinds }) => {
      const sum = (of: "caught" | "missed"): number => kinds.reduce((total, kind) => total + kind[of], 0);
      return { ...target, status, noticed: sum("caught"), of: sum("caught") + sum("missed") };
    });
    saveMutation(db, { scenario: score.scenario, markers_sha256: sha256, score: score.score, items });
  }
}

/** `90%` or `0.9` as a share. */
function shareOf(text: string): number {
  const groups = /^(?<number>[0-9]+(?:\.[0-9]+)?)(?<percent>%?)$/.exec(text.trim())?.groups;
  const share = groups === undefined ? Number.NaN : Number(groups["number"]) / (groups["percent"] === "%" ? 100 : 1);
  if (share >= 0 && share <= 1) return share;
  throw waymarkError("WM_USAGE_NOT_A_NUMBER", `--min-score got "${text}"; it takes a share such as 90% or 0.9`);
}

async function openSources(args: Arguments): Promise<{ sources: TrialSources | undefined; close: () => void }> {
  const file = args.text("db") ?? DEFAULT_DB;
  if (!existsSync(file)) return { sources: undefined, close: () => undefined };
  const { openStore } = await import("../grader/store/store.ts");
  const { defaultRunsFolder } = await import("../grader/learn/read-runs.ts");
  const store = openStore(file, { readonly: true });
  return { sources: { store, runs: defaultRunsFolder() }, close: () => store.close() };
}

async function testScenario(
  loaded: LoadedScenario,
  { args, seed, sources }: { args: Arguments; seed: number; sources: TrialSources | undefined },
  terminal: Terminal,
): Promise<Tested> {
  const { createSubject } = await import("../grader/learn/mutate/subject.ts");
  const { findRuns } = await import("../grader/learn/mutate/find-runs.ts");
  const { scoreScenario } = await import("../grader/learn/mutate/score.ts");
  const subject = createSubject(loaded, paramValues(args.list("param")));
  const words = [...args.positionals, ...args.list("runs")];
  const { runs, origin, warnings } = await findRuns(words, { loaded, subject }, sources);
  for (const warning of args.flag("quiet") ? [] : warnings) terminal.err(`${renderFault(warning)}\n`);
  const score = await scoreScenario(subject, runs, seed);
  for (const { run, reason } of score.leftOut)
    terminal.err(`left out, it does not pass: ${asText(run)}: ${asText(reason)}\n`);
  if (score.runs.length === 0) {
    throw waymarkError("WM_LEARN_NO_PASSING_RUN", `none of ${plural(runs.length, "run")} passes ${loaded.scenario.id}`);
  }
  return { sha256: loaded.scenario.sha256, origin, score };
}

function say({ origin, score }: Tested, { args, least }: { args: Arguments; least: number }, terminal: Terminal): void {
  const paint: Paint = paintFor(terminal.colour);
  const lines = mutationLines({ origin, score, least }, paint, {
    brief: args.flag("quiet") === true,
    all: args.flag("verbose") === true,
  });
  terminal.out(`${lines.join("\n")}\n`);
}

function exitCodeOf(tested: readonly Tested[], least: number): number {
  if (tested.length === 0) return 4;
  if (tested.some(({ score }) => score.score === null && score.defects.some(({ outcome }) => outcome === "undecided")))
    return 3;
  return tested.some(({ score }) => isBad(score, least)) ? 1 : 0;
}

function isBad({ score, falseAlarms, items }: MutationScore, least: number): boolean {
  return (score ?? 1) < least || falseAlarms > 0 || items.some(({ status }) => status === "cannot_fail");
}

function documentOf(tested: readonly Tested[], { seed, least }: { seed: number; least: number }): JsonObject {
  const scenarios = tested.map(({ sha256, origin, score }) => ({
    ...score,
    markers_sha256: sha256,
    origin,
    met: !isBad(score, least),
    defects: score.defects.map(withoutEvents),
    controls: score.controls.map(withoutEvents),
  }));
  return { schema: "waymark.mutate/1", seed, min_score: least, scenarios } as unknown as JsonObject;
}

function withoutEvents({ mutant, ...rest }: MutationScore["defects"][number] | MutationScore["controls"][number]) {
  const { events: _, ...named } = mutant;
  return { ...named, ...rest };
}
