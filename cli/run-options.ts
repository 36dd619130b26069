import type { Provenance } from "../grader/store/store.ts";
import { DEFAULT_SETTLE, type SettleRule } from "../grader/trials/settle.ts";
import { waymarkError } from "../proxy/record/fault.ts";
import { didYouMean } from "../proxy/record/near.ts";
import { DEFAULT_DB, SCENARIO_OPTIONS } from "./defaults.ts";
import { FORMAT_OPTIONS } from "./own-formats.ts";
import { SCOPE_OPTIONS } from "./proxy.ts";
import { durationMs, wholeNumber } from "./quantities.ts";
import type { Arguments, OptionSpec } from "./verb.ts";

export const DEFAULT_DIR = ".waymark";
const MOST_RUNS = 100_000;
const MOST_JOBS = 64;

export const RUN_OPTIONS: Readonly<Record<string, OptionSpec>> = {
  runs: { kind: "text", alias: "n", value: "N", describe: "how many runs of each command", defaultText: "5" },
  gate: {
    kind: "text",
    value: "GATE",
    describe: "what the runs must reach: all, any, 4/5, 80% (observed) or lower:60% (lower end of the interval)",
    defaultText: "all",
  },
  "until-sure": {
    kind: "flag",
    describe: "instead of a number of runs: go on until a sequential test is settled, at most --max runs",
  },
  p0: { kind: "text", value: "RATE", describe: "with --until-sure: a pass rate that is bad", defaultText: "0.5" },
  p1: { kind: "text", value: "RATE", describe: "with --until-sure: a pass rate that is good", defaultText: "0.9" },
  alpha: { kind: "text", value: "P", describe: "allowed risk to take a bad one for good", defaultText: "0.05" },
  beta: { kind: "text", value: "P", describe: "allowed risk to take a good one for bad", defaultText: "0.05" },
  max: { kind: "text", value: "N", describe: "with --until-sure: at most so many runs", defaultText: "20" },
  ...SCENARIO_OPTIONS,
  param: { kind: "list", value: "NAME=VALUE", describe: "a scenario's parameter" },
  variant: {
    kind: "list",
    value: "NAME=CMD",
    describe: "one of several commands, run in turns (A, B, A, B...); in place of the command behind --",
  },
  task: {
    kind: "text",
    value: "FILE",
    describe: "YAML or JSON list of tasks (name, params, env, args); each variant does each",
  },
  again: { kind: "text", value: "RUN", describe: "run again what failed: latest-failed, batch:ID, a run's id..." },
  jobs: { kind: "text", value: "N", describe: "so many runs at a time", defaultText: "1" },
  prepare: { kind: "text", value: "CMD", describe: "run through the shell before each run; a failure is an error" },
  cleanup: { kind: "text", value: "CMD", describe: "run through the shell after each run, whatever became of it" },
  timeout: {
    kind: "text",
    value: "DURATION",
    describe: "stop a run after so long, and grade what came",
    defaultText: "5m",
  },
  settle: {
    kind: "text",
    value: "RULE",
    describe: "how long to wait for late events when the command has ended",
    defaultText: "idle=2s,max=15s",
  },
  "retry-errors": {
    kind: "text",
    value: "N",
    describe: "try a run again that failed itself (no launch, no telemetry); never one that was graded",
    defaultText: "0",
  },
  "self-report": { kind: "text", value: "FILE", describe: "where the agent says whether it is done; never decides" },
  steps: { kind: "text", value: "FILE", describe: "where the agent logs its steps (NDJSON), with cost and tokens" },
  prices: { kind: "text", value: "FILE", describe: "prices of models, for costs from captured LLM calls" },
  version: { kind: "list", value: "ELEMENT=VERSION", describe: "what the runs run with, such as model=m-7" },
  label: { kind: "list", value: "NAME", describe: "hang a label on each run" },
  provenance: { kind: "text", value: "KIND", describe: "live, replay or simulated", defaultText: "live" },
  evidence: {
    kind: "text",
    value: "WHEN",
    describe: "record video and screenshots: on, off, on-fail",
    defaultText: "on",
  },
  ...SCOPE_OPTIONS,
  ...FORMAT_OPTIONS,
  db: { kind: "text", value: "FILE", describe: "where results are kept", defaultText: DEFAULT_DB },
  dir: { kind: "text", value: "DIR", describe: "where the runs' folders are made", defaultText: DEFAULT_DIR },
  "fail-on-flaky": {
    kind: "flag",
    describe: "the gate is not met when runs passed and failed in turn, or passed only after an error was tried again",
  },
  "exit-zero": { kind: "flag", describe: "end with 0 also when the gate is not met, for jobs that only report" },
};

/** `idle=2s,max=15s`, or the idle time alone. Throws WM_USAGE and WM_USAGE_DURATION. */
export function settleRule(text: string | undefined): SettleRule {
  if (text === undefined) return DEFAULT_SETTLE;
  let { idleMs, maxMs } = DEFAULT_SETTLE;
  for (const part of text.split(",")) {
    const [, key = "idle", value = ""] = /^\s*(?:(idle|max)\s*=)?\s*(.*?)\s*$/.exec(part) ?? [];
    if (key === "idle") idleMs = durationMs("settle", value);
    else maxMs = durationMs("settle", value);
    if (part === text) maxMs = Math.max(maxMs, idleMs);
  }
  if (maxMs >= idleMs) return { idleMs, maxMs };
  throw waymarkError("WM_USAGE", `--settle got "${text}"; its max is shorter than its idle time`);
}

export function runsOf(args: Arguments): number {
  return wholeNumber("runs", args.text("runs") ?? "5", { min: 1, max: MOST_RUNS });
}

export function jobsOf(args: Arguments): number {
  return wholeNumber("jobs", args.text("jobs") ?? "1", { min: 1, max: MOST_JOBS });
}

export function retriesOf(args: Arguments): number {
  return wholeNumber("retry-errors", args.text("retry-errors") ?? "0", { min: 0, max: 100 });
}

/** Longest time a timer can be set for. */
const MOST_MS = 2 ** 31 - 1;

export function timeoutMs(args: Arguments): number {
  const text = args.text("timeout") ?? "5m";
  const ms = durationMs("timeout", text);
  if (ms > 0 && ms <= MOST_MS) return ms;
  throw waymarkError("WM_USAGE_DURATION", `--timeout got "${text}"; it takes a time above zero, at most 24 days`);
}

/** A share as `0.9` or `90%`. */
export function shareOf(option: string, text: string): number {
  const [, number = "", percent] = /^([0-9]*\.?[0-9]+)(%)?$/.exec(text.trim()) ?? [];
  const value = number === "" ? Number.NaN : Number(number) / (percent === undefined ? 1 : 100);
  if (Number.isFinite(value)) return value;
  throw waymarkError("WM_USAGE_NOT_A_NUMBER", `--${option} got "${text}"; it takes a share`, {
    fix: "Write it like 0.9 or 90%.",
  });
}

const PROVENANCES: readonly Provenance[] = ["live", "replay", "simulated"];

export function provenanceOf(args: Arguments): Provenance {
  return oneOf("provenance", args.text("provenance") ?? "live", PROVENANCES);
}

function oneOf<T extends string>(option: string, text: string, known: readonly T[]): T {
  const found = known.find((one) => one === text);
  if (found !== undefined) return found;
  throw waymarkError("WM_USAGE", `--${option} got "${text}"${didYouMean(text, known)}`, {
    fix: `Known: ${known.join(", ")}.`,
  });
}
