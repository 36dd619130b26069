import type { Done, GradeJob, Job } from "./job.ts";
import { Abandoned, Lane, TimeLimit } from "./lane.ts";

export interface PoolOptions {
  /** Threads that grade, one job each at a time. */
  readonly lanes: number;
  /** Longest time a job may take once it has begun, in milliseconds. */
  readonly limitMs: number;
}

export interface RunOptions {
  readonly signal?: AbortSignal;
  /** Requests with the same key that come while the job waits or runs share its answer. */
  readonly key?: string;
}

/** Threads for gradings and looks, so that a large log never holds up the server. */
export interface Pool {
  /** Carries out a job as soon as a thread is free, in the order they came. Rejects with `Abandoned` and `TimeLimit`. */
  run<J extends Job>(job: J, options?: RunOptions): Promise<Done[J["kind"]]>;
  /** Carries out a grading that mostly waits, beside all others. */
  wait(job: GradeJob, signal: AbortSignal): Promise<Done["grade"]>;
  /** Jobs that run or stand in the queue, and those that wait for events. */
  counts(): { readonly running: number; readonly queued: number; readonly waiting: number };
  close(): Promise<void>;
}

interface Ticket {
  readonly job: Job;
  readonly stop: AbortController;
  readonly promise: Promise<unknown>;
  resolve(value: unknown): void;
  reject(error: unknown): void;
  /** Requests that wait for the answer; a queued job without any is dropped. */
  takers: number;
}

export function createPool({ lanes: count, limitMs }: PoolOptions): Pool {
  const free = Array.from({ length: count }, () => new Lane());
  const lanes = [...free];
  const waiters = new Lane();
  const queue: Ticket[] = [];
  const shared = new Map<string, Ticket>();

  const next = (): void => {
    while (free.length > 0 && queue.length > 0) {
      const lane = free.pop();
      const ticket = queue.shift();
      if (lane !== undefined && ticket !== undefined) void serve(lane, ticket);
    }
  };
  const serve = async (lane: Lane, ticket: Ticket): Promise<void> => {
    const timer = setTimeout(() => void lane.stop(new TimeLimit()), limitMs);
    try {
      ticket.resolve(await lane.run(ticket.job, ticket.stop.signal));
    } catch (error) {
      ticket.reject(error);
    } finally {
      clearTimeout(timer);
      free.push(lane);
      next();
    }
  };
  const enqueue = (job: Job, key: string | undefined): Ticket => {
    const known = key === undefined ? undefined : shared.get(key);
    if (known !== undefined) return known;
    // all at once, so that a server has its full size after its first request and not at some later peak
    for (const lane of lanes) lane.start();
    const ticket = newTicket(job);
    queue.push(ticket);
    if (key !== undefined) {
      shared.set(key, ticket);
      const forget = (): void => void shared.delete(key);
      ticket.promise.then(forget, forget);
    }
    next();
    return ticket;
  };
  const abandon = (ticket: Ticket): void => {
    ticket.takers -= 1;
    if (ticket.takers > 0) return;
    ticket.stop.abort();
    const at = queue.indexOf(ticket);
    if (at < 0) return;
    queue.splice(at, 1);
    ticket.reject(new Abandoned());
  };
  return {
    run: <J extends Job>(job: J, { signal, key }: RunOptions = {}) => {
      if (signal?.aborted === true) return Promise.reject(new Abandoned());
      const ticket = enqueue(job, key);
      ticket.takers += 1;
      return untilAbandoned(ticket.promise as Promise<Done[J["kind"]]>, signal, () => abandon(ticket));
    },
    wait: (job, signal) => {
      if (signal.aborted) return Promise.reject(new Abandoned());
      return waiters.run(job, signal);
    },
    counts: () => ({ running: lanes.length - free.length, queued: queue.length, waiting: waiters.jobs }),
    close: async () => {
      for (const ticket of queue.splice(0)) ticket.reject(new Abandoned());
      await Promise.all([...lanes, waiters].map((lane) => lane.stop(new Abandoned())));
    },
  };
}

function newTicket(job: Job): Ticket {
  let resolve: Ticket["resolve"] = () => {};
  let reject: Ticket["reject"] = () => {};
  const promise = new Promise<unknown>((yes, no) => {
    resolve = yes;
    reject = no;
  });
  promise.catch(() => undefined); // each taker hears of it; one without takers has nobody to tell
  return { job, stop: new AbortController(), promise, resolve, reject, takers: 0 };
}

function untilAbandoned<T>(promise: Promise<T>, signal: AbortSignal | undefined, abandon: () => void): Promise<T> {
  if (signal === undefined) return promise;
  return new Promise<T>((resolve, reject) => {
    const leave = (): void => {
      abandon();
      reject(new Abandoned());
    };
    signal.addEventListener("abort", leave, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener("abort", leave));
  });
}
