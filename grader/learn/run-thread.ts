import { parentPort, workerData } from "node:worker_threads";
import { WaymarkError } from "../../proxy/record/fault.ts";
import { Distiller } from "./distil.ts";
import { distilRuns, type FromThread, type NumberedRun } from "./take-runs.ts";

/** The second thread of learning from long runs: distils its share, hands over what came of it, and ends. */
const distiller = new Distiller();
const stopped = await distilRuns(distiller, workerData as readonly NumberedRun[]);

if (stopped === undefined) {
  const corpus = distiller.corpus();
  const { endless, words } = distiller;
  answer({ kind: "done", distilled: { corpus, endless, words } });
} else {
  const { index, error } = stopped;
  const faults = error instanceof WaymarkError ? { faults: error.faults } : {};
  const message = error instanceof Error ? (error.stack ?? error.message) : String(error);
  answer({ kind: "failed", index, message, ...faults });
}

function answer(message: FromThread): void {
  parentPort?.postMessage(message);
}
