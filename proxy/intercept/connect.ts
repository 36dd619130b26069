import type { Socket } from "node:net";
import { formatEndpoint, parseConnectTarget } from "./authority.ts";
import { Conversation } from "./conversation.ts";
import { dial } from "./dial.ts";
import { decide, type Engine, isKeptIn, route, upstreamProblem } from "./engine.ts";
import { watchHandshake } from "./handshake.ts";
import type { ClientHello } from "./hello.ts";
import { Http2Conversation } from "./http2-conversation.ts";
import type { Endpoint } from "./interceptor.ts";
import type { Link } from "./links.ts";
import { keptInReason, upstreamReason } from "./problem.ts";
import type { Origin } from "./recorder.ts";
import { refuse } from "./reply.ts";
import type { Sink } from "./sink.ts";
import { sniff } from "./sniff.ts";
import { join, type Side } from "./tee.ts";
import { answerClient, upstreamHandshake } from "./tls.ts";
import { type Listener, type Watcher, watch } from "./watcher.ts";

const ESTABLISHED = "HTTP/1.1 200 Connection Established\r\n\r\n";

export interface ConnectRequest {
  readonly target: string;
  readonly client: Socket;
  /** What the client sent right behind its CONNECT. */
  readonly head: Buffer;
}

/** Serves one CONNECT from its first to its last byte: refuses it, passes it on unseen, or reads along. */
export async function serveConnect(engine: Engine, request: ConnectRequest, sink: Sink | undefined): Promise<void> {
  const { client, head, target } = request;
  client.setNoDelay(true);
  const asked = parseConnectTarget(target);
  client.once("error", () => {
    if (client.writableEnded) return; // it was told all it will be told, and need not read it
    engine.counts.clientErrors += 1;
    if (asked !== undefined) engine.hosts.count("clientErrors", asked);
  });
  client.on("error", () => undefined);
  if (head.length > 0) client.unshift(head);
  if (asked === undefined) {
    engine.counts.clientErrors += 1;
    return refuse(client, "400 Bad Request", `"${target}" is not host:port (an IPv6 address needs brackets)`);
  }
  const endpoint = await route(engine, asked);
  if (endpoint === "refused") return refuse(client, "403 Forbidden", `"${target}" is a port of waymark's own`);
  const decision = decide(engine, asked);
  const isIntercepted = decision === "intercept";
  if (isIntercepted && sink !== undefined) {
    client.write(ESTABLISHED);
    return sink.acceptTunnel(client, asked);
  }
  if (isKeptIn(engine, asked, endpoint)) return refuse(client, "502 Bad Gateway", keptInReason(formatEndpoint(asked)));
  const upstream = await dialFor(engine, client, { asked, endpoint });
  if (upstream === undefined) return;
  client.write(ESTABLISHED);
  if (isIntercepted) return readAlong(engine, asked, { client, upstream });
  engine.counts.tunnelled += 1;
  engine.hosts.count(decision === "bypass" ? "bypassed" : "unseen", asked);
  link(engine, plainSide(client), plainSide(upstream));
}

interface Tunnel {
  readonly client: Socket;
  readonly upstream: Socket;
}

/** Dials as long as the client waits; tells it in words when that fails. */
async function dialFor(
  engine: Engine,
  client: Socket,
  { asked, endpoint }: { readonly asked: Endpoint; readonly endpoint: Endpoint },
): Promise<Socket | undefined> {
  let giveUp: () => void = () => undefined;
  try {
    const upstream = await dial(engine, endpoint, (socket) => {
      giveUp = () => void socket.destroy();
      client.once("close", giveUp);
    });
    client.off("close", giveUp);
    if (!client.destroyed) return upstream;
    upstream.destroy();
  } catch (error) {
    client.off("close", giveUp);
    if (!client.destroyed) engine.hosts.trouble("upstream", asked, upstreamReason(error));
    refuse(client, "502 Bad Gateway", upstreamProblem(endpoint.host, error));
  }
  return undefined;
}

async function readAlong(engine: Engine, asked: Endpoint, tunnel: Tunnel): Promise<void> {
  const silent: Link = { isBusy: () => false, cut: () => void tunnel.client.destroy() };
  engine.links.add(silent);
  const opening = await sniff(tunnel.client, tunnel.upstream);
  engine.links.delete(silent);
  if (opening.kind === "tls") return readTls(engine, asked, tunnel, opening.hello);
  const [client, upstream] = [plainSide(tunnel.client), plainSide(tunnel.upstream)];
  if (opening.kind === "opaque") {
    engine.counts.opaque += 1;
    engine.counts.unread += 1;
    link(engine, client, upstream);
    return;
  }
  engine.counts.intercepted += 1;
  link(engine, client, upstream, listenerFor(engine, { scheme: "http", ...asked }, opening.kind));
}

/**
 * The upstream's handshake comes first, with the client's own server name and its own list of protocols; the upstream's
 * choice of them is what the client gets.
 */
async function readTls(
  engine: Engine,
  asked: Endpoint,
  { client, upstream }: Tunnel,
  hello: ClientHello,
): Promise<void> {
  const { serverName, protocols } = hello;
  const name = serverName ?? asked.host;
  let stream: Socket = upstream;
  const giveUp = (): void => void stream.destroy();
  client.once("close", giveUp);
  try {
    const onStream = (made: Socket): void => {
      stream = made;
      engine.links.track(made);
    };
    const tls = { name, serverName, protocols, trust: engine.trust, onStream };
    const handshake = upstreamHandshake(upstream, tls);
    const [secured, context] = await Promise.all([handshake, engine.contextFor(name)]);
    client.off("close", giveUp);
    const protocol = typeof secured.alpnProtocol === "string" ? secured.alpnProtocol : undefined;
    const answered = answerClient(client, context, protocol);
    watchHandshake(engine, { asked, answered, upstream: secured });
    const origin: Origin = { scheme: "https", host: name, port: asked.port };
    const listener = listenerFor(engine, origin, protocol);
    engine.counts[listener === undefined ? "unread" : "intercepted"] += 1;
    if (listener === undefined) engine.counts.opaque += 1;
    link(engine, { stream: answered, raw: client }, { stream: secured, raw: upstream }, listener);
  } catch (error) {
    // The client must see a failure where it would have seen one without us; the person at the proxy is told why.
    if (!client.destroyed) engine.hosts.trouble("upstream", asked, upstreamReason(error));
    client.destroy();
    giveUp();
    upstream.destroy();
  }
}

function plainSide(socket: Socket): Side {
  return { stream: socket, raw: socket };
}

/** Who can read the protocol inside; nobody when it is none of HTTP. */
export function listenerFor(
  { recorder }: Pick<Engine, "recorder">,
  origin: Origin,
  protocol: string | undefined,
): Listener | undefined {
  switch (protocol) {
    case undefined: // a server that chose none speaks HTTP/1
    case "http":
    case "http/1.0":
    case "http/1.1":
      return new Conversation(recorder, origin);
    case "http2":
    case "h2":
      return new Http2Conversation(recorder, origin);
    default:
      return undefined;
  }
}

/** Joins the two sides, watched when there is a listener, and keeps account of the link for the drain. */
export function link(engine: Engine, client: Side, upstream: Side, listener?: Listener): void {
  const watcher: Watcher | undefined = listener && watch(listener, engine.recorder);
  const entry: Link = {
    isBusy: () => listener?.isBusy ?? true,
    cut: () => {
      // What has just been passed on still has to go out.
      client.stream.destroySoon();
      upstream.stream.destroySoon();
    },
  };
  if (listener !== undefined) listener.onIdle = () => engine.links.idle(entry);
  engine.links.add(entry);
  join(client, upstream, watcher, () => engine.links.delete(entry));
}
