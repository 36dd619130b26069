import type { Socket } from "node:net";
import { formatEndpoint } from "./authority.ts";
import { Conversation } from "./conversation.ts";
import { dialThrough } from "./dial.ts";
import { decide, type Engine, isKeptIn, route, upstreamProblem } from "./engine.ts";
import { Http2Conversation } from "./http2-conversation.ts";
import type { Endpoint } from "./interceptor.ts";
import type { Link } from "./links.ts";
import { keptInReason, upstreamReason } from "./problem.ts";
import type { Asked, Origin } from "./recorder.ts";
import type { Sink } from "./sink.ts";
import { sniff } from "./sniff.ts";
import { join, type Side } from "./tee.ts";
import { type Secured, secure } from "./tls-tunnel.ts";
import type { TunnelReply } from "./tunnel-reply.ts";
import { type Listener, type Watcher, watch } from "./watcher.ts";

export interface TunnelRequest {
  /** As the client wrote it. */
  readonly target: string;
  /** What that means; undefined when it means nothing. */
  readonly asked: Asked | undefined;
  readonly client: Socket;
  readonly reply: TunnelReply;
}

/** Serves one tunnel (CONNECT or SOCKS5) from its first to its last byte: refuses it, passes it on unseen, or reads along. */
export async function serveTunnel(engine: Engine, request: TunnelRequest, sink: Sink | undefined): Promise<void> {
  const { client, target, asked, reply } = request;
  client.setNoDelay(true);
  client.once("error", () => {
    if (client.writableEnded) return; // it was told all it will be told, and need not read it
    engine.counts.clientErrors += 1;
    if (asked !== undefined) engine.hosts.count("clientErrors", asked);
  });
  client.on("error", () => undefined);
  if (asked === undefined) {
    engine.counts.clientErrors += 1;
    return reply.refuse(client, "malformed", `"${target}" is not host:port (an IPv6 address needs brackets)`);
  }
  const endpoint = await route(engine, asked);
  if (endpoint === "refused") return reply.refuse(client, "forbidden", `"${target}" is a port of waymark's own`);
  const decision = decide(engine, asked);
  if (decision === "intercept" && sink !== undefined) {
    reply.accept(client);
    return sink.acceptTunnel(client, asked);
  }
  if (isKeptIn(engine, asked, endpoint)) {
    return reply.refuse(client, "unreachable", keptInReason(formatEndpoint(asked)));
  }
  const way = { asked, endpoint, client };
  const upstream = await dialFor(engine, way, (text) => reply.refuse(client, "unreachable", text));
  if (upstream === undefined) return;
  reply.accept(client);
  const isGivenUp = decision === "intercept" && engine.unopened.has(asked);
  if (decision === "intercept" && !isGivenUp) return readAlong(engine, way, upstream);
  if (isGivenUp) passUnopened(engine, way, "its clients do not let waymark open it");
  passUnseen(engine, way, upstream, decision === "bypass" ? "bypassed" : "unseen");
}

interface Way {
  readonly asked: Asked;
  /** Where the bytes go. */
  readonly endpoint: Endpoint;
  readonly client: Socket;
}

/** Dials as long as the client waits; hands over in words why that failed. */
async function dialFor(
  engine: Engine,
  { asked, endpoint, client }: Way,
  tell: (text: string) => void,
): Promise<Socket | undefined> {
  let giveUp: () => void = () => undefined;
  try {
    const upstream = await dialThrough(engine, endpoint, (socket) => {
      giveUp = () => void socket.destroy();
      client.once("close", giveUp);
    });
    client.off("close", giveUp);
    if (!client.destroyed) return upstream;
    upstream.destroy();
  } catch (error) {
    client.off("close", giveUp);
    if (!client.destroyed) engine.hosts.trouble("upstream", asked, upstreamReason(error));
    tell(upstreamProblem(endpoint.host, error));
  }
  return undefined;
}

function passUnseen(engine: Engine, { asked, client }: Way, upstream: Socket, why: "bypassed" | "unseen"): void {
  engine.counts.tunnelled += 1;
  engine.hosts.count(why, asked);
  link(engine, plainSide(client), plainSide(upstream));
}

/** Counts, and tells at both ends of its life, a connection that was to be opened and is not. */
function passUnopened(engine: Engine, { asked, client }: Way, why: string): void {
  engine.counts.unopened += 1;
  engine.hosts.count("unopened", asked);
  tellUnread(engine, asked, { client, why });
}

interface UnreadLife {
  readonly client: Socket;
  readonly why: string;
}

/** Whoever looks at a part of the capture has to find it there, so a long connection is told when it ends as well. */
function tellUnread({ recorder }: Engine, asked: Endpoint, { client, why }: UnreadLife): void {
  recorder.unread(asked, why);
  client.once("close", () => recorder.unread(asked, why));
}

async function readAlong(engine: Engine, way: Way, upstream: Socket): Promise<void> {
  const { asked, client } = way;
  const silent: Link = { isBusy: () => false, cut: () => void client.destroy() };
  engine.links.add(silent);
  const opening = await sniff(client, upstream);
  engine.links.delete(silent);
  if (opening.kind === "tls") {
    const secured = await secure(engine, { asked, client, upstream, hello: opening.hello });
    return secured === undefined ? fallBack(engine, way) : linkSecured(engine, asked, secured);
  }
  if (opening.kind === "opaque") {
    engine.counts.opaque += 1;
    engine.counts.unread += 1;
    if (opening.hasBytes) tellUnread(engine, asked, { client, why: "what it carries is neither TLS nor HTTP" });
    link(engine, plainSide(client), plainSide(upstream));
    return;
  }
  engine.counts.intercepted += 1;
  const listener = listenerFor(engine, { scheme: "http", ...asked }, opening.kind);
  link(engine, plainSide(client), plainSide(upstream), listener);
}

/** The upstream would not shake hands with us, or wants to see the client's certificate: the client gets a connection of its own, to meet there what it would have met. */
async function fallBack(engine: Engine, way: Way): Promise<void> {
  if (way.client.destroyed) return;
  const upstream = await dialFor(engine, way, () => way.client.destroy());
  if (upstream === undefined) return;
  const isGivenUp = engine.unopened.has(way.asked);
  passUnopened(
    engine,
    way,
    isGivenUp ? "its server wants a client certificate" : "no TLS could be agreed on with its server",
  );
  passUnseen(engine, way, upstream, "unseen");
}

function linkSecured(engine: Engine, asked: Endpoint, { client, upstream, protocol, origin }: Secured): void {
  client.stream.once("data", () => engine.unopened.trusted(asked));
  const listener = listenerFor(engine, origin, protocol);
  engine.counts[listener === undefined ? "unread" : "intercepted"] += 1;
  if (listener === undefined) {
    engine.counts.opaque += 1;
    tellUnread(engine, asked, { client: client.raw, why: "its protocol inside TLS is none of HTTP" });
  }
  link(engine, client, upstream, listener);
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
