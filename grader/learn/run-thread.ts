import { once } from "node:events";
import { parentPort, workerData } from "node:worker_threads";
import { WaymarkError } from "../../proxy/record/fault.ts";
import { Distiller } from "./distil.ts";
import { countRuns, distilRuns, type FromThread, type ThreadOrder } from "./take-runs.ts";

/** The second thread of learning from long runs: distils its share, hands over what came of it, and ends. */
const distiller = new Distiller();
const { runs, countsFirst } = workerData as ThreadOrder;
if (countsFirst && parentPort !== null) {
  const told = once(parentPort, "message");
  answer({ kind: "counted", counts: countRuns(runs) });
  const [counts] = (await told) as [ReadonlyMap<string, number>];
  distiller.expect(counts);
}
const { stopped, partly } = await distilRuns(distiller, runs);

if (stopped === undefined) {
  const corpus = distiller.corpus();
  const { endless, words } = distiller;
  answer({ kind: "done", distilled: { corpus, endless, words, partly } });
} else {
  const { index, error } = stopped;
  const faults = error instanceof WaymarkError ? { faults: error.faults } : {};
  const message = error instanceof Error ? (error.stack ?? error.message) : String(error);
  answer({ kind: "failed", index, message, ...faults });
}

function answer(message: FromThread): void {
  parentPort?.postMessage(message);
}
