import { once } from "node:events";
import { readFileSync } from "node:fs";
import { connect as connectPlain, type Socket } from "node:net";
import { performance } from "node:perf_hooks";
import { checkServerIdentity, connect as connectTls, createSecureContext, type TLSSocket } from "node:tls";
import { EVENTS_PER_REQUEST, type LoadOrder } from "../load.ts";

/** How a client comes to an origin. */
export interface Route extends Pick<LoadOrder, "originPort" | "proxyPort"> {
  readonly host: string;
  /** Asked for in TLS where it is another name than the host's; the certificate may be for either. */
  readonly serverName?: string;
  readonly secureContext: ReturnType<typeof createSecureContext>;
  readonly protocol?: "http/1.1" | "h2";
}

/** The route to `localhost` that an order names. */
export function routeOf({ originPort, proxyPort, caFile }: LoadOrder): Route {
  const secureContext = createSecureContext({ ca: readFileSync(caFile) });
  return { host: "localhost", originPort, secureContext, ...(proxyPort === undefined ? {} : { proxyPort }) };
}

/** Opens TLS to the origin, through the proxy when there is one. Throws when the certificate does not hold. */
export async function open({
  host,
  serverName = host,
  originPort,
  proxyPort,
  secureContext,
  protocol,
}: Route): Promise<TLSSocket> {
  const socket = proxyPort === undefined ? connectPlain(originPort, host) : connectPlain(proxyPort, "127.0.0.1");
  socket.setNoDelay(true);
  await once(socket, "connect");
  if (proxyPort !== undefined) await askForTunnel(socket, `${host}:${originPort}`);
  const secure = connectTls({
    socket,
    servername: serverName,
    secureContext,
    ALPNProtocols: [protocol ?? "http/1.1"],
    checkServerIdentity: (name, certificate) =>
      checkServerIdentity(name, certificate) && checkServerIdentity(host, certificate),
  });
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

/** Where telemetry is posted to. */
export const TELEMETRY_PATH = "/OneCollector/1.0?cors=true";

/** A OneCollector body of about `bodyBytes` bytes. */
export function telemetryBody(bodyBytes: number): string {
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
  return Array.from({ length: EVENTS_PER_REQUEST }, () => event(pad)).join("\n");
}

/** A POST of that body. */
export function requestBytes(host: string, { originPort, bodyBytes }: LoadOrder): Buffer {
  const body = telemetryBody(bodyBytes);
  const head = [
    `POST ${TELEMETRY_PATH} HTTP/1.1`,
    `Host: ${host}:${originPort}`,
    "Content-Type: application/x-json-stream",
    `Content-Length: ${Buffer.byteLength(body)}`,
  ];
  return Buffer.from(`${head.join("\r\n")}\r\n\r\n${body}`);
}

/** One connection that carries one request at a time. */
export interface Lane {
  /** Sends the request and resolves with the time of its answer's last byte. */
  post(): Promise<number>;
  end(): void;
}

/** A lane on an open connection; a request that differs from time to time is asked for. Any answer but 200, and any error, fails the request. */
export function laneOn(socket: TLSSocket, request: Buffer | (() => Buffer)): Lane {
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
        socket.write(typeof request === "function" ? request() : request);
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
