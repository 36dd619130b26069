import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { gunzipSync } from "node:zlib";

export interface CollectorOptions {
  /** PEM key and certificate; the certificate has to name the host the app asks for (TELEMETRY_HOST). */
  readonly key: string;
  readonly cert: string;
  /** Called for each event, in the order of arrival. */
  readonly onEvent?: (event: Readonly<Record<string, unknown>>) => void;
}

export interface Collector {
  /** Free loopback port it listens on, for `--map events.chat.example=127.0.0.1:PORT`. */
  readonly port: number;
  /** What has arrived so far: requests, events, and lines that were no event. */
  readonly counts: { readonly requests: number; readonly events: number; readonly rejected: number };
  close(): Promise<void>;
}

/** Limit of a OneCollector request, in bytes. */
const MAX_REQUEST_BYTES = 3_145_728;

/**
 * The service at the other end: an HTTPS server on loopback that speaks OneCollector. `POST /OneCollector/1.0` with
 * NDJSON, plain or gzip, is answered 200 `{"acc": N}`; lines that are no event are counted in `rej`. A body over 3 MiB
 * is answered 413, a wrong method 405, another path 404. Rejects when it cannot listen or the key does not fit.
 */
export async function startCollector({ key, cert, onEvent }: CollectorOptions): Promise<Collector> {
  const counts = { requests: 0, events: 0, rejected: 0 };
  const server = createServer({ key, cert }, (request, response) => {
    counts.requests += 1;
    receive(request)
      .then((received) => {
        if (typeof received === "number") return reply(response, received, { acc: 0 });
        counts.events += received.events.length;
        counts.rejected += received.rejected;
        for (const event of received.events) onEvent?.(event);
        reply(response, 200, {
          acc: received.events.length,
          ...(received.rejected === 0 ? {} : { rej: received.rejected }),
        });
      })
      .catch(() => response.destroy());
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(0, "127.0.0.1", resolve);
  });
  return {
    port: (server.address() as AddressInfo).port,
    counts,
    close: async () => {
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
    },
  };
}

interface Received {
  readonly events: readonly Readonly<Record<string, unknown>>[];
  readonly rejected: number;
}

/** The events of a request, or the status that refuses it. */
async function receive(request: IncomingMessage): Promise<Received | number> {
  const path = (request.url ?? "").split("?", 1)[0]?.replace(/\/$/, "");
  const refused = path !== "/OneCollector/1.0" ? 404 : request.method !== "POST" ? 405 : undefined;
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size <= MAX_REQUEST_BYTES) chunks.push(chunk);
  }
  if (refused !== undefined) return refused;
  if (size > MAX_REQUEST_BYTES) return 413;
  const text = inflate(Buffer.concat(chunks), request.headers["content-encoding"]);
  return text === undefined ? 415 : readEvents(text);
}

function inflate(body: Buffer, encoding: string | undefined): string | undefined {
  try {
    if (encoding === undefined || encoding === "identity") return body.toString("utf8");
    return encoding === "gzip"
      ? gunzipSync(body, { maxOutputLength: 16 * MAX_REQUEST_BYTES }).toString("utf8")
      : undefined;
  } catch {
    return undefined;
  }
}

function readEvents(text: string): Received {
  const lines = text.split("\n").filter((line) => line.trim() !== "");
  const events = lines.map(readEvent).filter((event) => event !== undefined);
  return { events, rejected: lines.length - events.length };
}

function readEvent(line: string): Record<string, unknown> | undefined {
  try {
    const event: unknown = JSON.parse(line);
    const isEvent = typeof event === "object" && event !== null && "name" in event && typeof event.name === "string";
    return isEvent ? { ...event } : undefined;
  } catch {
    return undefined;
  }
}

function reply(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { "content-type": "application/json", "time-delta-millis": "0" });
  response.end(JSON.stringify(body));
}
