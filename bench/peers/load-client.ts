import { once } from "node:events";
import { readFileSync } from "node:fs";
import { connect as connectPlain, type Socket } from "node:net";
import { performance } from "node:perf_hooks";
import { setTimeout as pause } from "node:timers/promises";
import { connect as connectTls, createSecureContext, type TLSSocket } from "node:tls";
import { EVENTS_PER_REQUEST, type LoadOrder, type LoadReport } from "../load.ts";
import { quantile } from "../numbers.ts";

// A client that costs little, so that the proxy is what is measured: raw HTTP/1.1 over node:tls, one request at a time on
// each kept-alive connection. Any answer but 200, and any error, ends it with an error.
const order = JSON.parse(process.argv[2] ?? "{}") as LoadOrder;
process.stdout.write(`${JSON.stringify(await load(order))}
`);

async function load(order: LoadOrder): Promise<LoadReport> {
  const request = requestBytes(order);
  const context = createSecureContext({ ca: readFileSync(order.caFile) });
  const lanes = await Promise.all(
    Array.from({ length: order.connections }, async () => laneOn(await open(order, context), request)),
  );
  const startedAt = performance.now();
  const endsAt = startedAt + order.seconds * 1000;
  const latencies = order.rate === undefined ? await flatOut(lanes, endsAt) : await paced(lanes, endsAt, order.rate);
  const seconds = (performance.now() - startedAt) / 1000;
  for (const lane of lanes) lane.end();
  return {
    requests: latencies.length,
    perSecond: latencies.length / seconds,
    p50Ms: quantile(latencies, 0.5),
    p99Ms: quantile(latencies, 0.99),
  };
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

/** A OneCollector POST of about `bodyBytes` bytes with two events. */
function requestBytes({ originPort, bodyBytes }: LoadOrder): Buffer {
  const event = (pad: number): string =>
    JSON.stringify({
      name: "message_rendered",
      time: "2026-03-01T08:00:00.000Z",
      ver: "4.0",
      iKey: "o:c0ffee00c0ffee00c0ffee00c0ffee00",
      ext: { app: { sesId: "bench" } },
      data: { chatId: "general", text: "x".repeat(pad) },
    });
  const pad = Math.max(0, Math.floor((bodyBytes - 1) / EVENTS_PER_REQUEST) - event(0).length);
  const body = Array.from({ length: EVENTS_PER_REQUEST }, () => event(pad)).join("\n");
  const head = [
    "POST /OneCollector/1.0?cors=true HTTP/1.1",
    `Host: localhost:${originPort}`,
    "Content-Type: application/x-json-stream",
    `Content-Length: ${Buffer.byteLength(body)}`,
  ];
  return Buffer.from(`${head.join("\r\n")}\r\n\r\n${body}`);
}

async function open({ originPort, proxyPort }: LoadOrder, secureContext: ReturnType<typeof createSecureContext>) {
  const socket = proxyPort === undefined ? connectPlain(originPort, "localhost") : connectPlain(proxyPort, "127.0.0.1");
  socket.setNoDelay(true);
  await once(socket, "connect");
  if (proxyPort !== undefined) await askForTunnel(socket, `localhost:${originPort}`);
  const secure = connectTls({ socket, servername: "localhost", secureContext, ALPNProtocols: ["http/1.1"] });
  await once(secure, "secureConnect");
  return secure;
}

async function askForTunnel(socket: Socket, authority: string): Promise<void> {
  socket.write(`CONNECT ${authority} HTTP/1.1\r\nHost: ${authority}\r\n\r\n`);
  let answer = "";
  while (!answer.endsWith("\r\n\r\n")) {
    await once(socket, "readable");
    const chunk: Buffer | null = socket.read();
    if (chunk === null && !socket.readable) break;
    answer += chunk?.toString("latin1") ?? "";
  }
  if (!answer.startsWith("HTTP/1.1 200")) throw new Error(`CONNECT was answered "${answer}"`);
}

/** One connection that carries one request at a time. */
interface Lane {
  /** Sends the request and resolves with the time of its answer's last byte. */
  post(): Promise<number>;
  end(): void;
}

function laneOn(socket: TLSSocket, request: Buffer): Lane {
  let answer = "";
  let resolve: (answeredAt: number) => void = () => undefined;
  let reject: (error: Error) => void = () => undefined;
  socket.on("error", (error) => reject(error));
  socket.on("close", () => reject(new Error("the connection was closed")));
  socket.setEncoding("latin1").on("data", (text: string) => {
    answer += text;
    if (!isWhole(answer)) return;
    const whole = answer;
    answer = "";
    if (whole.startsWith("HTTP/1.1 200")) resolve(performance.now());
    else reject(new Error(`answered ${whole.slice(0, 200)}`));
  });
  return {
    post: () =>
      new Promise((answered, failed) => {
        resolve = answered;
        reject = failed;
        socket.write(request);
      }),
    end: () => socket.end(),
  };
}

function isWhole(answer: string): boolean {
  const end = answer.indexOf("\r\n\r\n");
  if (end < 0) return false;
  const length = /\r\ncontent-length: ([0-9]+)/i.exec(answer)?.[1];
  return length === undefined ? answer.endsWith("\r\n0\r\n\r\n") : answer.length >= end + 4 + Number(length);
}
