import { Worker } from "node:worker_threads";
import { type Fault, WaymarkError } from "../../../proxy/record/fault.ts";
import { OutsideRoot } from "../locator.ts";
import type { Done, FromLane, Job, ToLane } from "./job.ts";

/** Nobody waits for the answer any more. */
export class Abandoned extends Error {
  override readonly name = "Abandoned";
}

/** The job took longer than it may. */
export class TimeLimit extends Error {
  override readonly name = "TimeLimit";
}

interface Waiting {
  resolve(value: never): void;
  reject(error: unknown): void;
}

const HEAP_MB = 1024;
/** A pass keeps little; a small nursery keeps the memory of many passes flat (test/e2e/evaluator-load.test.ts). */
const YOUNG_MB = 6;

/**
 * One thread that carries out jobs, several at once where they wait. It starts with its first job; when it dies (out of
 * memory, ended at a time limit) its jobs are rejected and the next job starts a new one.
 */
export class Lane {
  #worker: Worker | undefined;
  #nextId = 1;
  readonly #waiting = new Map<number, Waiting>();

  get jobs(): number {
    return this.#waiting.size;
  }

  run<J extends Job>(job: J, signal?: AbortSignal): Promise<Done[J["kind"]]> {
    const worker = this.start();
    const id = this.#nextId++;
    return new Promise<Done[J["kind"]]>((resolve, reject) => {
      const leave = (): void => tell(worker, { id, stop: true });
      const settle = (): void => {
        this.#waiting.delete(id);
        signal?.removeEventListener("abort", leave);
      };
      this.#waiting.set(id, {
        resolve: (value) => {
          settle();
          resolve(value);
        },
        reject: (error) => {
          settle();
          reject(error);
        },
      });
      signal?.addEventListener("abort", leave, { once: true });
      tell(worker, { id, job });
      if (signal?.aborted === true) leave();
    });
  }

  /** Ends the thread; what it was doing is rejected with `why`. */
  async stop(why: Error): Promise<void> {
    const worker = this.#worker;
    this.#worker = undefined;
    this.#rejectAll(why);
    await worker?.terminate();
  }

  /** Starts the thread ahead of its first job; one that runs already stays. */
  start(): Worker {
    if (this.#worker !== undefined) return this.#worker;
    const script = new URL(import.meta.url.endsWith(".ts") ? "./thread.ts" : "./thread.js", import.meta.url);
    const worker = new Worker(script, {
      resourceLimits: { maxOldGenerationSizeMb: HEAP_MB, maxYoungGenerationSizeMb: YOUNG_MB },
      stdin: true,
    });
    worker.unref();
    worker.on("message", (message: FromLane) => this.#take(message));
    const died = (why: unknown): void => {
      if (this.#worker !== worker) return;
      this.#worker = undefined;
      this.#rejectAll(why instanceof Error ? why : new Error(`a grading thread ended (${String(why)})`));
    };
    worker.on("error", died);
    worker.on("exit", died);
    this.#worker = worker;
    return worker;
  }

  #take(message: FromLane): void {
    const waiting = this.#waiting.get(message.id);
    if (message.kind === "done") waiting?.resolve(message.value as never);
    else waiting?.reject(errorOf(message));
  }

  #rejectAll(why: Error): void {
    for (const waiting of [...this.#waiting.values()]) waiting.reject(why);
  }
}

function tell(worker: Worker, message: ToLane): void {
  worker.postMessage(message);
}

function errorOf({ faults, message, outside }: Extract<FromLane, { kind: "failed" }>): Error {
  if (outside) return new OutsideRoot();
  return faults === undefined ? new Error(message) : new WaymarkError(faults as readonly Fault[]);
}
