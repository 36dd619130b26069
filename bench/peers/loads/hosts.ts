import { performance } from "node:perf_hooks";
import { setTimeout as pause } from "node:timers/promises";
import { hostAt, type LoadOrder, type NumberedHost } from "../../load.ts";
import { laneOn, open, type Route, requestBytes, routeOf } from "../lane.ts";

/** Between two requests of the warm host, and between two new hosts. */
const WARM_PAUSE_MS = 2;
const NEW_PAUSE_MS = 20;

/** The time from dialling a host that the proxy does not know to its first answer. */
async function visit(route: Route, order: LoadOrder, { address, name }: NumberedHost): Promise<number> {
  const begun = performance.now();
  const lane = laneOn(await open({ ...route, host: address, serverName: name }), requestBytes(address, order));
  const tookMs = (await lane.post()) - begun;
  lane.end();
  return tookMs;
}

function hostsOf({ hosts = 0, firstHost = 0 }: LoadOrder): NumberedHost[] {
  return Array.from({ length: hosts }, (_, index) => hostAt(firstHost + index));
}

/** One new host after the other, while a connection that is long there goes on with its requests. */
export async function newHosts(order: LoadOrder): Promise<{ latencies: number[]; stallMs: number; warm: number }> {
  const route = routeOf(order);
  const lane = laneOn(await open(route), requestBytes(route.host, order));
  await lane.post();
  let isOver = false;
  const waits: number[] = [];
  const warm = (async () => {
    while (!isOver) {
      const begun = performance.now();
      waits.push((await lane.post()) - begun);
      await pause(WARM_PAUSE_MS);
    }
  })();
  const latencies: number[] = [];
  for (const host of hostsOf(order)) {
    latencies.push(await visit(route, order, host));
    await pause(NEW_PAUSE_MS);
  }
  isOver = true;
  await warm;
  lane.end();
  return { latencies, stallMs: Math.max(...waits), warm: waits.length + 1 };
}

/** Many hosts, each asked once, a few at a time. */
export async function manyHosts(order: LoadOrder): Promise<number[]> {
  const route = routeOf(order);
  const left = hostsOf(order).reverse();
  const latencies: number[] = [];
  const drive = async (): Promise<void> => {
    for (let host = left.pop(); host !== undefined; host = left.pop()) {
      latencies.push(await visit(route, order, host));
    }
  };
  await Promise.all(Array.from({ length: order.connections }, drive));
  return latencies;
}
