import { lookAtState } from "../grader/evaluator/look.ts";
import { createRunIds } from "../grader/run-id.ts";
import { summariseAgreement } from "../grader/trials/agreement.ts";
import type { BatchDocument } from "../grader/trials/batch.ts";
import { comparisonsOf } from "../grader/trials/compare-cells.ts";
import { runDesign } from "../grader/trials/loop.ts";
import { plannedRuns } from "../grader/trials/plan.ts";
import { playTrial, type TrialDeps } from "../grader/trials/play.ts";
import { type BatchFacts, summarise } from "../grader/trials/summarise.ts";
import { isErrorRun, lastTries, passedBy, type SummedScenario } from "../grader/trials/summarise-runs.ts";
import type { Trial } from "../grader/trials/trial.ts";
import { type Fault, renderFault, WaymarkError } from "../proxy/record/fault.ts";
import { type JsonValue, stringifyJson } from "../proxy/record/json.ts";
import type { RunSettings } from "./run.ts";
import { noteChanges } from "./run-accounting.ts";
import { type ProgressView, progressView } from "./run-progress.ts";
import { stageFor } from "./run-stage.ts";

/** Plays a batch, start to end, and sums it up. The batch is kept in the database: when it begins, and whole at its end. */
export async function playBatch(settings: RunSettings): Promise<BatchDocument> {
  const { scenarios, design, store, stop, args, terminal, jobs } = settings;
  const newRunId = createRunIds(Date.now);
  const id = newRunId();
  const startedAt = new Date().toISOString();
  const summed = scenarios.map(({ scenario }) => ({
    id: scenario.id,
    sha256: scenario.sha256,
    sessions: scenario.events.sessions,
  }));
  const view = progressView({
    terminal,
    scenarios: summed,
    planned: plannedRuns(design),
    jobs,
    isQuiet: args.flag("quiet") === true,
  });
  const problems = problemList(view);
  await keep(problems, () => store.saveBatch({ id, startedAt }));
  await keep(problems, () =>
    noteChanges(store, settings.versions, { cells: design.cells, scenarios: summed, at: startedAt }),
  );
  const { trials, stopped } = await playAll({ settings, id, newRunId, view, summed, problems });
  const failOnFlaky = args.flag("fail-on-flaky") === true;
  const facts = { id, startedAt, design, aim: settings.aim, failOnFlaky, scenarios: summed, trials, problems, stopped };
  const document = summariseBatch(facts, { exitZero: args.flag("exit-zero") === true, stoppedWith: stop.exitCode() });
  const { ended_at: endedAt, verdict, exit_code: exitCode } = document;
  const text = stringifyJson(document as unknown as JsonValue);
  const before = problems.all.length;
  await keep(problems, () => store.saveBatch({ id, startedAt, endedAt, verdict, exitCode, document: text }));
  if (problems.all.length === before) return document;
  return summariseBatch(facts, { exitZero: args.flag("exit-zero") === true, stoppedWith: stop.exitCode() });
}

interface Problems {
  readonly all: readonly Fault[];
  add(problem: Fault): void;
}

/** What could not be kept; each kind of problem is told once. */
function problemList(view: ProgressView): Problems {
  const all: Fault[] = [];
  const told = new Set<string>();
  return {
    all,
    add: (problem) => {
      if (problem.severity === "error") all.push(problem);
      const text = renderFault(problem);
      if (!told.has(text)) view.say(`${text}\n`);
      told.add(text);
    },
  };
}

async function keep(problems: Problems, action: () => void | Promise<void>): Promise<void> {
  try {
    await action();
  } catch (cause) {
    if (!(cause instanceof WaymarkError)) throw cause;
    for (const problem of cause.faults) problems.add(problem);
  }
}

interface Playing {
  readonly settings: RunSettings;
  readonly id: string;
  readonly newRunId: () => string;
  readonly view: ProgressView;
  readonly summed: readonly SummedScenario[];
  readonly problems: Problems;
}

async function playAll(playing: Playing): Promise<{ readonly trials: readonly Trial[]; readonly stopped: boolean }> {
  const { settings, view, summed } = playing;
  const { signal } = settings.stop;
  try {
    const deps = await depsFor(playing);
    const trials = await runDesign(settings.design, {
      jobs: settings.jobs,
      retryErrors: settings.retryErrors,
      signal,
      play: (planned, retries) => playTrial(planned, retries, deps),
      passedOf: (trial) => passedBy(trial, summed),
      isError: isErrorRun,
    });
    return { trials, stopped: signal.aborted };
  } finally {
    view.stop();
  }
}

async function depsFor({ settings, id, newRunId, view, problems }: Playing): Promise<TrialDeps> {
  const { args, scenarios, store, stop, evidence } = settings;
  const stage = await stageFor(settings, view);
  const [prepare, cleanup, selfReport, steps] = ["prepare", "cleanup", "self-report", "steps"].map((name) =>
    args.text(name),
  );
  return {
    runs: settings.runsFolder,
    batch: id,
    scenarios,
    play: stage.play,
    ...(prepare === undefined ? {} : { prepare: stage.hook("prepare", prepare) }),
    ...(cleanup === undefined ? {} : { cleanup: stage.hook("cleanup", cleanup) }),
    settle: settings.settle,
    accounting: settings.accounting,
    store,
    provenance: settings.provenance,
    versions: settings.versions,
    labels: settings.labels,
    ...(selfReport === undefined ? {} : { selfReport }),
    ...(steps === undefined ? {} : { steps }),
    evidence,
    look: lookAtState(),
    newRunId,
    now: Date.now,
    signal: stop.signal,
    onStart: view.start,
    onProgress: view.look,
    onEnd: view.end,
    onProblem: problems.add,
  };
}

type Summed = Pick<BatchFacts, "id" | "startedAt" | "design" | "aim" | "failOnFlaky" | "scenarios" | "trials"> & {
  readonly problems: Problems;
  readonly stopped: boolean;
};

function summariseBatch(
  { problems, stopped, ...facts }: Summed,
  { exitZero, stoppedWith }: { readonly exitZero: boolean; readonly stoppedWith: number | undefined },
): BatchDocument {
  const last = lastTries(facts.trials);
  const agreement = summariseAgreement(last);
  return summarise({
    ...facts,
    endedAt: new Date().toISOString(),
    hasProblems: problems.all.length > 0,
    exitZero,
    ...(stopped && stoppedWith !== undefined ? { stoppedWith } : {}),
    ...(agreement === undefined ? {} : { agreement }),
    comparisons: comparisonsOf(facts.design.cells, last, facts.scenarios),
  });
}
