import { paintFor, signOf } from "../grader/report/paint.ts";
import { asText, plural, showDuration } from "../grader/report/text.ts";
import { median } from "../grader/statistics/quantiles.ts";
import { wallTimeOf } from "../grader/trials/amounts.ts";
import type { Progress } from "../grader/trials/progress.ts";
import { outcomeOf, type SummedScenario } from "../grader/trials/summarise-runs.ts";
import type { Trial, TrialManifest } from "../grader/trials/trial.ts";
import type { Terminal } from "./terminal.ts";

/** Says how a batch goes, on stderr: a line that is drawn anew on a terminal, a line per run elsewhere. */
export interface ProgressView {
  start(manifest: TrialManifest): void;
  look(id: string, progress: () => readonly Progress[]): void;
  end(trial: Trial): void;
  /** Talk that must not run into the line. */
  say(text: string): void;
  stop(): void;
}

export interface ProgressOptions {
  readonly terminal: Terminal;
  readonly scenarios: readonly SummedScenario[];
  /** Runs of the batch, at most. */
  readonly planned: number;
  readonly jobs: number;
  readonly isQuiet: boolean;
  readonly now?: () => number;
}

interface Running {
  readonly manifest: TrialManifest;
  readonly sinceMs: number;
  look: (() => readonly Progress[]) | undefined;
}

const REDRAW_MS = 250;
const CLEAR = "\r\u001b[2K";

/** The view of a batch; with `isQuiet` it says nothing but what `say` is told. */
export function progressView(options: ProgressOptions): ProgressView {
  const { terminal, isQuiet, now = Date.now } = options;
  const running = new Map<string, Running>();
  const done: Trial[] = [];
  const isLive = terminal.errIsTerminal && !isQuiet && terminal.env["TERM"] !== "dumb";
  const columns = Math.max(40, Number(terminal.env["COLUMNS"]) || 100) - 1;
  const draw = (): void => terminal.err(`${CLEAR}${lineFor([...running.values()], done, options).slice(0, columns)}`);
  const timer = isLive ? setInterval(draw, REDRAW_MS).unref() : undefined;
  const say = (text: string): void => terminal.err(isLive ? `${CLEAR}${text}` : text);
  return {
    start: (manifest) => {
      running.set(manifest.id, { manifest, sinceMs: now(), look: undefined });
      if (isLive) draw();
    },
    look: (id, progress) => {
      const one = running.get(id);
      if (one !== undefined) one.look = progress;
    },
    end: (trial) => {
      running.delete(trial.manifest.id);
      done.push(trial);
      if (isLive) draw();
      else if (!isQuiet) say(`${endLine(trial, options)}\n`);
    },
    say,
    stop: () => {
      clearInterval(timer);
      if (isLive) terminal.err(CLEAR);
    },
  };
}

/** `checkout  [3/5]  ●●●○○  run 3 18 s  waiting for meeting_joined  about 40 s left`. */
function lineFor(running: readonly Running[], done: readonly Trial[], options: ProgressOptions): string {
  const { planned, now = Date.now } = options;
  const [first] = running;
  const begun = new Set([...running, ...done].map(({ manifest }) => manifest.index)).size;
  const progress = first?.look?.() ?? [];
  const current = progress.find(({ isDecided, waitingFor }) => !isDecided && waitingFor !== undefined) ?? progress[0];
  const parts = [
    asText(current?.scenario ?? options.scenarios[0]?.id ?? ""),
    `[${begun}/${planned}]`,
    ...(current === undefined ? [] : [lights(current)]),
    ...running.map(({ manifest, sinceMs }) => `run ${manifest.index} ${showDuration(now() - sinceMs)}`),
    ...(current?.waitingFor === undefined ? [] : [`waiting for ${asText(current.waitingFor)}`]),
    ...timeLeft(running, done, options),
  ];
  return parts.join("  ");
}

function lights({ lit, of }: Progress): string {
  return of > 20 ? `${lit}/${of} markers` : `${"●".repeat(lit)}${"○".repeat(Math.max(0, of - lit))}`;
}

/** From the median of the runs so far; with a sequential test it is what is left at most. */
function timeLeft(running: readonly Running[], done: readonly Trial[], options: ProgressOptions): readonly string[] {
  const { planned, jobs, now = Date.now } = options;
  const usual = median(done.flatMap((trial) => wallTimeOf(trial) ?? []));
  if (usual === undefined) return [];
  const begun = new Set([...running, ...done].map(({ manifest }) => manifest.index)).size;
  const underWay = running.reduce((sum, { sinceMs }) => sum + Math.max(0, usual - (now() - sinceMs)), 0);
  const leftMs = (Math.max(0, planned - begun) * usual + underWay) / jobs;
  return leftMs < 1000 ? [] : [`about ${showDuration(leftMs)} left`];
}

/** `run 3 of 5: ✗ fail 4/6 meeting_joined, 30.0 s`. */
function endLine(trial: Trial, { scenarios, planned, terminal }: ProgressOptions): string {
  const { manifest } = trial;
  const paint = paintFor(terminal.colour && terminal.errIsTerminal);
  const what = [
    `run ${manifest.index} of ${planned}`,
    ...(manifest.variant === undefined ? [] : [asText(manifest.variant)]),
    ...(manifest.task === undefined ? [] : [asText(manifest.task)]),
  ].join(", ");
  if (manifest.state === "interrupted") return `${what}: stopped, not graded`;
  const grades = scenarios.map((scenario) => {
    const { verdict, result } = outcomeOf(trial, scenario);
    if (verdict === "interrupted") return verdict;
    const reached =
      result === undefined || result.events === 0
        ? ""
        : ` ${result.found.length}/${plural(result.found.length + result.not_found.length, "marker")}`;
    const stalled = verdict === "fail" && result?.waiting_for !== undefined ? `, no ${asText(result.waiting_for)}` : "";
    const name = scenarios.length > 1 ? `${asText(scenario.id)} ` : "";
    return `${name}${signOf(verdict, paint)} ${verdict}${reached}${stalled}`;
  });
  const duration = wallTimeOf(trial);
  return `${what}: ${[...grades, ...(duration === undefined ? [] : [showDuration(duration)])].join(", ")}`;
}
