import { gradeArguments } from "./contestants.ts";
import { logFile } from "./generate.ts";
import { type Goal, goalsTable } from "./goals.ts";
import { median, shown, table } from "./numbers.ts";
import { nodeProgram, runToEnd, WAYMARK, withPeak } from "./processes.ts";

/** Peak memory of `waymark grade` on a log, with the heap limited. */
export interface MemoryRow {
  readonly bytes: number;
  readonly threads: number;
  /** The median of the rounds; undefined where the system does not tell. */
  readonly peakMb: number | undefined;
  /** Of the peak on the smallest log, by as many threads. */
  readonly ofSmallest: number | undefined;
}

export const HEAP_LIMIT_MB = 256;

/** Which logs, by how many threads each, and how often. */
export interface MemoryOptions {
  readonly seed: number;
  readonly sizes: readonly number[];
  readonly threads: readonly number[];
  readonly rounds: number;
}

/** A quick pass leaves out the log of 4 GB, which takes two minutes to write, and threads. */
export function memoryOptions(seed: number, isQuick: boolean): MemoryOptions {
  return isQuick
    ? { seed, sizes: [1e8, 1e9], threads: [1], rounds: 1 }
    : { seed, sizes: [1e8, 1e9, 4e9], threads: [1, 2], rounds: 5 };
}

/**
 * Grades logs of each size, smallest first, in processes with a heap of at most 256 MB, the sizes in turn in each round. By
 * the same number of threads each, as a second one has a price of its own, whatever the size. Throws when one does not pass.
 */
export async function benchMemory({ seed, sizes, threads, rounds }: MemoryOptions): Promise<MemoryRow[]> {
  const logs = new Map<number, string>();
  for (const bytes of sizes) logs.set(bytes, await logFile({ kind: "sparse", bytes, seed }));
  const rows: MemoryRow[] = [];
  for (const count of threads) {
    const peaks = new Map<number, (number | undefined)[]>(sizes.map((bytes) => [bytes, []]));
    for (let round = 0; round < rounds; round += 1) {
      for (const [bytes, log] of logs) peaks.get(bytes)?.push(await peakOf(log, count));
    }
    const [smallest] = [...peaks.values()].map(medianOf);
    for (const [bytes, own] of peaks) {
      const peakMb = medianOf(own);
      const ofSmallest = peakMb === undefined || smallest === undefined ? undefined : peakMb / smallest;
      rows.push({ bytes, threads: count, peakMb, ofSmallest });
    }
  }
  return rows;
}

async function peakOf(log: string, threads: number): Promise<number | undefined> {
  const limited = { NODE_OPTIONS: `--max-old-space-size=${HEAP_LIMIT_MB}` };
  const words = [...gradeArguments(log, "sparse"), "--threads", String(threads)];
  const run = await runToEnd(withPeak(nodeProgram(WAYMARK, words, limited)));
  if (run.code !== 0) throw new Error(`grading ${log} ended with ${run.code}:\n${run.stderr}`);
  return run.peakMb;
}

function medianOf(peaks: readonly (number | undefined)[]): number | undefined {
  const known = peaks.filter((peak) => peak !== undefined);
  return known.length === 0 ? undefined : median(known);
}

/** The figures as a table, and the goal where a log of 4 GB was graded. */
export function memoryTable(rows: readonly MemoryRow[]): string {
  const cells = rows.map(({ bytes, threads, peakMb, ofSmallest }) => [
    `sparse ${bytes / 1e6} MB, heap of ${HEAP_LIMIT_MB} MB`,
    String(threads),
    shown(peakMb, 1),
    shown(ofSmallest, 3),
  ]);
  const largest = rows.filter(({ bytes }) => bytes >= 4e9);
  const goals = largest.map(({ threads, ofSmallest }): [Goal, number] => [
    { what: `4 GB, of the peak on 100 MB, ${threads === 1 ? "one thread" : `${threads} threads`}`, below: 1.05 },
    ofSmallest ?? Number.NaN,
  ]);
  const figures = table(["log", "threads", "peak MB", "of 100 MB"], cells);
  return goals.length === 0 ? figures : `${figures}\n${goalsTable(goals)}`;
}
