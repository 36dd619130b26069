import { asText } from "../grader/report/text.ts";
import { createRunIds } from "../grader/run-id.ts";
import { findScenarios } from "../grader/scenario/find.ts";
import { labelNames } from "../grader/trials/annotate.ts";
import { liveNotes } from "../grader/trials/live-notes.ts";
import { startLiveRun } from "../grader/trials/live-run.ts";
import { stopLiveRun } from "../grader/trials/live-stop.ts";
import { selectTrial, selectTrials, type TrialSources } from "../grader/trials/select.ts";
import type { Trial } from "../grader/trials/trial.ts";
import { versionsOf } from "../grader/trials/versions.ts";
import { WaymarkError, waymarkError } from "../proxy/record/fault.ts";
import { paramValues } from "./params.ts";
import { durationMs } from "./quantities.ts";
import { reportingFor } from "./reporting.ts";
import type { RunsCall } from "./runs.ts";
import { runsPlaces, withSources } from "./runs-open.ts";
import { liveAccounting, noteChanges } from "./runs-parts.ts";
import { selectScenarios } from "./selection.ts";
import type { Arguments } from "./verb.ts";

/** `waymark runs start`: a run of an app that is there already begins now. */
export async function startRun({ args, terminal }: RunsCall): Promise<number> {
  const scenarios = await selectScenarios(args, terminal); // a scenario that cannot be graded with is said now, not when the run is over
  const optional = {
    variant: args.text("variant"),
    task: args.text("task"),
    selfReport: args.text("self-report"),
    steps: args.text("steps"),
  };
  const { manifest, folder } = await startLiveRun({
    log: args.text("log") ?? "logs/telemetry",
    runs: runsPlaces(args).runs,
    scenarios: args.list("scenario"),
    markers: args.text("markers") ?? "markers",
    params: Object.fromEntries(paramValues(args.list("param"))),
    labels: labelNames(args.list("label")),
    versions: await versionsOf({
      flags: args.list("version"),
      cwd: process.cwd(),
      scenarios: scenarios.map(({ scenario }) => scenario),
    }),
    newRunId: createRunIds(Date.now),
    now: Date.now,
    ...(Object.fromEntries(Object.entries(optional).filter(([, value]) => value !== undefined)) as Partial<
      Record<keyof typeof optional, string>
    >),
  });
  const { id, started_at } = manifest;
  if (args.flag("json"))
    terminal.out(`${JSON.stringify({ schema: "waymark.started/1", run: id, started_at, folder })}\n`);
  else {
    terminal.out(`run ${id} began at ${started_at}\n`);
    if (!args.flag("quiet")) terminal.err(`  ends with   waymark runs stop ${id.slice(0, 13)}\n`);
  }
  return 0;
}

/** `waymark runs stop [RUN]`: ends it, grades it, and says so as `grade` does. */
export async function stopRun({ words, args, terminal }: RunsCall): Promise<number> {
  return withSources(args, "make", async (sources) => {
    const trial = await runToStop(words[0], sources);
    const notes = liveNotes(trial);
    const { scenarios } = await findScenarios({
      folder: args.text("markers") ?? notes.markers,
      names: notes.scenarios,
    });
    const reporting = reportingFor(args, terminal);
    await noteChanges(sources.store, trial.manifest, scenarios);
    const files = { selfReport: args.text("self-report"), steps: args.text("steps") };
    const {
      document,
      cuts,
      trial: ended,
    } = await stopLiveRun(
      trial,
      {
        scenarios,
        settle: { idleMs: ms(args, "idle", "2s"), limitMs: ms(args, "settle", "15s") },
        accounting: liveAccounting(args, terminal),
        newRunId: createRunIds(Date.now),
        now: Date.now,
        ...(files.selfReport === undefined ? {} : { selfReport: files.selfReport }),
        ...(files.steps === undefined ? {} : { steps: files.steps }),
      },
      sources,
    );
    for (const result of document.results) reporting.result(result);
    reporting.end(document);
    const isReported = await reporting.close();
    for (const why of cuts) terminal.err(`waymark: the evidence is not whole: ${asText(why)}\n`);
    if (!args.flag("json") && !args.flag("quiet")) {
      const { id } = ended.manifest;
      terminal.err(`kept as run ${id}; waymark runs show ${id.slice(0, 13)} shows it again\n`);
    }
    return isReported ? document.exit_code : Math.max(document.exit_code, 3);
  });
}

function ms(args: Arguments, name: string, text: string): number {
  return durationMs(name, args.text(name) ?? text);
}

/** The run named, or the only one that `runs start` began and that is still running. */
async function runToStop(word: string | undefined, sources: TrialSources): Promise<Trial> {
  if (word !== undefined) return selectTrial(word, sources);
  const running = (await runningOrNone(sources)).filter(isLive);
  const [only, ...others] = running;
  if (only === undefined) {
    throw waymarkError("WM_RUN_NOT_FOUND", "no run that `waymark runs start` began is running", {
      fix: "`waymark runs start` begins one; a run of `waymark run` ends by itself.",
    });
  }
  if (others.length === 0) return only;
  const ids = running.map(({ manifest }) => manifest.id).join(", ");
  throw waymarkError("WM_USAGE", `${running.length} runs are running: ${ids}`, {
    fix: "Say which: `waymark runs stop RUN`.",
  });
}

async function runningOrNone(sources: TrialSources): Promise<readonly Trial[]> {
  try {
    return await selectTrials(["running"], sources);
  } catch (cause) {
    if (cause instanceof WaymarkError && cause.code === "WM_RUN_NOT_FOUND") return [];
    throw cause;
  }
}

function isLive(trial: Trial): boolean {
  try {
    return liveNotes(trial).schema === "waymark.live/1";
  } catch (cause) {
    if (cause instanceof WaymarkError) return false; // one of `waymark run`
    throw cause;
  }
}
