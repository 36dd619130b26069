import { request } from "node:https";
import { type Gateway, TunnelAgent } from "./tunnel.ts";

export interface TelemetryOptions {
  /** Name of the collector, as in its certificate. */
  readonly host: string;
  readonly gateway: Gateway;
  readonly instrumentationKey: string;
  readonly sessionId: string;
  readonly userId: string;
}

/** The app's own telemetry client: what a OneCollector SDK does, in little. */
export interface Telemetry {
  /** Queues one event; it leaves with the next batch. */
  track(name: string, data: Record<string, unknown>): void;
  /** Sends what is queued and waits until it is answered, at most `patienceMs`. Never throws. */
  close(patienceMs: number): Promise<TelemetryCounts>;
}

export interface TelemetryCounts {
  readonly delivered: number;
  readonly lost: number;
  /** The last delivery error, when there was one. */
  readonly lastError?: string;
}

const BATCH_AFTER_MS = 50;

/**
 * Sends events as OneCollector Common Schema 4.0: NDJSON in `POST /OneCollector/1.0`, one batch at a time, about 50 ms
 * after the first event of the batch. Events of a batch that is not answered 2xx are lost and counted.
 */
export function startTelemetry(options: TelemetryOptions): Telemetry {
  const agent = new TunnelAgent(options.gateway);
  let queue: string[] = [];
  let timer: NodeJS.Timeout | undefined;
  let sending: Promise<void> = Promise.resolve();
  let counts: TelemetryCounts = { delivered: 0, lost: 0 };

  const flush = (): void => {
    clearTimeout(timer);
    timer = undefined;
    const batch = queue;
    queue = [];
    if (batch.length === 0) return;
    sending = sending
      .then(() => post(options, agent, batch))
      .then(
        () => {
          counts = { ...counts, delivered: counts.delivered + batch.length };
        },
        (error: unknown) => {
          counts = { ...counts, lost: counts.lost + batch.length, lastError: String(error) };
        },
      );
  };

  return {
    track: (name, data) => {
      queue.push(JSON.stringify(commonSchema(options, name, data)));
      timer ??= setTimeout(flush, BATCH_AFTER_MS);
    },
    close: async (patienceMs) => {
      flush();
      const cut = setTimeout(() => agent.destroy(), patienceMs);
      await sending;
      clearTimeout(cut);
      agent.destroy();
      return counts;
    },
  };
}

function commonSchema(options: TelemetryOptions, name: string, data: Record<string, unknown>): Record<string, unknown> {
  return {
    name,
    time: new Date().toISOString(),
    ver: "4.0",
    iKey: `o:${options.instrumentationKey}`,
    ext: {
      app: { name: "chat-example", ver: "1.0.0", sesId: options.sessionId },
      user: { localId: options.userId },
      os: { name: process.platform },
      sdk: { ver: "chat-example-1.0.0" },
    },
    data,
  };
}

function post(options: TelemetryOptions, agent: TunnelAgent, events: readonly string[]): Promise<void> {
  const body = Buffer.from(events.join("\n"));
  const headers = {
    "content-type": "application/x-json-stream; charset=utf-8",
    "content-length": body.length,
    "client-id": "NO_AUTH",
    "client-version": "chat-example-1.0.0",
    apikey: `${options.instrumentationKey}-0000`,
    "upload-time": String(Date.now()),
  };
  const path = "/OneCollector/1.0?cors=true&content-type=application/x-json-stream";
  return new Promise((resolve, reject) => {
    const sent = request({ host: options.host, port: 443, method: "POST", path, headers, agent }, (answer) => {
      const status = answer.statusCode ?? 0;
      answer.on("error", reject);
      answer.on("end", () => (status >= 200 && status < 300 ? resolve() : reject(new Error(`answered ${status}`))));
      answer.resume();
    });
    sent.on("error", reject);
    sent.end(body);
  });
}
