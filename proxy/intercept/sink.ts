import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { Exchange, RawHeaders } from "../record/exchange.ts";
import { headerOf } from "../record/exchange.ts";
import type { Engine } from "./engine.ts";
import { watchHandshake } from "./handshake.ts";
import { type StreamVisit, serveHttp2 } from "./http2-sink.ts";
import type { SinkAnswer } from "./interceptor.ts";
import type { Link } from "./links.ts";
import { upstreamReason as reasonOf } from "./problem.ts";
import { pairHeaders } from "./raw-headers.ts";
import type { Asked, OpenExchange, Origin, RequestFacts } from "./recorder.ts";
import { sniff } from "./sniff.ts";
import { answerClient } from "./tls.ts";

/** The app decides how long an upload takes and how long a connection is kept: one that we ended could be in use just then. */
const PATIENT = { keepAliveTimeout: 0, requestTimeout: 0, headersTimeout: 0 };
const EMPTY: SinkAnswer = { status: 200, headers: [], body: new Uint8Array() };

const HTTP1 = "http/1.1";
const HTTP2 = "h2";

/** Answers requests itself, in the place of every upstream (`--sink`). */
export class Sink {
  readonly #engine: Engine;
  readonly #answerOf: (exchange: Exchange) => SinkAnswer;
  /** Speaks HTTP/1.1 over connections handed to it; it never listens. */
  readonly #server: Server;
  readonly #origins = new WeakMap<Socket, Origin>();

  constructor(engine: Engine, answerOf: (exchange: Exchange) => SinkAnswer) {
    this.#engine = engine;
    this.#answerOf = answerOf;
    this.#server = createServer({ ...PATIENT, maxHeaderSize: 1 << 20 }, (request, response) => {
      const origin = this.#origins.get(request.socket);
      if (origin === undefined) response.destroy();
      else this.serve(request, response, { ...origin, target: request.url ?? "/" });
    });
    this.#server.on("clientError", (_, socket) => {
      engine.counts.clientErrors += 1;
      if (socket.writable) socket.end("HTTP/1.1 400 Bad Request\r\nConnection: close\r\nContent-Length: 0\r\n\r\n");
    });
  }

  /** Takes over a tunnel that was told to be open: TLS is answered with our certificate, clear HTTP as it is, anything else is ended. */
  async acceptTunnel(client: Socket, asked: Asked): Promise<void> {
    const opening = await sniff(client, undefined);
    if (opening.kind === "opaque") {
      this.#engine.counts.opaque += 1;
      this.#engine.counts.unread += 1;
      client.destroy();
      return;
    }
    if (opening.kind !== "tls") return this.#adopt(client, { scheme: "http", ...asked }, opening.kind);
    const name = opening.hello.serverName ?? asked.host;
    const context = await this.#engine.contextFor(name).catch((error: unknown) => {
      this.#engine.hosts.trouble("client", asked, `no certificate can be made for it (${reasonOf(error)})`);
    });
    if (context === undefined) return void client.destroy();
    const { protocols } = opening.hello;
    const protocol = protocols.includes(HTTP2) && !protocols.includes(HTTP1) ? HTTP2 : HTTP1;
    const secured = answerClient(client, context, protocols.length === 0 ? undefined : protocol);
    secured.on("error", () => undefined);
    watchHandshake(this.#engine, { asked, answered: secured });
    const origin: Origin = { ...asked, scheme: "https", host: name };
    this.#adopt(secured, origin, protocol === HTTP1 ? "http" : "http2");
  }

  /** Reads one request to its end, answers it, and records it with that answer. */
  serve(request: IncomingMessage, response: ServerResponse, origin: Origin & { readonly target: string }): void {
    const { target, ...asked } = origin;
    const headers = pairHeaders(request.rawHeaders);
    const facts = { method: request.method ?? "GET", target, headers };
    const open = this.#engine.recorder.begin(asked, facts);
    request.on("error", () => undefined);
    response.on("error", () => undefined);
    request.on("data", (chunk: Buffer) => open.addBody(chunk));
    request.once("end", () => this.#answer(response, open, headers));
    response.once("close", () => open.abandon());
  }

  #answer(response: ServerResponse, open: OpenExchange, headers: RawHeaders): void {
    const { status, headers: all, body, stays } = this.#conclude(open, headers);
    if (stays === true) {
      response.writeHead(status, all.flat());
      response.write(body);
      return;
    }
    const isFramed = status === 204 || headerOf(all, "content-length") !== undefined;
    const length = isFramed ? [] : ["Content-Length", String(body.length)];
    response.writeHead(status, [...all.flat(), ...length]);
    response.end(status === 204 ? undefined : body);
  }

  /** The request is whole: it is recorded, and this is what its sender gets. */
  #conclude(open: OpenExchange, headers: RawHeaders): SinkAnswer {
    const isPreflight = open.method === "OPTIONS" && headerOf(headers, "access-control-request-method") !== undefined;
    const answer = isPreflight ? preflight(headers) : this.#ask(open);
    open.answer(answer.status);
    open.endAnswer(true); // our own words are nothing to record
    open.finish(true);
    const cors = corsHeaders(headers).filter(([name]) => headerOf(answer.headers, name) === undefined);
    return { ...answer, headers: [...answer.headers, ...cors] };
  }

  #visit(origin: Origin, facts: RequestFacts): StreamVisit {
    const open = this.#engine.recorder.begin(origin, facts);
    return {
      body: (bytes) => open.addBody(bytes),
      answer: () => this.#conclude(open, facts.headers),
      close: () => open.abandon(),
    };
  }

  #ask(open: OpenExchange): SinkAnswer {
    return this.#engine.recorder.guard(() => this.#answerOf(open.exchange(true))) ?? EMPTY;
  }

  #adopt(socket: Socket, origin: Origin, protocol: "http" | "http2"): void {
    this.#engine.counts.intercepted += 1;
    const entry: Link = { isBusy: () => false, cut: () => void socket.destroy() };
    this.#engine.links.add(entry);
    socket.once("close", () => this.#engine.links.delete(entry));
    if (protocol === "http2") return void serveHttp2(socket, (facts) => this.#visit(origin, facts));
    this.#origins.set(socket, origin);
    this.#server.emit("connection", socket);
    socket.resume();
  }
}

/** What a browser wants to hear before it sends a cross-origin request (Fetch standard, CORS-preflight fetch). */
function preflight(headers: RawHeaders): SinkAnswer {
  const wanted = headerOf(headers, "access-control-request-headers");
  const allowed: RawHeaders = [
    ["Access-Control-Allow-Methods", headerOf(headers, "access-control-request-method") ?? "GET, POST"],
    ...(wanted === undefined ? [] : [["Access-Control-Allow-Headers", wanted] as const]),
  ];
  return { status: 204, headers: allowed, body: new Uint8Array() };
}

function corsHeaders(headers: RawHeaders): RawHeaders {
  const origin = headerOf(headers, "origin");
  if (origin === undefined) return [];
  return [
    ["Access-Control-Allow-Origin", origin],
    ["Access-Control-Allow-Credentials", "true"],
  ];
}
