import { gradeArguments } from "./contestants.ts";
import { logFile } from "./generate.ts";
import { shown, table } from "./numbers.ts";
import { nodeProgram, runToEnd, WAYMARK, withPeak } from "./processes.ts";

/** Peak memory of `waymark grade` on a log, with the heap limited. */
export interface MemoryRow {
  readonly bytes: number;
  readonly peakMb: number | undefined;
}

export const HEAP_LIMIT_MB = 256;

/**
 * Grades a 100 MB and a 1 GB log, each in a process with a heap of at most 256 MB and by one thread, as a second one has
 * a price of its own, whatever the size. Throws when one does not pass.
 */
export async function benchMemory(seed: number): Promise<MemoryRow[]> {
  const rows: MemoryRow[] = [];
  for (const bytes of [1e8, 1e9]) {
    const log = await logFile({ kind: "sparse", bytes, seed });
    const limited = { NODE_OPTIONS: `--max-old-space-size=${HEAP_LIMIT_MB}` };
    const run = await runToEnd(
      withPeak(nodeProgram(WAYMARK, [...gradeArguments(log, "sparse"), "--threads", "1"], limited)),
    );
    if (run.code !== 0) throw new Error(`grading ${log} ended with ${run.code}:\n${run.stderr}`);
    rows.push({ bytes, peakMb: run.peakMb });
  }
  return rows;
}

/** The figures as a table. */
export function memoryTable(rows: readonly MemoryRow[]): string {
  const cells = rows.map(({ bytes, peakMb }) => [
    `sparse ${bytes / 1e6} MB, heap of ${HEAP_LIMIT_MB} MB`,
    shown(peakMb, 0),
  ]);
  return table(["log", "peak MB"], cells);
}
