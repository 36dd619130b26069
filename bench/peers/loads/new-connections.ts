import { performance } from "node:perf_hooks";
import type { LoadOrder } from "../../load.ts";
import { laneOn, open, requestBytes, routeOf } from "../lane.ts";

/** Each request on a connection of its own, as many at once as there are connections. Latency counts from the dialling. */
export async function newConnections(order: LoadOrder): Promise<number[]> {
  const route = routeOf(order);
  const request = requestBytes(route.host, order);
  const endsAt = performance.now() + order.seconds * 1000;
  const latencies: number[] = [];
  const drive = async (): Promise<void> => {
    for (let begun = performance.now(); begun < endsAt; begun = performance.now()) {
      const lane = laneOn(await open(route), request);
      latencies.push((await lane.post()) - begun);
      lane.end();
    }
  };
  await Promise.all(Array.from({ length: order.connections }, drive));
  return latencies;
}
