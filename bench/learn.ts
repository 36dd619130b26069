import { seededRandom } from "../examples/chat/random.ts";
import { learnRuns } from "../grader/learn/learn.ts";
import type { LearnOptions } from "../grader/learn/model.ts";
import { createPredictor } from "../grader/learn/predict.ts";
import { type ClusteredRate, pooledRate } from "../grader/statistics/clustered.ts";
import type { Counts } from "../grader/statistics/counts.ts";
import { type LabelledRun, type RunSet, readSets } from "./run-sets.ts";
import { supersetMatch } from "./superset.ts";

export interface LearnBenchOrder {
  readonly sets: string;
  /** How many good runs are learned from: for every set, or for those whose name begins so (`hdfs=10`). */
  readonly k: readonly string[];
  /** Beginnings of the names of the sets to take; all when empty or absent. */
  readonly only?: readonly string[];
  readonly draws: number;
  readonly seed: number;
  /** Beginnings of names of sets whose log is machine-made; the learner's own guess for the others. */
  readonly closedWorld: readonly string[];
}

/** How one way of grading did on one set. */
export interface LearnRow {
  readonly set: string;
  readonly k: number;
  readonly way: string;
  /** Runs graded in one draw, and tasks they belong to. */
  readonly runs: number;
  readonly tasks: number;
  readonly accuracy: ClusteredRate | undefined;
  readonly precision: number;
  readonly recall: number;
  readonly f1: number;
  /** Share of failed runs that were failed. */
  readonly caught: ClusteredRate | undefined;
  /** Share of failed runs that were passed: what matters most. */
  readonly falsePasses: number;
  /** Runs learned from that the scenario fails, over all draws; nothing else than 0 is right. */
  readonly ownFailed?: number;
}

const WAYS = ["learned", "superset match", "self-report", "always-pass"] as const;
type Way = (typeof WAYS)[number];

/** Per way and task: true passes and so on, over all draws. */
type Tally = Map<Way, Map<string, { tp: number; fp: number; fn: number; tn: number }>>;

/** Learns from random good runs of each task and grades the task's other runs, `draws` times per set; shows a table per set. */
export function benchLearn(order: LearnBenchOrder, show: (table: string) => void): readonly LearnRow[] {
  const { only = [] } = order;
  const isWanted = ({ name }: RunSet): boolean => only.length === 0 || only.some((start) => name.startsWith(start));
  return readSets(order.sets)
    .filter(isWanted)
    .flatMap((set) =>
      countsFor(set, order).flatMap((k) => {
        const rows = benchSet(set, k, order);
        show(learnTable(rows));
        return rows;
      }),
    );
}

function benchSet(set: RunSet, k: number, order: LearnBenchOrder): readonly LearnRow[] {
  const tally: Tally = new Map(WAYS.map((way) => [way, new Map()]));
  const isMachine = order.closedWorld.some((name) => set.name.startsWith(name));
  const options: LearnOptions = isMachine ? { closedWorld: true } : {};
  let ownFailed = 0;
  for (let draw = 0; draw < order.draws; draw++) {
    const random = seededRandom([order.seed, draw]);
    for (const runs of tasksOf(set, k)) {
      const good = drawGood(
        runs.filter(({ success }) => success),
        k,
        random,
      );
      ownFailed += gradeTask({ good, others: runs.filter((run) => !good.includes(run)) }, { tally, options });
    }
  }
  return WAYS.map((way) => rowOf(way, { set, k, tally, draws: order.draws, ownFailed }));
}

interface Task {
  readonly good: readonly LabelledRun[];
  readonly others: readonly LabelledRun[];
}

/** Grades one task's runs in every way; how many of the runs learned from the learned scenario fails. */
function gradeTask({ good, others }: Task, { tally, options }: { tally: Tally; options: LearnOptions }): number {
  const predictor = createPredictor(learnRuns(good, "learned", options).text);
  const isSuperset = supersetMatch(good);
  const ways: Readonly<Record<Way, (run: LabelledRun) => boolean>> = {
    learned: (run) => predictor.grade(run).verdict === "pass",
    "superset match": isSuperset,
    "self-report": ({ selfReport }) => selfReport !== false,
    "always-pass": () => true,
  };
  for (const run of others) {
    for (const way of WAYS) count(tally, way, { run, passed: ways[way](run) });
  }
  return good.filter((run) => !ways.learned(run)).length;
}

function count(tally: Tally, way: Way, { run, passed }: { run: LabelledRun; passed: boolean }): void {
  const tasks = tally.get(way);
  const own = tasks?.get(run.task) ?? { tp: 0, fp: 0, fn: 0, tn: 0 };
  own[passed ? (run.success ? "tp" : "fp") : run.success ? "fn" : "tn"] += 1;
  tasks?.set(run.task, own);
}

/** The runs of each task that has enough good ones and another run. */
function tasksOf({ runs }: RunSet, k: number): readonly (readonly LabelledRun[])[] {
  const tasks = new Map<string, LabelledRun[]>();
  for (const run of runs) {
    const own = tasks.get(run.task);
    if (own === undefined) tasks.set(run.task, [run]);
    else own.push(run);
  }
  return [...tasks.values()].filter((own) => own.length > k && own.filter(({ success }) => success).length >= k);
}

function drawGood(
  good: readonly LabelledRun[],
  k: number,
  random: { below(limit: number): number },
): readonly LabelledRun[] {
  const left = [...good];
  return Array.from({ length: k }, () => left.splice(random.below(left.length), 1)).flat();
}

const MANY = 10;
const FEW_FAILED = 5;

/** As asked; else 10 for a set that is one task, and of 3 and 2 the first that leaves five failed runs to be caught. */
function countsFor(set: RunSet, { k }: LearnBenchOrder): readonly number[] {
  const named = k.flatMap((text) => {
    const [name = "", number = ""] = text.includes("=") ? text.split("=") : ["", text];
    return set.name.startsWith(name) ? [{ name, number: Number(number) }] : [];
  });
  const longest = Math.max(-1, ...named.map(({ name }) => name.length));
  const asked = named.filter(({ name }) => name.length === longest).map(({ number }) => number);
  if (asked.length > 0) return asked;
  if (new Set(set.runs.map(({ task }) => task)).size === 1) return [MANY];
  const failed = (size: number): number =>
    tasksOf(set, size)
      .flat()
      .filter(({ success }) => !success).length;
  return [failed(3) >= FEW_FAILED ? 3 : 2];
}

interface Counted {
  readonly set: RunSet;
  readonly k: number;
  readonly tally: Tally;
  readonly draws: number;
  readonly ownFailed: number;
}

function rowOf(way: Way, { set, k, tally, draws, ownFailed }: Counted): LearnRow {
  const tasks = [...(tally.get(way)?.values() ?? [])];
  const sum = (key: "tp" | "fp" | "fn" | "tn"): number => tasks.reduce((total, task) => total + task[key], 0);
  const [tp, fp, fn, tn] = [sum("tp"), sum("fp"), sum("fn"), sum("tn")];
  const rate = (counts: readonly Counts[]): ClusteredRate | undefined => pooledRate(counts);
  return {
    set: set.name,
    k,
    way,
    runs: (tp + fp + fn + tn) / draws,
    tasks: tasks.length,
    accuracy: rate(tasks.map((task) => ({ passed: task.tp + task.tn, runs: task.tp + task.tn + task.fp + task.fn }))),
    precision: tp / (tp + fp),
    recall: tp / (tp + fn),
    f1: (2 * tp) / (2 * tp + fp + fn),
    caught: rate(tasks.map((task) => ({ passed: task.tn, runs: task.tn + task.fp }))),
    falsePasses: fp / (fp + tn),
    ...(way === "learned" ? { ownFailed } : {}),
  };
}

/** The rows as a table for people. */
export function learnTable(rows: readonly LearnRow[]): string {
  const head = [
    "set",
    "k",
    "way",
    "runs",
    "tasks",
    "accuracy",
    "95 %",
    "precision",
    "recall",
    "F1",
    "caught",
    "95 %",
    "false passes",
  ];
  const body = rows.map((row) => [
    row.set,
    String(row.k),
    row.way + ((row.ownFailed ?? 0) > 0 ? ` (fails ${row.ownFailed} of its own)` : ""),
    String(Math.round(row.runs)),
    String(row.tasks),
    share(row.accuracy?.estimate),
    span(row.accuracy),
    share(row.precision),
    share(row.recall),
    share(row.f1),
    share(row.caught?.estimate),
    span(row.caught),
    share(row.falsePasses),
  ]);
  const widths = head.map((title, column) =>
    Math.max(title.length, ...body.map((cells) => cells[column]?.length ?? 0)),
  );
  return [head, ...body]
    .map(
      (cells) =>
        `${cells
          .map((cell, column) => cell.padEnd(widths[column] ?? 0))
          .join("  ")
          .trimEnd()}\n`,
    )
    .join("");
}

function share(value: number | undefined): string {
  return value === undefined || Number.isNaN(value) ? "-" : value.toFixed(3);
}

function span(rate: ClusteredRate | undefined): string {
  return rate?.interval === undefined ? "-" : `${rate.interval.low.toFixed(2)}-${rate.interval.high.toFixed(2)}`;
}
