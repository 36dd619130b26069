import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import { readSeries } from "../grader/read/read.ts";
import { findLogs } from "../grader/read/series.ts";
import { benchFolder } from "./generate.ts";
import { quantile, shown, table } from "./numbers.ts";
import { benchScript } from "./processes.ts";

/** How long an event that was appended to a followed log takes to come out of the reader of `--follow` and `watch`. */
export interface TailRow {
  readonly events: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly mostMs: number;
}

const EVENTS = 500;

/** Follows a log while another thread appends an event every few milliseconds; each says when it was written. */
export async function benchTail(): Promise<TailRow> {
  const file = join(benchFolder(), `tail-${process.pid}.log`);
  writeFileSync(file, '{"name":"first"}\n');
  const { series } = await findLogs([file]);
  const [followed] = series;
  if (followed === undefined) throw new Error(`${file} is not there`);
  const taken: number[] = [];
  const writer = new Worker(benchScript("peers/appender.js"), { workerData: { file, events: EVENTS } });
  try {
    await readSeries(followed, {
      rule: { kind: "all" },
      lineBytes: 1 << 20,
      follow: { signal: AbortSignal.timeout(60_000), isDecided: () => taken.length === EVENTS },
      sink: {
        restart: () => {},
        tick: () => {},
        gap: () => {},
        event: ({ sent }) => {
          if (typeof sent === "string") taken.push(Number(process.hrtime.bigint() - BigInt(sent)) / 1e6);
        },
      },
    });
  } finally {
    await writer.terminate();
    rmSync(file, { force: true });
  }
  if (taken.length < EVENTS) throw new Error(`only ${taken.length} of ${EVENTS} events came out of the followed log`);
  return { events: EVENTS, p50Ms: quantile(taken, 0.5), p99Ms: quantile(taken, 0.99), mostMs: quantile(taken, 1) };
}

/** The figures as a table. */
export function tailTable({ events, p50Ms, p99Ms, mostMs }: TailRow): string {
  const cells = [shown(p50Ms, 2), shown(p99Ms, 2), shown(mostMs, 2)];
  return table(
    ["followed log, append to match", "p50 ms", "p99 ms (goal < 10)", "most ms"],
    [[`${events} events`, ...cells]],
  );
}
