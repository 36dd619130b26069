import { performance } from "node:perf_hooks";
import { EVENTS_PER_REQUEST, type LoadOrder, type LoadReport } from "../load.ts";
import { quantile } from "../numbers.ts";
import { manyHosts, newHosts } from "./loads/hosts.ts";
import { http2 } from "./loads/http2.ts";
import { keepAlive } from "./loads/keep-alive.ts";
import { newConnections } from "./loads/new-connections.ts";
import { transfer } from "./loads/transfer.ts";

// A client that costs little, so that the proxy is what is measured. Any answer but 200, and any error, ends it with an error.
const order = JSON.parse(process.argv[2] ?? "{}") as LoadOrder;
process.stdout.write(`${JSON.stringify(await load(order))}
`);

async function load(order: LoadOrder): Promise<LoadReport> {
  const startedAt = performance.now();
  switch (order.kind) {
    case "keep-alive":
      return report(await keepAlive(order), startedAt);
    case "new-connections":
      return report(await newConnections(order), startedAt);
    case "http2":
      return report(await http2(order), startedAt);
    case "many-hosts":
      return report(await manyHosts(order), startedAt);
    case "new-hosts": {
      const { latencies, stallMs, warm } = await newHosts(order);
      const made = report(latencies, startedAt);
      return { ...made, stallMs, events: made.events + warm * EVENTS_PER_REQUEST };
    }
    case "upload":
    case "download": {
      const seconds = await transfer(order);
      return { ...report([seconds * 1000], startedAt), seconds, events: 0 };
    }
  }
}

function report(latencies: readonly number[], startedAt: number): LoadReport {
  const seconds = (performance.now() - startedAt) / 1000;
  return {
    requests: latencies.length,
    perSecond: latencies.length / seconds,
    p50Ms: quantile(latencies, 0.5),
    p99Ms: quantile(latencies, 0.99),
    maxMs: latencies.reduce((most, one) => Math.max(most, one), 0),
    seconds,
    events: latencies.length * EVENTS_PER_REQUEST,
  };
}
