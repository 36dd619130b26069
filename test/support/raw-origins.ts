import { createServer as createHttp, type IncomingMessage, type RequestListener } from "node:http";
import { createSecureServer, type Http2Session, type IncomingHttpHeaders, type ServerHttp2Stream } from "node:http2";
import { createServer as createHttps } from "node:https";
import type { TestContext } from "node:test";
import { sumOf } from "./both-ways.ts";
import type { LoopbackCertificate } from "./certificate.ts";
import { listening } from "./room.ts";

/** What an origin got, eldest first. */
export type Received = unknown[];

export interface Origin {
  readonly port: number;
  /** Takes what was received since it was last asked. */
  taken(): unknown[];
}

/** An origin of HTTP/1.1, in the clear or inside TLS, whose answers have all that a proxy could lose. */
export async function http1Origin(
  t: TestContext,
  { pair, host = "127.0.0.1" }: { readonly pair?: LoopbackCertificate; readonly host?: string } = {},
): Promise<Origin> {
  const received: Received = [];
  const listener: RequestListener = (request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const body = Buffer.concat(chunks);
      received.push(asReceived(request, body));
      response.sendDate = false;
      answer(request, response, body);
    });
  };
  const server = pair === undefined ? createHttp(listener) : createHttps({ ...pair }, listener);
  return { port: await listening(t, server, host), taken: () => received.splice(0) };
}

function asReceived(request: IncomingMessage, body: Buffer): unknown {
  const { method, url, httpVersion, rawHeaders, rawTrailers } = request;
  // Loopback's name stands for whichever port the origin got.
  return { method, url, httpVersion, rawHeaders, rawTrailers, body: sumOf(body) };
}

const ODD_HEADERS = ["X-CaSe", "1", "x-case", "2", "Set-Cookie", "a=1", "Set-Cookie", "b=2", "X-Empty", ""] as const;

function answer(request: IncomingMessage, response: Parameters<RequestListener>[1], body: Buffer): void {
  const { url = "" } = request;
  if (url.startsWith("/none")) return void response.writeHead(204, "Nothing At All", [...ODD_HEADERS]).end();
  if (url.startsWith("/same")) return void response.writeHead(304, ["ETag", '"x"']).end();
  if (url.startsWith("/wrong")) {
    return void response.writeHead(503, "Come Back Later", [...ODD_HEADERS, "Content-Length", "4"]).end("busy");
  }
  if (url.startsWith("/echo")) response.writeEarlyHints({ link: "</a.css>; rel=preload" });
  response.writeHead(201, "Made So", [...ODD_HEADERS, "Trailer", "X-Sum"]);
  for (let from = 0; from < body.length; from += 10_000) response.write(body.subarray(from, from + 10_000));
  response.addTrailers([
    ["X-Sum", sumOf(body).sha256],
    ["x-SUM", "again"],
  ]);
  response.end("the end");
}

/** Streams that are answered together, once all of them have arrived. */
export const TOGETHER = 100;

/**
 * An origin of HTTP/2 inside TLS. A stream is answered with what it sent, doubled, and a trailer; those of `/together` wait for
 * each other, so that a hundred of them are open at once, and are answered last one first.
 */
export async function http2Origin(t: TestContext, pair: LoopbackCertificate, host = "127.0.0.1"): Promise<Origin> {
  const received: Received = [];
  const waiting = new WeakMap<Http2Session, (() => void)[]>();
  const server = createSecureServer({ ...pair, settings: { maxConcurrentStreams: 2 * TOGETHER } });
  server.on("sessionError", () => undefined);
  server.on("stream", (stream: ServerHttp2Stream, headers: IncomingHttpHeaders, ...rest: readonly unknown[]) => {
    const [, rawHeaders] = rest;
    const chunks: Buffer[] = [];
    stream.on("error", () => undefined);
    stream.on("data", (chunk: Buffer) => chunks.push(chunk));
    stream.on("end", () => {
      const body = Buffer.concat(chunks);
      const note = { rawHeaders, body: sumOf(body) };
      const { session } = stream;
      const index = /^\/together\/([0-9]+)$/.exec(String(headers[":path"]))?.[1];
      if (session === undefined || index === undefined) {
        received.push(note);
        return answerStream(stream, body);
      }
      const all = waiting.get(session) ?? [];
      waiting.set(session, all);
      all[TOGETHER - 1 - Number(index)] = () => {
        received.push(note);
        answerStream(stream, body);
      };
      // Which of the uploads ends first is up to the two ends' flow control; the answers have an order of their own.
      if (Object.keys(all).length === TOGETHER) for (const answerNow of all) answerNow();
    });
  });
  return { port: await listening(t, server, host), taken: () => received.splice(0) };
}

const STATUSES = [200, 201, 203, 404, 503] as const;

function answerStream(stream: ServerHttp2Stream, body: Buffer): void {
  const status = STATUSES[body.length % STATUSES.length];
  stream.once("wantTrailers", () => stream.sendTrailers({ "x-sum": sumOf(body).sha256 }));
  const headers = { ":status": status, date: "Thu, 01 Jan 2026 00:00:00 GMT", "x-bytes": String(body.length) };
  stream.respond({ ...headers, "set-cookie": ["a=1", "b=2"] }, { waitForTrailers: true });
  stream.write(body);
  stream.end(body);
}
