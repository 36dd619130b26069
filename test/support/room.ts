import { once } from "node:events";
import { createServer as createHttp, type Server as HttpServer, type RequestListener } from "node:http";
import { createServer as createHttps } from "node:https";
import { type AddressInfo, connect, type Server, type Socket } from "node:net";
import type { TestContext } from "node:test";
import { connect as connectTls, type TLSSocket } from "node:tls";
import { type Authority, openAuthority } from "../../certs/authority.ts";
import { createCertificateFor } from "../../certs/leaf.ts";
import { type Interceptor, type InterceptorOptions, startInterceptor } from "../../proxy/intercept/index.ts";
import type { Exchange } from "../../proxy/record/exchange.ts";
import { scratchFolder } from "./scratch.ts";

/** A running proxy with what it saw, closed when the test ends. */
export interface ProxyRoom {
  readonly proxy: Interceptor;
  readonly port: number;
  /** Authority the proxy signs with, and the one origins made by `tlsOrigin` use. */
  readonly authority: Authority;
  readonly originAuthority: Authority;
  readonly exchanges: Exchange[];
  readonly answers: Map<string, number | undefined>;
  /** What the proxy said of its connections. */
  readonly troubles: string[];
}

/** Starts a proxy on a free port that trusts the test's origins. */
export async function proxyRoom(t: TestContext, options: Partial<InterceptorOptions> = {}): Promise<ProxyRoom> {
  const { authority } = await openAuthority(scratchFolder(t));
  const { authority: originAuthority } = await openAuthority(scratchFolder(t));
  const exchanges: Exchange[] = [];
  const answers = new Map<string, number | undefined>();
  const troubles: string[] = [];
  const proxy = await startInterceptor({
    listen: "127.0.0.1",
    port: 0,
    decide: () => "intercept",
    certificateFor: createCertificateFor(authority),
    map: new Map(),
    upstreamCa: originAuthority.certPem,
    maxBodyBytes: 8 << 20,
    onExchange: (exchange) => void exchanges.push(exchange),
    onAnswer: (id, status) => void answers.set(id, status),
    onTrouble: (text) => void troubles.push(text),
    ...options,
  });
  t.after(() => proxy.close(0));
  return { proxy, port: proxy.address.port, authority, originAuthority, exchanges, answers, troubles };
}

/** Listens on a free port of loopback until the test ends; gives the port. */
export async function listening(t: TestContext, server: Server, host = "127.0.0.1"): Promise<number> {
  const sockets = new Set<Socket>();
  server.on("connection", (socket: Socket) => {
    sockets.add(socket);
    socket.on("error", () => undefined);
    socket.once("close", () => sockets.delete(socket));
  });
  server.listen(0, host);
  await once(server, "listening");
  t.after(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return (server.address() as AddressInfo).port;
}

export function httpOrigin(t: TestContext, listener: RequestListener): Promise<number> {
  return listening(t, createHttp(listener));
}

/** An HTTPS origin whose certificate for `name` the room's proxy trusts. */
export async function tlsOrigin(
  t: TestContext,
  room: ProxyRoom,
  listener: RequestListener,
  name = "127.0.0.1",
): Promise<number> {
  const pair = await createCertificateFor(room.originAuthority)(name);
  return listening(t, createHttps(pair, listener) as HttpServer);
}

/** A socket to the proxy, ended with the test. */
export async function dialProxy(t: TestContext, port: number): Promise<Socket> {
  const socket = connect({ port, host: "127.0.0.1", allowHalfOpen: true });
  socket.on("error", () => undefined);
  t.after(() => socket.destroy());
  await once(socket, "connect");
  return socket;
}

/** Opens a tunnel; the socket is ready for the first byte of what is inside. */
export async function tunnel(t: TestContext, room: ProxyRoom, target: string): Promise<Socket> {
  const socket = await dialProxy(t, room.port);
  socket.write(`CONNECT ${target} HTTP/1.1\r\nHost: ${target}\r\n\r\n`);
  const head = await readHead(socket);
  if (!head.startsWith("HTTP/1.1 200")) throw new Error(head);
  return socket;
}

/** A tunnel with TLS inside, the certificate checked against the room's authority. */
export async function secureTunnel(
  t: TestContext,
  room: ProxyRoom,
  target: string,
  options: { readonly servername?: string; readonly protocols?: string[] } = {},
): Promise<TLSSocket> {
  const socket = await tunnel(t, room, target);
  const host = target.replace(/:[0-9]+$/, "").replace(/[[\]]/g, "");
  const secured = connectTls({
    socket,
    ca: room.authority.certPem,
    host,
    ...(options.servername === undefined ? {} : { servername: options.servername }),
    ...(options.protocols === undefined ? {} : { ALPNProtocols: options.protocols }),
  });
  t.after(() => secured.destroy());
  await once(secured, "secureConnect");
  return secured;
}

/** Reads up to and with the empty line after a head; what follows stays in the socket. */
export async function readHead(socket: Socket): Promise<string> {
  let seen: Buffer = Buffer.alloc(0);
  for (;;) {
    const chunk = socket.read() as Buffer | null;
    if (chunk === null) {
      if (socket.readableEnded || socket.destroyed) return seen.toString("latin1");
      await nextOf(socket, ["readable", "close", "end"]);
      continue;
    }
    seen = Buffer.concat([seen, chunk]);
    const end = seen.indexOf("\r\n\r\n");
    if (end < 0) continue;
    if (seen.length > end + 4) socket.unshift(seen.subarray(end + 4));
    return seen.toString("latin1", 0, end + 4);
  }
}

/** Resolves at the first of the events, and leaves no listener behind. */
function nextOf(socket: Socket, events: readonly string[]): Promise<void> {
  return new Promise((resolve) => {
    const settle = (): void => {
      for (const event of events) socket.off(event, settle);
      resolve();
    };
    for (const event of events) socket.on(event, settle);
  });
}

/** All bytes until the peer ends, and the error when it ends with one. */
export async function readAll(socket: Socket): Promise<{ readonly bytes: Buffer; readonly error: string | undefined }> {
  const chunks: Buffer[] = [];
  let error: string | undefined;
  socket.on("data", (chunk: Buffer) => chunks.push(chunk));
  socket.on("error", (cause: NodeJS.ErrnoException) => {
    error = cause.code ?? cause.message;
  });
  if (!socket.readableEnded && !socket.closed)
    await Promise.race([once(socket, "end"), once(socket, "close")]).catch(() => undefined);
  return { bytes: Buffer.concat(chunks), error };
}

/** Says something to a port and gives all that comes back until the other side ends. */
export async function say(port: number, text: string): Promise<string> {
  const socket = connect({ port, host: "127.0.0.1", allowHalfOpen: true });
  socket.on("error", () => undefined);
  socket.write(text, "latin1");
  const { bytes } = await readAll(socket);
  socket.destroy();
  return bytes.toString("latin1");
}

/** Waits until a condition holds; fails after `withinMs`. Events are the clock, not sleep: it looks after each turn of the loop. */
export async function until(holds: () => boolean, what: string, withinMs = 5000): Promise<void> {
  const end = Date.now() + withinMs;
  while (!holds()) {
    if (Date.now() > end) throw new Error(`not within ${withinMs} ms: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
}
