import { createReadStream, statSync } from "node:fs";
import { finished } from "node:stream/promises";
import { type Contestant, contestantsFor, LOOP, RIPGREP, SPLIT2 } from "./contestants.ts";
import { type LogKind, logFile } from "./generate.ts";
import { median, pairedRatio, shown, table } from "./numbers.ts";
import { type Finished, runToEnd, withPeak } from "./processes.ts";

export interface GradeOptions {
  readonly kinds: readonly LogKind[];
  readonly bytes: number;
  readonly rounds: number;
  readonly seed: number;
}

/** How one program did on one log. */
export interface GradeRow {
  readonly kind: LogKind;
  readonly bytes: number;
  readonly program: string;
  /** Why it did not run, instead of figures. */
  readonly skipped?: string;
  /** Median wall time of the whole process, in milliseconds, and what it is in bytes. */
  readonly wallMs: number;
  readonly mbPerSecond: number;
  /** Median processor time; NaN where it is not known. */
  readonly cpuMs: number;
  /** Times the speed of the Python loop, of split2 with JSON.parse and of ripgrep: median over the rounds. */
  readonly toLoop: number;
  readonly toSplit2: number;
  readonly toRipgrep: number;
  /** As `toLoop`, by processor time, which other programs on the machine disturb less. */
  readonly toLoopCpu: number;
  readonly peakMb: number | undefined;
}

/**
 * Grades each log with each program as a whole process, in turn, `rounds` times, and compares only within a round.
 * Throws when two programs give different answers: a wrong answer has no speed. `tell` hears of each log when it is done.
 */
export async function benchGrade(
  options: GradeOptions,
  tell: (rows: readonly GradeRow[]) => void = () => {},
): Promise<GradeRow[]> {
  const rows: GradeRow[] = [];
  for (const kind of options.kinds) {
    const log = await logFile({ kind, bytes: options.bytes, seed: options.seed });
    await warm(log);
    const own = await benchLog(kind, log, options.rounds);
    tell(own);
    rows.push(...own);
  }
  return rows;
}

/** The figures as a table, with the reason under it for each program that did not run. */
export function gradeTable(rows: readonly GradeRow[]): string {
  const head = ["log", "program", "ms", "cpu ms", "MB/s", "x Python loop", "by cpu", "x split2", "x rg", "peak MB"];
  const cells = rows.map((row) => [
    `${row.kind} ${row.bytes / 1e6} MB`,
    row.program,
    shown(row.wallMs, 0),
    shown(row.cpuMs, 0),
    shown(row.mbPerSecond, 0),
    shown(row.toLoop, 2),
    shown(row.toLoopCpu, 2),
    shown(row.toSplit2, 2),
    shown(row.toRipgrep, 2),
    shown(row.peakMb, 0),
  ]);
  const skipped = new Set(
    rows.flatMap(({ program, skipped: why }) => (why === undefined ? [] : [`${program}: ${why}`])),
  );
  return table(head, cells) + [...skipped].map((line) => `skipped ${line}\n`).join("");
}

async function benchLog(kind: LogKind, log: string, rounds: number): Promise<GradeRow[]> {
  const entered = contestantsFor(kind, log);
  const walls = new Map<string, number[]>(entered.map(({ name }) => [name, []]));
  const cpus = new Map<string, number[]>(entered.map(({ name }) => [name, []]));
  const peaks = await peaksOf(entered);
  let agreed: string | undefined;
  for (let round = 0; round < rounds; round++) {
    for (const { name, program, answer } of entered) {
      if ("skipped" in program) continue;
      const run = await runToEnd(program);
      if (answer !== undefined) {
        const answered = JSON.stringify(readAnswer(name, run, answer));
        agreed ??= answered;
        if (answered !== agreed)
          throw new Error(`${name} found lines ${answered} in ${log}, another program ${agreed}`);
      }
      walls.get(name)?.push(run.wallMs);
      cpus.get(name)?.push(run.cpuMs ?? Number.NaN);
      if (run.peakMb !== undefined) peaks.set(name, run.peakMb); // of a program that tells it by itself
    }
  }
  const bytes = statSync(log).size;
  const of = (name: string): number[] => walls.get(name) ?? [];
  const cpuOf = (name: string): number[] => cpus.get(name) ?? [];
  return entered.map(({ name, program }) => ({
    kind,
    bytes,
    program: name,
    ...("skipped" in program ? { skipped: program.skipped } : {}),
    wallMs: median(of(name)),
    mbPerSecond: bytes / 1e3 / median(of(name)),
    toLoop: pairedRatio(of(LOOP), of(name)),
    toSplit2: pairedRatio(of(SPLIT2), of(name)),
    toRipgrep: pairedRatio(of(RIPGREP), of(name)),
    cpuMs: median(cpuOf(name)),
    toLoopCpu: pairedRatio(cpuOf(LOOP), cpuOf(name)),
    peakMb: peaks.get(name),
  }));
}

/** The peaks of the Node programs, by their names, each in a run of its own. */
async function peaksOf(entered: readonly Contestant[]): Promise<Map<string, number>> {
  const peaks = new Map<string, number>();
  for (const { name, program } of entered) {
    if ("skipped" in program || program.command !== process.execPath) continue;
    const { peakMb } = await runToEnd(withPeak(program));
    if (peakMb !== undefined) peaks.set(name, peakMb);
  }
  return peaks;
}

function readAnswer(name: string, run: Finished, answer: NonNullable<Contestant["answer"]>): readonly number[] {
  try {
    return answer(run);
  } catch (cause) {
    throw new Error(`${name} ended with ${run.code} and no answer:\n${run.stderr}`, { cause });
  }
}

/** Brings the log into the page cache, so that the first program is not the one that waits for the disk. */
async function warm(log: string): Promise<void> {
  await finished(createReadStream(log, { highWaterMark: 1 << 20 }).resume());
}
