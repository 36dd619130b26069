import { statSync } from "node:fs";
import { availableParallelism } from "node:os";
import type { Segment } from "./series.ts";

/** From this size on a second thread saves more than it takes to start. */
const LEAST_BYTES = 256 << 20;
/** One thread puts together what all have scanned; more than a few of them it could not keep busy. */
const MOST_THREADS = 8;

interface Wish {
  readonly threads?: number;
  readonly follow?: object;
}

/**
 * How many threads scan ahead of the one that grades: none for a small log, on one processor, and
 * for a log that is followed.
 */
export function helpersFor(segments: readonly Segment[], { threads, follow }: Wish): number {
  if (follow !== undefined) return 0;
  if (threads !== undefined) return Math.max(0, Math.min(threads, MOST_THREADS) - 1);
  return isWorthThreads(sizeOf(segments)) ? 1 : 0;
}

/** Whether, unless the user says otherwise, a second thread reads a log of so many bytes. */
export function isWorthThreads(bytes: number): boolean {
  return bytes >= LEAST_BYTES && availableParallelism() > 1;
}

function sizeOf(segments: readonly Segment[]): number {
  return segments.reduce((sum, { file }) => sum + (statSync(file, { throwIfNoEntry: false })?.size ?? 0), 0);
}
