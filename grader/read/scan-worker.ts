import { SHARE_ENV, Worker } from "node:worker_threads";

/** Little of it is garbage: the less room there is for that, the less memory the thread takes. */
const LIMITS = { maxYoungGenerationSizeMb: 1, maxOldGenerationSizeMb: 64 };

/** A thread that was started before anybody knew what it will scan. */
let ready: Worker | undefined;

/** Starts a thread that scans (`scan-thread.ts`) once it is told what; the process does not wait for it. */
export function startScanWorker(): Worker {
  const script = new URL(import.meta.url.endsWith(".ts") ? "./scan-thread.ts" : "./scan-thread.cjs", import.meta.url);
  const worker = new Worker(script, { resourceLimits: LIMITS, execArgv: [], env: SHARE_ENV });
  worker.on("error", () => undefined); // what it would have scanned is scanned by whoever asked for it
  worker.unref();
  return worker;
}

/** Keeps a thread for the first log that is to be scanned by several. */
export function keepReady(worker: Worker): void {
  ready = worker;
  worker.once("exit", () => {
    if (ready === worker) ready = undefined;
  });
}

/** The thread that was kept ready, or else a new one. */
export function takeScanWorker(): Worker {
  const worker = ready ?? startScanWorker();
  ready = undefined;
  return worker;
}
