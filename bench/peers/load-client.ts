import { once } from "node:events";
import { readFileSync } from "node:fs";
import { connect as connectPlain, type Socket } from "node:net";
import { performance } from "node:perf_hooks";
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
  const sockets = await Promise.all(Array.from({ length: order.connections }, () => open(order, context)));
  const latencies: number[] = [];
  const startedAt = performance.now();
  const endsAt = startedAt + order.seconds * 1000;
  await Promise.all(sockets.map((socket) => postUntil(socket, request, endsAt, latencies)));
  const seconds = (performance.now() - startedAt) / 1000;
  for (const socket of sockets) socket.end();
  return {
    requests: latencies.length,
    perSecond: latencies.length / seconds,
    p50Ms: quantile(latencies, 0.5),
    p99Ms: quantile(latencies, 0.99),
  };
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

/** Sends the request again and again until the time is up; the last one is waited for. */
function postUntil(socket: TLSSocket, request: Buffer, endsAt: number, latencies: number[]): Promise<void> {
  return new Promise((resolve, reject) => {
    let answer = "";
    let sentAt = performance.now();
    socket.on("error", reject);
    socket.on("close", () => reject(new Error("the connection was closed")));
    socket.setEncoding("latin1");
    socket.on("data", (text: string) => {
      answer += text;
      if (!isWhole(answer)) return;
      if (!answer.startsWith("HTTP/1.1 200")) return reject(new Error(`answered ${answer.slice(0, 200)}`));
      const now = performance.now();
      latencies.push(now - sentAt);
      answer = "";
      if (now >= endsAt) return resolve();
      sentAt = now;
      socket.write(request);
    });
    socket.write(request);
  });
}

function isWhole(answer: string): boolean {
  const end = answer.indexOf("\r\n\r\n");
  if (end < 0) return false;
  const length = /\r\ncontent-length: ([0-9]+)/i.exec(answer)?.[1];
  return length === undefined ? answer.endsWith("\r\n0\r\n\r\n") : answer.length >= end + 4 + Number(length);
}
