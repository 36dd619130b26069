import { appendFileSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import { workerData } from "node:worker_threads";

/** Appends events to a log, a few milliseconds apart; each carries the time of the clock that all threads share. */
const { file, events } = workerData as { readonly file: string; readonly events: number };

await delay(200); // until the log is followed
for (let index = 0; index < events; index++) {
  appendFileSync(file, `{"name":"appended","sent":"${process.hrtime.bigint()}"}\n`);
  await delay(3 + (index % 5));
}
