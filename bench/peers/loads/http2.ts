import { once } from "node:events";
import { type ClientHttp2Session, connect } from "node:http2";
import { performance } from "node:perf_hooks";
import type { LoadOrder } from "../../load.ts";
import { open, routeOf, TELEMETRY_PATH, telemetryBody } from "../lane.ts";

const SESSIONS = 4;

/** Streams on a few connections of HTTP/2, so many at once as an order has connections. Gives latencies. */
export async function http2(order: LoadOrder): Promise<number[]> {
  const route = { ...routeOf(order), protocol: "h2" } as const;
  const authority = `https://${route.host}:${order.originPort}`;
  const sessions = await Promise.all(
    Array.from({ length: Math.min(SESSIONS, order.connections) }, async () => {
      const socket = await open(route);
      if (socket.alpnProtocol !== "h2") throw new Error("HTTP/2 was not agreed on");
      return connect(authority, { createConnection: () => socket });
    }),
  );
  const body = telemetryBody(order.bodyBytes);
  const endsAt = performance.now() + order.seconds * 1000;
  const latencies: number[] = [];
  const drive = async (session: ClientHttp2Session): Promise<void> => {
    for (let begun = performance.now(); begun < endsAt; begun = performance.now()) {
      await post(session, body);
      latencies.push(performance.now() - begun);
    }
  };
  await Promise.all(
    Array.from({ length: order.connections }, (_, index) => {
      const session = sessions[index % sessions.length];
      return session === undefined ? undefined : drive(session);
    }),
  );
  for (const session of sessions) session.close();
  return latencies;
}

async function post(session: ClientHttp2Session, body: string): Promise<void> {
  const stream = session.request({
    ":method": "POST",
    ":path": TELEMETRY_PATH,
    "content-type": "application/x-json-stream",
  });
  let status = 0;
  stream.once("response", (headers) => {
    status = Number(headers[":status"]);
  });
  stream.resume();
  stream.end(body);
  await once(stream, "end");
  if (status !== 200) throw new Error(`answered ${status}`);
}
