import { existsSync } from "node:fs";
import type { Store } from "../grader/store/store.ts";
import type { ComparisonDocument } from "../grader/trials/compare-document.ts";
import type { Side } from "../grader/trials/compare-select.ts";
import type { TrialSources } from "../grader/trials/select.ts";
import { waymarkError } from "../proxy/record/fault.ts";
import { WAYMARK_VERSION } from "../proxy/record/version.ts";
import { decisionRules, minEffects, refuseDeciding, wholeNumbers } from "./compare-options.ts";
import { deliver } from "./compare-output.ts";
import { paramValues } from "./params.ts";
import { regradeSides, sessionModes, withKeptRegrades } from "./regrade-join.ts";
import { runsPlaces } from "./runs-open.ts";
import { RUN_PLACES } from "./runs-options.ts";
import type { Terminal } from "./terminal.ts";
import type { Arguments, Verb } from "./verb.ts";

export const compare: Verb = {
  name: "compare",
  usage: "compare A B | compare BATCH | compare --matrix RUN.. | compare --outcomes FILE",
  describe:
    "Compares two groups of runs, B held against A: pass rates with an exact test and an interval, flips, time, cost, markers. A side is batch:ID, variant:NAME, label:NAME, task:NAME, a run or its folder; several with commas, or with / between them for runs that answer to all, such as batch:latest/variant:new.",
  options: {
    scenario: { kind: "text", alias: "s", value: "NAME", describe: "only this scenario" },
    metric: {
      kind: "list",
      value: "LIST",
      describe: "what decides: pass, duration, cost, tokens",
      defaultText: "pass",
    },
    "min-effect": {
      kind: "list",
      value: "LIST",
      describe: "smallest difference that matters: 10% of the pass rate, 2s, $0.05, 500tokens",
    },
    "fail-on": { kind: "text", value: "worse", describe: "exit 1 when B is worse" },
    "require-decision": { kind: "flag", describe: "exit 5 when there is no evidence either way" },
    regraded: { kind: "flag", describe: "take the newest kept regrade of each run" },
    regrade: { kind: "flag", describe: "grade both sides again now, with --markers; nothing is kept" },
    markers: { kind: "text", value: "DIR|FILE", describe: "scenarios for --regrade", defaultText: "markers" },
    param: { kind: "list", value: "NAME=VALUE", describe: "a scenario's parameter, for --regrade" },
    matrix: { kind: "flag", describe: "a table of variants by tasks over all runs named" },
    fidelity: { kind: "flag", describe: "how well B (simulated) stands for A (live) instead of which is better" },
    outcomes: { kind: "list", value: "FILE", describe: "a table of outcomes (NDJSON or CSV) instead of stored runs" },
    k: { kind: "list", value: "LIST", describe: "with --outcomes: the k of pass@k and pass^k, such as 1,2,4" },
    ...RUN_PLACES,
  },
  examples: [
    ["waymark compare batch:latest", "the two variants of the newest batch"],
    ["waymark compare label:main variant:new --fail-on worse", "for a pipeline"],
    ["waymark compare --matrix batch:latest", "every variant on every task"],
    ["waymark compare --outcomes results.ndjson -k 1,2,4", "pass@k and pass^k of any benchmark"],
  ],
  async run(args, terminal) {
    const tables = args.list("outcomes");
    if (tables.length > 0) refuseDeciding("outcomes", args);
    for (const view of ["matrix", "fidelity"]) if (args.flag(view) === true) refuseDeciding(view, args);
    if (tables.length > 0) return compareTables(tables, args, terminal);
    const rules = decisionRules(args);
    const effects = minEffects(args);
    const { store, runs } = await openSources(args);
    try {
      if (args.flag("matrix")) return await showMatrix({ store, runs }, args, terminal);
      const { selectSides } = await import("../grader/trials/compare-select.ts");
      const chosen = await selectSides(args.positionals, { store, runs });
      const { sides, notes } = await prepared(chosen, store, args);
      if (args.flag("fidelity")) return await compareFidelity(sides, notes, { args, terminal });
      const document = await documentOf(sides, notes, { args, rules, effects });
      const { comparisonText } = await import("./compare-text.ts");
      deliver({ document, text: (paint, detail) => comparisonText(document, paint, detail) }, args, terminal);
      return document.exit_code;
    } finally {
      store.close();
    }
  },
};

/** The store and the folder of runs; the store has to exist. */
export async function openSources(args: Arguments): Promise<{ readonly store: Store; readonly runs: string }> {
  const { db, runs } = runsPlaces(args);
  if (!existsSync(db)) {
    throw waymarkError("WM_RUN_NOT_FOUND", `there is no database "${db}"; nothing was graded here yet`);
  }
  const { openStore } = await import("../grader/store/store.ts");
  return { store: openStore(db, { readonly: true }), runs };
}

interface Prepared {
  readonly sides: readonly [Side, Side];
  readonly notes: readonly string[];
}

/** The sides with the results that are to be compared: graded again now, graded again earlier, or as they are. */
async function prepared(sides: readonly [Side, Side], store: Store, args: Arguments): Promise<Prepared> {
  if (args.flag("regrade")) {
    const params = paramValues(args.list("param"));
    return regradeSides(sides, { markers: args.text("markers"), scenario: args.text("scenario"), params });
  }
  return withKeptRegrades(sides, store, { isAsked: args.flag("regraded") === true, scenario: args.text("scenario") });
}

interface Asked {
  readonly args: Arguments;
  readonly rules: ReturnType<typeof decisionRules>;
  readonly effects: ReturnType<typeof minEffects>;
}

async function documentOf(
  [a, b]: readonly [Side, Side],
  notes: readonly string[],
  { args, rules, effects }: Asked,
): Promise<ComparisonDocument> {
  const { compareGroups } = await import("../grader/trials/compare.ts");
  const { comparisonDocument } = await import("../grader/trials/compare-document.ts");
  const scenario = args.text("scenario");
  const comparison = compareGroups(a.trials, b.trials, {
    names: [a.name, b.name],
    minEffects: effects,
    sessions: await sessionModes([...a.trials, ...b.trials]),
    ...(scenario === undefined ? {} : { scenario }),
  });
  return comparisonDocument({ ...comparison, notes: [...notes, ...comparison.notes] }, rules);
}

async function compareTables(files: readonly string[], args: Arguments, terminal: Terminal): Promise<number> {
  if (args.positionals.length > 0) {
    throw waymarkError("WM_USAGE", "--outcomes reads a table, so there are no runs to name beside it");
  }
  const { readOutcomeFiles } = await import("../grader/trials/outcomes-read.ts");
  const { outcomesDocument } = await import("../grader/trials/outcomes-document.ts");
  const { outcomesText } = await import("./compare-tables.ts");
  const ks = wholeNumbers("k", args.list("k"));
  const document = outcomesDocument(files, readOutcomeFiles(files), ks);
  deliver({ document, text: (paint, detail) => outcomesText(document, paint, detail) }, args, terminal);
  return document.exit_code;
}

async function showMatrix(sources: TrialSources, args: Arguments, terminal: Terminal): Promise<number> {
  const { selectRuns } = await import("../grader/trials/compare-select.ts");
  const { scenariosOf } = await import("../grader/trials/compare-attempt.ts");
  const { matrixOf } = await import("../grader/trials/matrix.ts");
  const { matrixText } = await import("./compare-tables.ts");
  const trials = await selectRuns(args.positionals, sources);
  const wanted = args.text("scenario");
  const scenarios = scenariosOf(trials).filter((scenario) => (wanted ?? scenario) === scenario);
  if (scenarios.length === 0) throw waymarkError("WM_COMPARE_SCENARIO", "no scenario graded these runs");
  const modes = await sessionModes(trials);
  const matrices = scenarios.map((scenario) => matrixOf(trials, scenario, modes));
  const document = { schema: "waymark.matrix/1", waymark: WAYMARK_VERSION, exit_code: 0, matrices };
  deliver({ document, text: (paint, detail) => matrixText(matrices, paint, detail) }, args, terminal);
  return 0;
}

async function compareFidelity(
  [a, b]: readonly [Side, Side],
  notes: readonly string[],
  { args, terminal }: { readonly args: Arguments; readonly terminal: Terminal },
): Promise<number> {
  const { fidelityOf } = await import("../grader/trials/fidelity.ts");
  const { readEventNames } = await import("../grader/trials/fidelity-events.ts");
  const { fidelityText } = await import("./compare-tables.ts");
  const scenario = args.text("scenario");
  const names = [a.name, b.name] as const;
  const trials = [...a.trials, ...b.trials];
  const reports = fidelityOf(a.trials, b.trials, {
    names,
    events: await readEventNames(trials),
    sessions: await sessionModes(trials),
    ...(scenario === undefined ? {} : { scenario }),
  });
  const exitCode = reports.every(({ agreement }) => agreement !== null) ? 0 : 3;
  const sides = [a, b].map(({ name, trials: own }) => ({
    name,
    runs: own.map(({ manifest, folder }) => ({ run: manifest.id, ...(folder === undefined ? {} : { folder }) })),
  }));
  const document = {
    schema: "waymark.fidelity/1",
    waymark: WAYMARK_VERSION,
    exit_code: exitCode,
    sides,
    fidelity: reports,
    notes,
  };
  deliver({ document, text: (paint, detail) => fidelityText(reports, paint, detail) }, args, terminal);
  return exitCode;
}
