import { statSync } from "node:fs";
import { isWorthThreads } from "../grader/read/threads.ts";
import { keepCompiled, loadProgram } from "./compiled.ts";
import type { GradeProgram } from "./grade-program.ts";

/** Runs `grade` with these words, in this process and as its only work. */
export async function startGrade(words: readonly string[]): Promise<void> {
  keepCompiled();
  const worker = namesLargeLog(words) ? (await import("../grader/read/scan-worker.ts")).startScanWorker() : undefined;
  const { exports, keep } = loadProgram(new URL("./grade-program.cjs", import.meta.url));
  const { runGrade } = exports as GradeProgram;
  await runGrade(words, worker);
  if (hasGraded(words)) keep();
}

/**
 * Whether the log will be read by two threads, as far as that shows before the words are understood. The second one takes
 * as long to start as all the rest.
 */
function namesLargeLog(words: readonly string[]): boolean {
  if (words.some((word) => /^--(?:threads|follow|wait)\b/.test(word))) return false;
  return words.some((word) => isWorthThreads(sizeOf(word)));
}

/** Bytes of the file of this name; none where there is none, or where the system does not even look. */
function sizeOf(word: string): number {
  try {
    return statSync(word, { throwIfNoEntry: false })?.size ?? 0;
  } catch {
    return 0; // a word too long for a name, a loop of links: whoever reads the words says what is wrong with them
  }
}

/** Only then all that a grade needs has been compiled. */
function hasGraded(words: readonly string[]): boolean {
  const isHelp = words.includes("--help") || words.includes("-h");
  return !isHelp && (process.exitCode === 0 || process.exitCode === 1);
}
