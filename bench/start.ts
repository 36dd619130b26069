import { contestGrade } from "./contestants.ts";
import { logFile } from "./generate.ts";
import { median, pairedRatio, shown, table } from "./numbers.ts";
import { type Program, runToEnd } from "./processes.ts";

/** How long `waymark grade` takes on a log so small that its own start is most of it. */
export interface StartRow {
  readonly program: string;
  readonly wallMs: number;
  readonly cpuMs: number;
  /** Times what a bare Node takes: median over the rounds, by wall and by processor time (by wall where that is not known). */
  readonly toBare: number;
  readonly toBareCpu: number;
}

const BARE: Program = { command: process.execPath, args: ["-e", "0"] };
const START_ROUNDS = 9;

/** Starts a bare Node and a grade of 1 MB, from start to verdict, in turn. Throws when one does not pass. */
export async function benchStart(seed: number): Promise<StartRow[]> {
  const log = await logFile({ kind: "sparse", bytes: 1e6, seed });
  const entered = [
    { program: "node -e 0", start: BARE, walls: [] as number[], cpus: [] as number[] },
    { program: "waymark grade, 1 MB", start: contestGrade(log), walls: [] as number[], cpus: [] as number[] },
  ];
  for (let round = 0; round < START_ROUNDS; round++) {
    for (const { program, start, walls, cpus } of entered) {
      const run = await runToEnd(start);
      if (run.code !== 0) throw new Error(`${program} ended with ${run.code}:\n${run.stderr}`);
      walls.push(run.wallMs);
      cpus.push(run.cpuMs ?? run.wallMs);
    }
  }
  const bare = entered[0];
  return entered.map(({ program, walls, cpus }) => ({
    program,
    wallMs: median(walls),
    cpuMs: median(cpus),
    toBare: pairedRatio(walls, bare?.walls ?? []),
    toBareCpu: pairedRatio(cpus, bare?.cpus ?? []),
  }));
}

/** The figures as a table. */
export function startTable(rows: readonly StartRow[]): string {
  const cells = rows.map(({ program, wallMs, cpuMs, toBare, toBareCpu }) => [
    program,
    shown(wallMs, 0),
    shown(cpuMs, 0),
    shown(toBare, 2),
    shown(toBareCpu, 2),
  ]);
  return table(["start to verdict", "ms", "cpu ms", "x bare Node", "by cpu"], cells);
}
