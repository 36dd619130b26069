import type { Worker } from "node:worker_threads";
import { runProcess, runVerb } from "./command-line.ts";
import { compileAsUsual, compileLater } from "./compile-later.ts";
import { grade } from "./grade.ts";

/** What the bundled program offers. */
export interface GradeProgram {
  readonly runGrade: typeof runGrade;
}

/**
 * Runs a command line whose verb is `grade`, the words behind it given. It is bundled by itself, since a gate starts it
 * on every push: what it needs stands in one file, and nothing else does. `worker`: a thread
 * to scan with that was started meanwhile.
 */
export async function runGrade(words: readonly string[], worker?: Worker): Promise<void> {
  if (worker !== undefined) (await import("../grader/read/scan-worker.ts")).keepReady(worker);
  compileLater();
  await runProcess(["grade", ...words], (_, terminal) => runVerb(grade, words, terminal));
  compileAsUsual();
}
