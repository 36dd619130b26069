import { performance } from "node:perf_hooks";
import { setTimeout as pause } from "node:timers/promises";
import type { LoadOrder } from "../../load.ts";
import { type Lane, laneOn, open, requestBytes, routeOf } from "../lane.ts";

/** Requests on kept-alive connections, one at a time on each: as many as get answered, or at a steady rate. Gives latencies. */
export async function keepAlive(order: LoadOrder): Promise<number[]> {
  const route = routeOf(order);
  const request = requestBytes(route.host, order);
  const lanes = await Promise.all(
    Array.from({ length: order.connections }, async () => laneOn(await open(route), request)),
  );
  const endsAt = performance.now() + order.seconds * 1000;
  const latencies = order.rate === undefined ? await flatOut(lanes, endsAt) : await paced(lanes, endsAt, order.rate);
  for (const lane of lanes) lane.end();
  return latencies;
}

/** Each connection sends its next request when the last one is answered; the last ones are waited for. */
async function flatOut(lanes: readonly Lane[], endsAt: number): Promise<number[]> {
  const latencies: number[] = [];
  const drive = async (lane: Lane): Promise<void> => {
    for (let now = performance.now(); now < endsAt; ) {
      const answeredAt = await lane.post();
      latencies.push(answeredAt - now);
      now = answeredAt;
    }
  };
  await Promise.all(lanes.map(drive));
  return latencies;
}

/** Requests leave at a steady rate. Latency counts from the time a request was due, so that queueing is not hidden. */
async function paced(lanes: readonly Lane[], endsAt: number, rate: number): Promise<number[]> {
  const latencies: number[] = [];
  const startedAt = performance.now();
  const queues = lanes.map(() => Promise.resolve());
  for (let sent = 0, due = startedAt; due < endsAt; due = startedAt + (++sent * 1000) / rate) {
    const dueAt = due;
    await pause(Math.max(0, dueAt - performance.now()));
    const turn = sent % lanes.length;
    queues[turn] = (queues[turn] ?? Promise.resolve()).then(async () => {
      latencies.push(((await lanes[turn]?.post()) ?? Number.NaN) - dueAt);
    });
  }
  await Promise.all(queues);
  return latencies;
}
