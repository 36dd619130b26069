import { keepCompiled, loadProgram } from "./compiled.ts";
import type { GradeProgram } from "./grade-program.ts";

/** Runs `grade` with these words, in this process and as its only work. */
export async function startGrade(words: readonly string[]): Promise<void> {
  keepCompiled();
  const { exports, keep } = loadProgram(new URL("./grade-program.cjs", import.meta.url));
  const { runGrade } = exports as GradeProgram;
  await runGrade(words);
  if (hasGraded(words)) keep();
}

/** Only then all that a grade needs has been compiled. */
function hasGraded(words: readonly string[]): boolean {
  const isHelp = words.includes("--help") || words.includes("-h");
  return !isHelp && (process.exitCode === 0 || process.exitCode === 1);
}
