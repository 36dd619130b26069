import { join } from "node:path";
import type { LoadedScenario } from "../grader/scenario/load.ts";
import type { Store } from "../grader/store/store.ts";
import { labelNames } from "../grader/trials/annotate.ts";
import type { BatchDocument } from "../grader/trials/batch.ts";
import { evidenceMode } from "../grader/trials/evidence/index.ts";
import { versionsOf } from "../grader/trials/versions.ts";
import { parseRedactPath } from "../proxy/pipeline/redact-path.ts";
import { createScope } from "../proxy/pipeline/scope.ts";
import { waymarkError } from "../proxy/record/fault.ts";
import { DEFAULT_DB } from "./defaults.ts";
import { ownFormats } from "./own-formats.ts";
import { mappings, pemFile, refusedPorts, scopeOf } from "./proxy.ts";
import { reportingFor } from "./reporting.ts";
import { accountingFor } from "./run-accounting.ts";
import { playBatch } from "./run-batch.ts";
import { planRun, refuseUngradable } from "./run-design.ts";
import { DEFAULT_DIR, jobsOf, provenanceOf, RUN_OPTIONS, retriesOf, settleRule, timeoutMs } from "./run-options.ts";
import { runsPlaces } from "./runs-open.ts";
import { selectScenarios } from "./selection.ts";
import { stopSignal } from "./signals.ts";
import type { Terminal } from "./terminal.ts";
import type { Arguments, Verb } from "./verb.ts";

export const run: Verb = {
  name: "run",
  usage: "run [options] -- CMD",
  describe:
    "Runs a command several times, each under a proxy and in a folder of its own, grades each run alone from the telemetry it sent, and says what so many runs can and cannot show.",
  options: RUN_OPTIONS,
  takesCommand: true,
  maxPositionals: 0,
  examples: [
    ["waymark run -s checkout -- node agent.js", "five runs; all have to pass"],
    ["waymark run -n 20 --gate lower:60% -- node agent.js", "20 runs; sure to pass more than 60% of the time"],
    ["waymark run --until-sure -- node agent.js", "as many runs as it takes to be sure, at most 20"],
    ['waymark run --variant "old=node a.js" --variant "new=node b.js"', "two commands, in turns"],
  ],
  async run(args, terminal) {
    const settings = { ...settingsOf(args), capture: await captureOf(args) };
    const planned = args.text("again") === undefined ? planRun(args, undefined) : undefined;
    const scenarios = await selectScenarios(args, terminal);
    if (planned !== undefined) refuseUngradable(scenarios, planned.design.cells);
    const versions = await versionsOf({
      flags: args.list("version"),
      cwd: process.cwd(),
      scenarios: scenarios.map(({ scenario: { id, sha256 } }) => ({ id, sha256 })),
    });
    const reporting = reportingFor(args, terminal);
    const store = await openResults(args);
    try {
      const plan = planned ?? planRun(args, await trialsAgain(args, store));
      refuseUngradable(scenarios, plan.design.cells);
      // Heard before the first run begins, so that a Ctrl-C never leaves one behind.
      const stop = stopSignal();
      const document = await playBatch({ ...settings, ...plan, versions, args, scenarios, store, stop, terminal });
      reporting.batch(document);
      const isReported = await reporting.close();
      if (!isReported) terminal.err(`the verdict is ${document.verdict}\n`);
      if (isReported && !args.flag("quiet") && !args.flag("json")) terminal.err(nextSteps(document, store, args));
      return isReported || document.exit_code === BUG ? document.exit_code : Math.max(document.exit_code, NOT_KEPT);
    } finally {
      store.close();
    }
  },
};

const NOT_KEPT = 3;
const BUG = 70;

/** Everything that is read from the command line alone, so that a mistake is told before anything is touched. */
function settingsOf(args: Arguments) {
  const jobs = jobsOf(args);
  for (const name of ["self-report", "steps"] as const) {
    if (jobs > 1 && args.text(name) !== undefined) {
      const variable = `WAYMARK_${name.replace("-", "_").toUpperCase()}`;
      throw waymarkError("WM_USAGE", `--${name} names one file, but with --jobs ${jobs} several runs write at once`, {
        fix: `Let the agent write to ${variable}, which is another file in each run.`,
      });
    }
  }
  return {
    jobs,
    retryErrors: retriesOf(args),
    timeoutMs: timeoutMs(args),
    settle: settleRule(args.text("settle")),
    provenance: provenanceOf(args),
    labels: labelNames(args.list("label")),
    evidence: evidenceMode(args.text("evidence") ?? "on"),
    accounting: accountingFor(args),
    runsFolder: join(args.text("dir") ?? DEFAULT_DIR, "runs"),
  };
}

/** What the proxy is to read and where traffic goes; wrong patterns are told here and not by the first run. */
async function captureOf(args: Arguments) {
  const scope = { ...scopeOf(args), ...(await ownFormats(args)) };
  createScope({ ...scope, known: [] });
  scope.redact.forEach(parseRedactPath);
  const upstreamCa = await pemFile(args.text("upstream-ca"));
  return {
    scope,
    map: mappings(args),
    refusedPorts: refusedPorts(args),
    ...(upstreamCa === undefined ? {} : { upstreamCa }),
  };
}

export type RunSettings = ReturnType<typeof settingsOf> &
  ReturnType<typeof planRun> & {
    readonly versions: Awaited<ReturnType<typeof versionsOf>>;
    readonly capture: Awaited<ReturnType<typeof captureOf>>;
    readonly args: Arguments;
    readonly scenarios: readonly LoadedScenario[];
    readonly store: Store;
    readonly stop: ReturnType<typeof stopSignal>;
    readonly terminal: Terminal;
    /** Where the authority is, when it is not this user's own. */
    readonly authorityFolder?: string;
  };

/** A database that cannot be used is told before the runs are paid for. */
async function openResults(args: Arguments): Promise<Store> {
  const { openStore } = await import("../grader/store/store.ts");
  return openStore(runsPlaces(args).db);
}

async function trialsAgain(args: Arguments, store: Store) {
  const wanted = args.text("again");
  if (wanted === undefined) return undefined;
  const { selectTrials } = await import("../grader/trials/select.ts");
  return selectTrials([wanted], { store, runs: join(args.text("dir") ?? DEFAULT_DIR, "runs") });
}

/** What to do about the first run that did not pass. */
function nextSteps({ runs, batch }: BatchDocument, store: Store, args: Arguments): string {
  const db = store.file === DEFAULT_DB ? "" : ` --db ${store.file}`;
  const failed = runs.find(({ verdict, run: id }) => verdict === "fail" && id !== undefined);
  if (failed?.run === undefined) return "";
  const { number } = store.getRun(failed.run);
  const dir = args.text("dir");
  const again = dir === undefined ? "" : ` --dir ${dir}`;
  return `next: waymark explain ${number}${db} · waymark run --again batch:${batch}${again}\n`;
}
