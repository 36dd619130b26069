import { parentPort } from "node:worker_threads";
import { WaymarkError } from "../../../proxy/record/fault.ts";
import { gradeLogs } from "../../grade.ts";
import { OutsideRoot } from "../locator.ts";
import { lookAtState, lookOnce } from "../look.ts";
import { createTidy } from "../tidy.ts";
import type { Done, FromLane, GradeJob, Job, LookJob, ToLane } from "./job.ts";
import { tallyLog } from "./tally.ts";

/** A lane's thread: carries out what it is told and answers; keeps nothing between jobs. */
const running = new Map<number, AbortController>();
const JOBS_PER_COLLECTION = 8;
const tidy = createTidy(JOBS_PER_COLLECTION);

parentPort?.on("message", (order: ToLane) => {
  if ("stop" in order) running.get(order.id)?.abort();
  else void carryOut(order.id, order.job);
});

async function carryOut(id: number, job: Job): Promise<void> {
  const stop = new AbortController();
  running.set(id, stop);
  try {
    answer({ id, kind: "done", value: await work(job, stop.signal) });
  } catch (error) {
    const faults = error instanceof WaymarkError ? { faults: error.faults } : {};
    const message = error instanceof Error ? (error.stack ?? error.message) : String(error);
    answer({ id, kind: "failed", ...faults, message, outside: error instanceof OutsideRoot });
  } finally {
    running.delete(id);
    tidy();
  }
}

function work(job: Job, signal: AbortSignal): Promise<Done[keyof Done]> {
  switch (job.kind) {
    case "grade":
      return grade(job, signal);
    case "look":
      return look(job, signal);
    case "tally":
      return tallyLog(job);
  }
}

function answer(message: FromLane): void {
  parentPort?.postMessage(message);
}

async function grade(job: GradeJob, signal: AbortSignal): Promise<Done["grade"]> {
  const { waitMs, since, session, spending, sight } = job;
  const startedAt = performance.now();
  const { document } = await gradeLogs({
    logs: job.logs,
    scenarios: job.scenarios,
    params: job.params,
    all: job.all,
    cut: job.cut,
    ...(since === undefined ? {} : { since }),
    ...(session === undefined ? {} : { session }),
    ...(waitMs === undefined ? {} : { waitMs, follow: signal }),
    ...(spending === undefined ? {} : { details: spending }),
    ...(sight === undefined ? {} : { look: lookAtState(sight) }),
  });
  return { document, tookMs: performance.now() - startedAt };
}

function look({ evaluator, args, sight }: LookJob, signal: AbortSignal): Promise<Done["look"]> {
  return lookOnce({ evaluator, args }, sight, signal);
}
