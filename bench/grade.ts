import { createReadStream, mkdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { finished } from "node:stream/promises";
import { benchFolder, type LogKind, logFile } from "./generate.ts";
import { markersJson, scenarioYaml } from "./markers.ts";
import { median, pairedRatio, shown, table } from "./numbers.ts";
import {
  benchScript,
  type Finished,
  fileFromRoot,
  findPython,
  nodeProgram,
  type Program,
  runToEnd,
  WAYMARK,
} from "./processes.ts";

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
  /** Times the speed of the Python loop and of split2 with JSON.parse: median over the rounds. */
  readonly toLoop: number;
  readonly toSplit2: number;
  readonly peakMb: number | undefined;
}

/**
 * Grades each log with each program as a whole process, in turn, `rounds` times, and compares only within a round.
 * Throws when two programs give different answers: a wrong answer has no speed.
 */
export async function benchGrade(options: GradeOptions): Promise<GradeRow[]> {
  const rows: GradeRow[] = [];
  for (const kind of options.kinds) {
    const log = await logFile({ kind, bytes: options.bytes, seed: options.seed });
    await warm(log);
    rows.push(...(await benchLog(kind, log, options.rounds)));
  }
  return rows;
}

/** The figures as a table, with the reason under it for each program that did not run. */
export function gradeTable(rows: readonly GradeRow[]): string {
  const head = ["log", "program", "ms", "MB/s", "x Python loop", "x split2", "peak MB"];
  const cells = rows.map((row) => [
    `${row.kind} ${row.bytes / 1e6} MB`,
    row.program,
    shown(row.wallMs, 0),
    shown(row.mbPerSecond, 0),
    shown(row.toLoop, 2),
    shown(row.toSplit2, 2),
    shown(row.peakMb, 0),
  ]);
  const skipped = new Set(
    rows.flatMap(({ program, skipped: why }) => (why === undefined ? [] : [`${program}: ${why}`])),
  );
  return table(head, cells) + [...skipped].map((line) => `skipped ${line}\n`).join("");
}

interface Contestant {
  readonly name: string;
  readonly program: Program | { readonly skipped: string };
  /** The line indices, from 0, that the program says the markers stand at. */
  readonly answer: (run: Finished) => readonly number[];
}

/** Arguments of `waymark grade` for one log and the bench's scenario. */
export function gradeArguments(log: string, kind: LogKind): string[] {
  const folder = join(benchFolder(), kind === "long" ? "markers-long" : "markers");
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "bench_five.yaml"), scenarioYaml("bench_five", kind === "long" ? 2 ** 31 : undefined));
  return ["grade", log, "--scenario", "bench_five", "--markers", folder, "--no-store", "--json"];
}

function contestants(kind: LogKind, log: string): Contestant[] {
  const markers = join(benchFolder(), "markers.json");
  writeFileSync(markers, markersJson());
  const python = findPython();
  const loop = fileFromRoot("bench/peers/loop.py");
  const grade = gradeArguments(log, kind);
  return [
    {
      name: LOOP,
      program: python === undefined ? { skipped: "no python3 here" } : { command: python, args: [loop, log, markers] },
      answer: (run) => (JSON.parse(run.stdout) as { found: number[] }).found,
    },
    {
      name: SPLIT2,
      program: nodeProgram(benchScript("peers/split2-loop.js"), [log, markers]),
      answer: (run) => (JSON.parse(run.stdout) as { found: number[] }).found,
    },
    { name: "waymark grade", program: nodeProgram(WAYMARK, grade), answer: waymarkAnswer },
    { name: "waymark grade --fast", program: nodeProgram(WAYMARK, [...grade, "--fast"]), answer: waymarkAnswer },
  ];
}

const LOOP = "Python loop";
const SPLIT2 = "split2 + JSON.parse";

function waymarkAnswer({ stdout }: Finished): readonly number[] {
  const document = JSON.parse(stdout) as { results: { match_indices: number[] }[] };
  return document.results[0]?.match_indices ?? [];
}

async function benchLog(kind: LogKind, log: string, rounds: number): Promise<GradeRow[]> {
  const entered = contestants(kind, log);
  const walls = new Map<string, number[]>(entered.map(({ name }) => [name, []]));
  const peaks = new Map<string, number>();
  let agreed: string | undefined;
  for (let round = 0; round < rounds; round++) {
    for (const { name, program, answer } of entered) {
      if ("skipped" in program) continue;
      const run = await runToEnd(program);
      const answered = JSON.stringify(readAnswer(name, run, answer));
      agreed ??= answered;
      if (answered !== agreed) throw new Error(`${name} found lines ${answered} in ${log}, another program ${agreed}`);
      walls.get(name)?.push(run.wallMs);
      if (run.peakMb !== undefined) peaks.set(name, Math.max(peaks.get(name) ?? 0, run.peakMb));
    }
  }
  const bytes = statSync(log).size;
  const of = (name: string): number[] => walls.get(name) ?? [];
  return entered.map(({ name, program }) => ({
    kind,
    bytes,
    program: name,
    ...("skipped" in program ? { skipped: program.skipped } : {}),
    wallMs: median(of(name)),
    mbPerSecond: bytes / 1e3 / median(of(name)),
    toLoop: pairedRatio(of(LOOP), of(name)),
    toSplit2: pairedRatio(of(SPLIT2), of(name)),
    peakMb: peaks.get(name),
  }));
}

function readAnswer(name: string, run: Finished, answer: Contestant["answer"]): readonly number[] {
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
