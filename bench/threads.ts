import { gradeArguments } from "./contestants.ts";
import { logFile } from "./generate.ts";
import { median, pairedRatio, shown, table } from "./numbers.ts";
import { nodeProgram, type Program, runToEnd, WAYMARK } from "./processes.ts";

/** What a second thread gives, beside what the machine could give: two processors may be two halves of one core. */
export interface ThreadsRow {
  readonly oneMs: number;
  readonly twoMs: number;
  /** Two processes of one thread each, at the same time: until the later one is through. */
  readonly twiceMs: number;
  /** Times the speed of one thread; medians over the rounds. */
  readonly toOne: number;
  /** One thread that reads what `cat` writes into a pipe, and its speed beside one that reads the file; not on Windows. */
  readonly piped?: { readonly ms: number; readonly toOne: number };
  /** The same, if two threads did twice the work in the time that two processes take. */
  readonly most: number;
}

/** Grades a sparse log by one thread, by two, from a pipe, and twice at once, in turn. */
export async function benchThreads(options: {
  readonly bytes: number;
  readonly rounds: number;
  readonly seed: number;
}): Promise<ThreadsRow> {
  const log = await logFile({ kind: "sparse", bytes: options.bytes, seed: options.seed });
  const by = (threads: number, from = log): Program =>
    nodeProgram(WAYMARK, [...gradeArguments(from, "sparse"), "--threads", String(threads)]);
  const [ones, twos, twices, pipes]: [number[], number[], number[], number[]] = [[], [], [], []];
  for (let round = 0; round < options.rounds; round++) {
    ones.push(await timeOf(by(1)));
    twos.push(await timeOf(by(2)));
    if (process.platform !== "win32") pipes.push(await timeOf(fromPipe(log, by(1, "-"))));
    twices.push(Math.max(...(await Promise.all([timeOf(by(1)), timeOf(by(1))]))));
  }
  return {
    oneMs: median(ones),
    twoMs: median(twos),
    twiceMs: median(twices),
    toOne: pairedRatio(ones, twos),
    ...(pipes.length === 0 ? {} : { piped: { ms: median(pipes), toOne: pairedRatio(ones, pipes) } }),
    most: 2 * pairedRatio(ones, twices),
  };
}

/** The program, with the file's bytes coming through a pipe. */
function fromPipe(file: string, { command, args }: Program): Program {
  return { command: "sh", args: ["-c", 'file=$1; shift; cat "$file" | "$@"', "sh", file, command, ...args] };
}

async function timeOf(program: Program): Promise<number> {
  const { wallMs, code, stderr } = await runToEnd(program);
  if (code !== 0) throw new Error(`a grade ended with ${code}:\n${stderr}`);
  return wallMs;
}

/** The figures as a table. */
export function threadsTable({ oneMs, twoMs, twiceMs, piped, toOne, most }: ThreadsRow): string {
  return table(
    ["sparse log", "ms", "x one thread"],
    [
      ["one thread", shown(oneMs, 0), "1.00"],
      ["two threads", shown(twoMs, 0), shown(toOne, 2)],
      ...(piped === undefined ? [] : [["one thread, from a pipe", shown(piped.ms, 0), shown(piped.toOne, 2)]]),
      ["two processes of one thread, both logs", shown(twiceMs, 0), shown(most, 2)],
    ],
  );
}
