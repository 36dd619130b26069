import type { BenchResults } from "./floors.ts";
import { benchGrade, type GradeOptions, gradeTable } from "./grade.ts";
import { gradeGoals } from "./grade-goals.ts";
import { benchScale, scaleTable } from "./scale.ts";
import { benchStart, startTable } from "./start.ts";
import { benchTail, tailTable } from "./tail.ts";
import { benchThreads, threadsTable } from "./threads.ts";

/** What is measured of grading, in the order in which it is. */
export const GRADINGS = ["logs", "threads", "scale", "start", "tail"] as const;
export type Grading = (typeof GRADINGS)[number];

/** Of smaller logs the start of a process is too large a part. */
const GOALS_FROM = 1e9;

type Figures = Pick<BenchResults, "grade" | "threads" | "scale" | "start" | "tail">;

/** Measures what is asked for and prints each table as soon as it is there, then, for logs of their size, the goals. */
export async function benchGrading(
  order: GradeOptions & { readonly gradings: readonly Grading[] },
  print: (text: string) => void,
): Promise<Figures> {
  const { seed, gradings } = order;
  let figures: Figures = {};
  const measure: Record<Grading, () => Promise<void>> = {
    logs: async () => {
      figures = { ...figures, grade: await benchGrade(order, (rows) => print(`\n${gradeTable(rows)}`)) };
    },
    threads: async () => {
      const threads = await benchThreads(order);
      figures = { ...figures, threads };
      print(`\n${threadsTable(threads)}`);
    },
    scale: async () => {
      const scale = await benchScale(order);
      figures = { ...figures, scale };
      print(`\n${scaleTable(scale)}`);
    },
    start: async () => {
      const start = await benchStart(seed);
      figures = { ...figures, start };
      print(`\n${startTable(start)}`);
    },
    tail: async () => {
      const tail = await benchTail();
      figures = { ...figures, tail };
      print(`\n${tailTable(tail)}`);
    },
  };
  for (const grading of gradings) await measure[grading]();
  if (order.bytes >= GOALS_FROM) print(`\n${gradeGoals(figures)}`);
  return figures;
}
