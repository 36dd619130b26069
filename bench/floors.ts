import type { DecodeSpeed } from "./decode.ts";
import type { LogKind } from "./generate.ts";
import type { GradeRow } from "./grade.ts";
import type { MemoryRow } from "./memory.ts";
import type { ProxyRow } from "./proxy.ts";
import type { ScaleRow } from "./scale.ts";

/** What a pass of the bench measured; a part that did not run is absent. */
export interface BenchResults {
  readonly grade?: readonly GradeRow[];
  readonly scale?: readonly ScaleRow[];
  readonly proxy?: readonly ProxyRow[];
  /** Of the proxy, by load. */
  readonly loads?: readonly {
    readonly name: string;
    readonly rows: readonly ProxyRow[];
    readonly skipped: readonly string[];
  }[];
  readonly memory?: readonly MemoryRow[];
  readonly decode?: readonly DecodeSpeed[];
}

/**
 * Generous on purpose: a shared build machine must not fail by bad luck, and a change that costs half the speed should.
 * Speeds are ratios of the same run, never absolute; docs and PERFORMANCE figures come from quiet machines.
 */
const GRADE_TO_LOOP = { large: 5, small: 2 };
/** At 100 MB the start of the process is most of what these take, and the loop is at its best on them: 1.8 and 2.4 measured. */
const SMALL_TO_LOOP: Partial<Record<LogKind, number>> = { escaped: 1, dense: 1 };
/** From this size on the start of the process no longer counts for much; the goal there is 10, below it none is set. */
const LARGE_BYTES = 1e9;
/** Undisturbed it is 0.45 to 0.5. */
const PROXY_OF_DIRECT = 0.3;
/** What every decoder has to reach, its bodies small or large; undisturbed the slowest has twice that. */
const DECODE_MBPS = 20;
const PEAK_MB = 120;
/** A 1 GB log may take this much more memory than a 100 MB log. */
const PEAK_GROWTH = 1.1;

/**
 * A sentence for each floor that was missed, or whose figure is not there although its part ran; empty when all hold.
 * Of a part that did not run nothing is said.
 */
export function shortfalls(results: BenchResults): string[] {
  const complaints = [
    ...(results.grade === undefined ? [] : gradeFloors(results.grade)),
    ...(results.proxy === undefined ? [] : proxyFloors(results.proxy)),
    ...(results.memory === undefined ? [] : memoryFloors(results.memory)),
    ...(results.decode ?? []).map(({ decoder, decodeMBps }) =>
      below(`decoding ${decoder}`, decodeMBps, DECODE_MBPS, "MB/s"),
    ),
  ];
  return complaints.filter((complaint) => complaint !== undefined);
}

function gradeFloors(rows: readonly GradeRow[]): (string | undefined)[] {
  const ours = rows.filter(({ program }) => program === "waymark grade");
  if (ours.length === 0) return ["grading was not measured"];
  return ours.map(({ kind, bytes, toLoop, toLoopCpu }) => {
    const floor = bytes >= LARGE_BYTES ? GRADE_TO_LOOP.large : (SMALL_TO_LOOP[kind] ?? GRADE_TO_LOOP.small);
    // Processor time where it is known: what else runs on the machine disturbs it less.
    return below(`grading the ${kind} log`, Number.isNaN(toLoopCpu) ? toLoop : toLoopCpu, floor, "x the Python loop");
  });
}

function proxyFloors(rows: readonly ProxyRow[]): (string | undefined)[] {
  const ours = rows.find(({ way }) => way === "waymark proxy");
  return [below("the proxy's speed", ours?.ofDirect, PROXY_OF_DIRECT, "of direct")];
}

function memoryFloors(rows: readonly MemoryRow[]): (string | undefined)[] {
  const [small, large] = [...rows].sort((a, b) => a.bytes - b.bytes).map(({ peakMb }) => peakMb);
  return [
    above("peak memory of grading 1 GB", large, PEAK_MB, "MB"),
    above("peak memory of 1 GB against 100 MB", ratio(large, small), PEAK_GROWTH, "x"),
  ];
}

function below(what: string, value: number | undefined, floor: number, unit: string): string | undefined {
  if (value === undefined || Number.isNaN(value)) return `${what} was not measured`;
  return value >= floor ? undefined : `${what}: ${value.toFixed(2)} ${unit}, the floor is ${floor}`;
}

function above(what: string, value: number | undefined, ceiling: number, unit: string): string | undefined {
  if (value === undefined || Number.isNaN(value)) return `${what} was not measured`;
  return value <= ceiling ? undefined : `${what}: ${value.toFixed(2)} ${unit}, the ceiling is ${ceiling}`;
}

function ratio(of: number | undefined, to: number | undefined): number | undefined {
  return of === undefined || to === undefined ? undefined : of / to;
}
