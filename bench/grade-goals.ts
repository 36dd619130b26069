import { EXACT, FAST, ONE_THREAD } from "./contestants.ts";
import type { BenchResults } from "./floors.ts";
import type { LogKind } from "./generate.ts";
import { type Goal, goalsTable } from "./goals.ts";
import type { GradeRow } from "./grade.ts";

interface GradeGoal extends Goal {
  /** Undefined when what it is about did not run. */
  measured(results: BenchResults): number | undefined;
}

const exact = (kind: LogKind, figure: (row: GradeRow) => number | undefined) => of(kind, EXACT, figure);

/** A figure of one program on one kind of log; undefined when that was not graded. */
function of(kind: LogKind, program: string, figure: (row: GradeRow) => number | undefined) {
  return ({ grade = [] }: BenchResults): number | undefined => {
    const row = grade.find((one) => one.kind === kind && one.program === program);
    return row === undefined ? undefined : (figure(row) ?? Number.NaN);
  };
}

/** Times the processor time of DuckDB, which is a program of its own in the table. */
function toDuckdb(program: string) {
  return ({ grade = [] }: BenchResults): number | undefined => {
    const cpuOf = (name: string): number | undefined =>
      grade.find((one) => one.kind === "sparse" && one.program.startsWith(name))?.cpuMs;
    const [ours, theirs] = [cpuOf(program), cpuOf("DuckDB")];
    return ours === undefined || theirs === undefined ? undefined : theirs / ours;
  };
}

/** What a whole process is to reach on 1 GB. Escapes that could hide a name leave every line to be parsed. */
const EVERY_KIND: readonly [LogKind, number][] = [
  ["dense", 10],
  ["never", 10],
  ["literal", 10],
  ["escaped", 10],
  ["tiny", 10],
  ["long", 6],
];

const GOALS: readonly GradeGoal[] = [
  { what: "sparse, x Python loop", atLeast: 10, measured: exact("sparse", ({ toLoop }) => toLoop) },
  { what: "sparse, x split2 + JSON.parse", atLeast: 8, measured: exact("sparse", ({ toSplit2 }) => toSplit2) },
  { what: "sparse, x DuckDB by processor time", atLeast: 2, measured: toDuckdb(EXACT) },
  { what: "  the same by one thread", atLeast: 2, measured: toDuckdb(ONE_THREAD) },
  { what: "two threads, x one", atLeast: 1.4, measured: ({ threads }) => threads?.toOne },
  { what: "--fast, x Python loop", atLeast: 30, measured: of("sparse", FAST, ({ toLoop }) => toLoop) },
  { what: "--fast, of ripgrep's speed", atLeast: 0.65, measured: of("sparse", FAST, ({ toRipgrep }) => toRipgrep) },
  ...EVERY_KIND.map(([kind, atLeast]): GradeGoal => {
    return { what: `${kind}, x Python loop`, atLeast, measured: exact(kind, ({ toLoop }) => toLoop) };
  }),
  { what: "hidden, x split2 + JSON.parse", atLeast: 1, measured: exact("hidden", ({ toSplit2 }) => toSplit2) },
  {
    what: "100 scenarios, of the speed of one",
    atLeast: 0.65,
    measured: ({ scale }) => scale?.find(({ what, count }) => what === "scenarios" && count === 100)?.ofOne,
  },
  { what: "sparse, peak MB", below: 80, measured: exact("sparse", ({ peakMb }) => peakMb) },
  { what: "tiny, peak MB", below: 80, measured: exact("tiny", ({ peakMb }) => peakMb) },
  { what: "followed log, p99 ms", below: 10, measured: ({ tail }) => tail?.p99Ms },
  {
    what: "1 MB, start to verdict, ms",
    below: 150,
    measured: ({ start }) => start?.find(({ program }) => program.startsWith("waymark"))?.wallMs,
  },
];

/** Each goal beside what was measured of it; goals of what did not run are left out. */
export function gradeGoals(results: BenchResults): string {
  const rows = GOALS.flatMap((goal): [Goal, number][] => {
    const measured = goal.measured(results);
    return measured === undefined ? [] : [[goal, measured]];
  });
  return goalsTable(rows);
}
