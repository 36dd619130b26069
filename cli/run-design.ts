import { seatScenarios } from "../grader/panel.ts";
import type { LoadedScenario } from "../grader/scenario/load.ts";
import { gateMisfit, parseGate } from "../grader/statistics/gate.ts";
import { planSprt } from "../grader/statistics/sprt.ts";
import type { Cell, Design } from "../grader/trials/plan.ts";
import type { Aim } from "../grader/trials/summarise-group.ts";
import type { Trial } from "../grader/trials/trial.ts";
import { waymarkError } from "../proxy/record/fault.ts";
import { paramValues } from "./params.ts";
import { wholeNumber } from "./quantities.ts";
import { runsOf, shareOf } from "./run-options.ts";
import { readTasks, type Task } from "./run-tasks.ts";
import { shellWords } from "./shell-words.ts";
import type { Arguments } from "./verb.ts";

export interface RunPlan {
  readonly design: Design;
  readonly aim: Aim;
}

/**
 * What a command line asks to be run: the cells (variants by tasks), how often, and what they have to reach. Throws a
 * WaymarkError for every combination that makes no sense. `again` are runs whose commands are to be run anew.
 */
export function planRun(args: Arguments, again: readonly Trial[] | undefined): RunPlan {
  const cells = again === undefined ? cellsOf(args) : cellsAgain(args, again);
  return args.flag("until-sure") === true ? sequential(args, cells) : fixed(args, cells);
}

function fixed(args: Arguments, cells: readonly Cell[]): RunPlan {
  const stray = ["p0", "p1", "alpha", "beta", "max"].find((name) => args.isGiven(name));
  if (stray !== undefined) throw waymarkError("WM_USAGE", `--${stray} belongs to --until-sure`);
  const runs = runsOf(args);
  const parsed = parseGate(args.text("gate") ?? "all");
  const why = parsed.ok ? gateMisfit(parsed.gate, runs) : parsed.why;
  if (!parsed.ok || why !== undefined) throw waymarkError("WM_USAGE_GATE", why ?? "");
  return { design: { kind: "fixed", cells, runs }, aim: { kind: "gate", gate: parsed.gate } };
}

function sequential(args: Arguments, cells: readonly Cell[]): RunPlan {
  for (const [name, instead] of [
    ["gate", "the test takes the gate's place"],
    ["runs", "say --max for the most runs"],
  ] as const) {
    // What the configuration says of one gives way to the other, when that stands on the command line.
    if (args.isGiven(name) || (!args.isGiven("until-sure") && args.text(name) !== undefined))
      throw waymarkError("WM_USAGE", `--${name} and --until-sure exclude each other: ${instead}`);
  }
  const max = args.text("max");
  const shares = (["p0", "p1", "alpha", "beta"] as const).flatMap((name) => {
    const text = args.text(name);
    return text === undefined ? [] : [[name, shareOf(name, text)] as const];
  });
  const planned = planSprt({
    ...Object.fromEntries(shares),
    ...(max === undefined ? {} : { maximum: wholeNumber("max", max, { min: 1, max: 100_000 }) }),
  });
  if (!planned.ok) throw waymarkError("WM_USAGE", `--until-sure: ${planned.why}`);
  const { plan } = planned;
  return { design: { kind: "sequential", cells, sprt: plan }, aim: { kind: "sprt", plan } };
}

/** Each variant does each task; the variants of a task follow each other, so that they take turns. */
function cellsOf(args: Arguments): readonly Cell[] {
  const params = paramValues(args.list("param"));
  const tasks = tasksOf(args);
  return tasks.flatMap((task) => commandsOf(args).map((command) => cellFor(command, task, params)));
}

interface Command {
  readonly variant?: string;
  readonly command: readonly string[];
}

function cellFor({ variant, command }: Command, task: Task | undefined, params: ReadonlyMap<string, string>): Cell {
  return {
    ...(variant === undefined ? {} : { variant }),
    ...(task === undefined ? {} : { task: task.name }),
    command: [...command, ...(task?.args ?? [])],
    env: task?.env ?? {},
    params: new Map([...params, ...(task?.params ?? [])]),
  };
}

function tasksOf(args: Arguments): readonly (Task | undefined)[] {
  const file = args.text("task");
  return file === undefined ? [undefined] : readTasks(file);
}

function commandsOf(args: Arguments): readonly Command[] {
  const variants = args.command.length > 0 && !args.isGiven("variant") ? [] : args.list("variant");
  if (variants.length === 0) {
    const command = args.usualCommand();
    if (command.length > 0) return [{ command }];
    throw waymarkError("WM_USAGE", "waymark run needs a command behind --, or --variant NAME=CMD", {
      fix: "Write it like `waymark run -n 5 -- node agent.js`, or `command: node agent.js` in waymark.config.yaml.",
    });
  }
  if (args.command.length > 0) {
    throw waymarkError("WM_USAGE", "a command behind -- and --variant exclude each other: name both as variants");
  }
  const named = [...variants.map(variantOf)];
  const twin = named.find(({ variant }, index) => named.findIndex((one) => one.variant === variant) < index);
  if (twin !== undefined) throw waymarkError("WM_USAGE_VARIANT", `two variants are named "${twin.variant}"`);
  return named;
}

function variantOf(text: string): Command & { readonly variant: string } {
  const at = text.indexOf("=");
  if (at < 1) throw waymarkError("WM_USAGE_VARIANT", `--variant got "${text}", which is not NAME=CMD`);
  const variant = text.slice(0, at).trim();
  const split = shellWords(text.slice(at + 1));
  if (!split.ok)
    throw waymarkError(
      "WM_USAGE_VARIANT",
      `--variant ${variant}: its command cannot be split into words: ${split.why}`,
    );
  if (split.words.length === 0) throw waymarkError("WM_USAGE_VARIANT", `--variant ${variant} has no command`);
  return { variant, command: split.words };
}

/** The commands of the runs that did not pass, each once. A task's variables are not kept, so its file is asked for. */
function cellsAgain(args: Arguments, trials: readonly Trial[]): readonly Cell[] {
  if (args.command.length > 0 || args.isGiven("variant")) {
    throw waymarkError("WM_USAGE", "--again takes the command of the runs it names; leave out -- and --variant");
  }
  const params = paramValues(args.list("param"));
  const tasks = tasksOf(args);
  const cells = new Map<string, Cell>();
  for (const { manifest } of trials.filter(didNotPass)) {
    const { variant, task: name, command } = manifest;
    const task = name === undefined ? undefined : tasks.find((one) => one?.name === name);
    if (name !== undefined && task === undefined) {
      throw waymarkError("WM_USAGE", `run ${manifest.id} did the task "${name}", whose variables are not kept`, {
        fix: "Give the file of tasks again with --task.",
      });
    }
    if (command.length === 0) throw waymarkError("WM_USAGE", `the command of run ${manifest.id} is not known`);
    const key = JSON.stringify([variant, name, command]);
    const cell = cellFor({ ...(variant === undefined ? {} : { variant }), command }, task, params);
    cells.set(key, { ...cell, command });
  }
  if (cells.size > 0) return [...cells.values()];
  throw waymarkError("WM_RUN_NOT_FOUND", `none of the runs that --again ${args.text("again")} names failed`, {
    fix: "Name runs that failed, such as latest-failed.",
  });
}

function didNotPass({ results }: Trial): boolean {
  return results.length === 0 || results.some(({ verdict }) => verdict !== "pass");
}

/** Refuses, before anything is started, scenarios that could not be graded with the parameters of a cell. */
export function refuseUngradable(scenarios: readonly LoadedScenario[], cells: readonly Cell[]): void {
  if (scenarios.length === 0) throw waymarkError("WM_SCENARIO_NOT_FOUND", "no scenario to grade with");
  const known = new Set(scenarios.flatMap(({ scenario }) => scenario.params.map(({ name }) => name)));
  for (const { params, task } of cells) {
    const strange = [...params.keys()].find((name) => !known.has(name));
    if (strange !== undefined) {
      const whose = task === undefined ? "" : ` (task "${task}")`;
      throw waymarkError("WM_USAGE_PARAM", `no scenario has a parameter "${strange}"${whose}`);
    }
    const wrong = seatScenarios(scenarios, params).find(({ error }) => error !== undefined);
    if (wrong !== undefined) throw wrong.error;
  }
}
