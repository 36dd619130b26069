import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { headerOf, type RawHeaders } from "../record/exchange.ts";
import { type AbsoluteTarget, formatEndpoint, parseAbsoluteTarget } from "./authority.ts";
import { link, listenerFor } from "./connect.ts";
import { decide, type Engine, isKeptIn, route, upstreamProblem } from "./engine.ts";
import { PlainForward } from "./forward.ts";
import type { Onward } from "./front.ts";
import type { Endpoint } from "./interceptor.ts";
import { OddExchange } from "./odd-exchange.ts";
import { oddHeadFor, readOddHead } from "./odd-head.ts";
import { keptInReason, upstreamReason } from "./problem.ts";
import { FOR_PROXY, headerLines, pairHeaders } from "./raw-headers.ts";
import type { Recorder } from "./recorder.ts";
import { refuse, replyText } from "./reply.ts";
import type { OfRun } from "./run-credentials.ts";
import type { Sink } from "./sink.ts";
import { Turns } from "./turns.ts";
import { type Upstream, UpstreamPool } from "./upstream.ts";
import { watch } from "./watcher.ts";

const HELP = `this is waymark's proxy, not a web site.
Point a program at it with HTTP_PROXY and HTTPS_PROXY (\`waymark env\` prints what to set), then ask for its usual address.`;
/** How long a request whose client is gone may still wait for its connection upstream. */
const ORPHAN_MS = 5_000;
const CHUNKED_OLD = "a body in chunks does not exist in HTTP/1.0, so nobody knows where it ends";
const LOOP = "a port of waymark's own was asked for through the proxy; nothing was sent";

/** Where a request goes, and who keeps it. */
interface Way {
  readonly target: AbsoluteTarget;
  readonly endpoint: Endpoint;
  readonly recorder: Recorder;
}

/** A request's head as sent, but for its target and what is meant for the proxy. */
interface AskedHead {
  readonly method: string;
  readonly httpVersion: string;
  readonly headers: RawHeaders;
}

interface Waiter {
  readonly isTunnel?: boolean;
  readonly waiting: ServerResponse | Socket;
  readonly isWanted: () => boolean;
}

/** Serves requests that come to the proxy in absolute form: `http://`, and `https://` for which it opens TLS itself. */
export class PlainServer {
  readonly #engine: Engine;
  readonly #sink: Sink | undefined;
  readonly #pool: UpstreamPool;
  /** Connections that have carried a plain request. */
  readonly #counted = new WeakSet<Socket>();
  readonly #turns = new Turns();

  constructor(engine: Engine, sink: Sink | undefined) {
    this.#engine = engine;
    this.#sink = sink;
    this.#pool = new UpstreamPool(engine);
  }

  async serve(request: IncomingMessage, response: ServerResponse, awaitsContinue: boolean): Promise<void> {
    request.on("error", () => undefined);
    response.on("error", () => undefined);
    const target = parseAbsoluteTarget(request.url ?? "");
    if (target === undefined) return this.#turns.take(request, response, async () => this.#explain(request, response));
    this.#countConnection(request.socket);
    const serve = (): Promise<void> => this.#serveTarget(request, response, { target, awaitsContinue });
    if (this.#isForSink(target)) return serve();
    return this.#turns.take(request, response, serve);
  }

  async #serveTarget(
    request: IncomingMessage,
    response: ServerResponse,
    { target, awaitsContinue }: { readonly target: AbsoluteTarget; readonly awaitsContinue: boolean },
  ): Promise<void> {
    if (isChunkedOld(request)) {
      this.#engine.counts.clientErrors += 1;
      return replyText(response, 400, CHUNKED_OLD);
    }
    const endpoint = await route(this.#engine, target);
    if (endpoint === "refused") return replyText(response, 508, LOOP);
    const decision = decide(this.#engine, target);
    if (decision === "intercept" && this.#sink !== undefined) {
      if (awaitsContinue) response.writeContinue();
      const { scheme, host, port, path } = target;
      return this.#sink.serve(request, response, { scheme, host, port, ...this.#runOf(request), target: path });
    }
    if (isKeptIn(this.#engine, target, endpoint)) {
      return replyText(response, 502, keptInReason(formatEndpoint(target)));
    }
    await this.#forward(request, response, { target, endpoint, recorder: this.#recorderFor(decision) });
  }

  /** An upgrade in absolute form (`ws://`): the head goes on as sent, then bytes are passed both ways. */
  async serveUpgrade(request: IncomingMessage, client: Socket, head: Buffer): Promise<void> {
    client.on("error", () => undefined);
    const target = parseAbsoluteTarget(request.url ?? "");
    if (target === undefined) return refuse(client, "404 Not Found", HELP);
    this.#countConnection(client);
    if (isChunkedOld(request)) return refuse(client, "400 Bad Request", CHUNKED_OLD);
    const endpoint = await route(this.#engine, target);
    if (endpoint === "refused") return refuse(client, "508 Loop Detected", LOOP);
    const decision = decide(this.#engine, target);
    if (decision === "intercept" && this.#sink !== undefined)
      return refuse(client, "501 Not Implemented", "an offline proxy cannot switch protocols");
    if (isKeptIn(this.#engine, target, endpoint)) {
      return refuse(client, "502 Bad Gateway", keptInReason(formatEndpoint(target)));
    }
    const upstream = await this.#open(target, endpoint, {
      waiting: client,
      isWanted: () => false,
      isTunnel: true,
    }).catch((error: unknown) => {
      refuse(client, "502 Bad Gateway", upstreamProblem(target.host, error));
      return undefined;
    });
    if (upstream === undefined) return;
    if (head.length > 0) client.unshift(head);
    const { method = "GET", httpVersion } = request;
    const asked = { method, httpVersion, headers: forwardedHeaders(request) };
    const first = Buffer.from(headText(asked, target.path), "latin1");
    upstream.stream.write(first);
    const { scheme, host, port } = target;
    const origin = { scheme, host, port, ...this.#runOf(request) };
    const engine = { ...this.#engine, recorder: this.#recorderFor(decision) };
    const conversation = listenerFor(engine, origin, "http");
    link(engine, { stream: client, raw: client }, upstream, conversation);
    if (conversation === undefined) return;
    const toDrain = conversation.onIdle;
    // Refused by the server. The client's next request could be for another one, so this connection ends here.
    conversation.onIdle = () => {
      toDrain?.();
      client.destroySoon();
    };
    this.#engine.recorder.guard(() => conversation.request(first));
  }

  /** A request that Node's server would refuse or change. Its head has come and is still to be read. */
  async serveOdd(client: Socket, headBytes: number, { again, toNode }: Onward): Promise<void> {
    const head = readOddHead((client.read(headBytes) as Buffer | null) ?? Buffer.alloc(0));
    this.#countConnection(client);
    if (head === undefined) {
      this.#engine.counts.clientErrors += 1;
      return refuse(client, "400 Bad Request", "a request that cannot be read with certainty");
    }
    const { address } = head;
    if (head.isOld && this.#isForSink(address)) {
      client.unshift(head.bytes);
      return toNode();
    }
    const endpoint = await route(this.#engine, address);
    if (endpoint === "refused") return refuse(client, "508 Loop Detected", LOOP);
    const decision = decide(this.#engine, address);
    if (decision === "intercept" && this.#sink !== undefined)
      return refuse(client, "501 Not Implemented", "an offline proxy does not answer this kind of request");
    if (isKeptIn(this.#engine, address, endpoint))
      return refuse(client, "502 Bad Gateway", keptInReason(formatEndpoint(address)));
    const { scheme, host, port } = address;
    const origin = { scheme, host, port, ...this.#engine.runs.ofHeader(headerOf(head.headers, "proxy-authorization")) };
    const engine = { ...this.#engine, recorder: this.#recorderFor(decision) };
    const listener = listenerFor(engine, origin, "http");
    const watcher = listener && watch(listener, engine.recorder);
    const exchange = new OddExchange({ engine, client, head, target: address, watcher, again });
    try {
      const upstream = await this.#open(address, endpoint, { waiting: client, isWanted: () => false });
      exchange.start(upstream, oddHeadFor(head, endpoint, this.#engine.via));
    } catch (error) {
      exchange.fail(error);
    }
  }

  #isForSink(target: AbsoluteTarget): boolean {
    return this.#sink !== undefined && decide(this.#engine, target) === "intercept";
  }

  #countConnection(client: Socket): void {
    if (this.#counted.has(client)) return;
    this.#counted.add(client);
    client.on("error", () => undefined);
    this.#engine.counts.plain += 1;
  }

  #runOf({ headers }: IncomingMessage): OfRun {
    return this.#engine.runs.ofHeader(headers["proxy-authorization"]);
  }

  #recorderFor(decision: ReturnType<typeof decide>): Recorder {
    const { recorder, passing, bypassed } = this.#engine;
    return { intercept: recorder, tunnel: passing, bypass: bypassed }[decision];
  }

  #explain(request: IncomingMessage, response: ServerResponse): void {
    const path = request.url ?? "";
    const isOrigin = path.startsWith("/") || path === "*";
    if (!isOrigin) this.#engine.counts.clientErrors += 1;
    if (isOrigin) replyText(response, path === "/" ? 200 : 404, HELP);
    else replyText(response, 400, `"${path}" is no address of http:// or https://`);
  }

  async #forward(
    request: IncomingMessage,
    response: ServerResponse,
    { target, endpoint, recorder }: Way,
  ): Promise<void> {
    const headers = forwardedHeaders(request);
    const { method = "GET", httpVersion } = request;
    const { scheme, host, port, path } = target;
    const origin = { scheme, host, port, ...this.#runOf(request) };
    const open = recorder.begin(origin, { method, target: path, headers });
    const forward = new PlainForward({ engine: this.#engine, request, response, open, target });
    try {
      const idle = this.#pool.take(request.socket, target);
      const isWanted = (): boolean => forward.isRequestWhole;
      const upstream = idle ?? (await this.#open(target, endpoint, { waiting: response, isWanted }));
      const head = this.#headFor(target, endpoint, { method, httpVersion, headers });
      forward.start(upstream, { head, isReused: idle !== undefined }, () =>
        this.#pool.put(request.socket, target, upstream),
      );
    } catch (error) {
      forward.fail(error);
    }
  }

  /** In absolute form for the upstream proxy, which wants its own credentials; else as for the server itself. */
  #headFor({ scheme, path }: AbsoluteTarget, endpoint: Endpoint, asked: AskedHead): string {
    const { via } = this.#engine;
    if (scheme !== "http" || via?.takes(endpoint) !== true) return headText(asked, path);
    const { authorization } = via;
    const proof: RawHeaders = authorization === undefined ? [] : [["Proxy-Authorization", authorization]];
    const headers = [...asked.headers, ...proof];
    return headText({ ...asked, headers }, `http://${formatEndpoint(endpoint)}${path}`);
  }

  /** Opens a connection upstream that is given up when the waiting side goes, a little later when it is wanted all the same. */
  async #open(
    target: AbsoluteTarget,
    endpoint: Endpoint,
    { waiting, isWanted, isTunnel = false }: Waiter,
  ): Promise<Upstream> {
    let socket: Socket | undefined;
    let limit: NodeJS.Timeout | undefined;
    const giveUp = (): void => {
      if (isWanted()) limit = setTimeout(() => socket?.destroy(), ORPHAN_MS);
      else socket?.destroy();
    };
    waiting.once("close", giveUp);
    try {
      const onSocket = (made: Socket): void => {
        socket = made;
      };
      return await this.#pool.open(target, endpoint, { onSocket, isTunnel });
    } catch (error) {
      if (!waiting.destroyed) this.#engine.hosts.trouble("upstream", target, upstreamReason(error));
      throw error;
    } finally {
      clearTimeout(limit);
      waiting.off("close", giveUp);
    }
  }
}

/** The request's headers as sent, without those meant for the proxy; with a Host when an HTTP/1.0 client sent none. */
function forwardedHeaders(request: IncomingMessage): RawHeaders {
  const headers = pairHeaders(request.rawHeaders).filter(([name]) => !FOR_PROXY.has(name.toLowerCase()));
  const hasHost = headers.some(([name]) => name.toLowerCase() === "host");
  return hasHost ? headers : [["Host", parseAbsoluteTarget(request.url ?? "")?.authority ?? ""], ...headers];
}

function headText({ method, httpVersion, headers }: AskedHead, target: string): string {
  return `${method} ${target} HTTP/${httpVersion}\r\n${headerLines(headers)}\r\n`;
}

/** HTTP/1.0 knows no chunks (RFC 9112 section 6.1): one parser would read them, another one take them for the next request. */
function isChunkedOld({ httpVersion, headers }: IncomingMessage): boolean {
  return httpVersion !== "1.1" && headers["transfer-encoding"] !== undefined;
}
