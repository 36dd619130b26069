import { rmSync } from "node:fs";
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { Proxy as MitmProxy } from "http-mitm-proxy";
import { fault, WaymarkError } from "../record/fault.ts";
import { makeFrontFolder } from "./front-folder.ts";
import type { Endpoint } from "./interceptor.ts";
import { type Beginning, judgeBeginning, lookAt, MAX_NODE_HEAD_BYTES, ORDINARY } from "./opening-head.ts";
import { SOCKS5 } from "./socks.ts";
import { writeUnusedAuthority } from "./unused-authority.ts";

/** Longest wait for a connection's first head; what comes later, a body or a next request, may take its time. */
const HEAD_MS = 60_000;

const BAD_REQUEST = "HTTP/1.1 400 Bad Request\r\nConnection: close\r\nContent-Length: 0\r\n\r\n";

/** How a connection goes on whose request went around Node's server. */
export interface Onward {
  /** Its exchange is over: the next request may come. */
  readonly again: () => void;
  /** Its request, put back whole, is for Node's server after all. */
  readonly toNode: () => void;
}

/** Who serves what comes in. None of them may throw. */
export interface FrontHandlers {
  readonly connection: (socket: Socket) => void;
  /** A connection that begins with SOCKS5; its bytes are all still to be read. */
  readonly socks: (client: Socket) => void;
  /** A CONNECT; its target is the request's `url`. */
  readonly connect: (request: IncomingMessage, client: Socket, head: Buffer) => void;
  /** `awaitsContinue`: the client holds its body back until it is told to go on. */
  readonly request: (request: IncomingMessage, response: ServerResponse, awaitsContinue: boolean) => void;
  readonly upgrade: (request: IncomingMessage, client: Socket, head: Buffer) => void;
  /**
   * A request in absolute form that Node's server would refuse or change; its head, of so many bytes, is still to be read.
   * Absent, Node gets it.
   */
  readonly odd?: (client: Socket, headBytes: number, onward: Onward) => void;
  /** A request that is no HTTP; it is answered with 400 here. */
  readonly malformed: () => void;
  /** Milliseconds that a connection's first head may take; a minute by default. */
  readonly headMs?: number;
}

export interface Front {
  readonly server: Server;
  readonly address: Endpoint;
}

/**
 * The front door: http-mitm-proxy, used through its public surface (`listen`, `onConnect`, `onError`, `httpServer`).
 * Its `onConnect` handler never calls on, so the tunnel is ours from the first byte; its own listeners for requests
 * and upgrades give way to ours. Throws `WaymarkError` WM_PROXY_PORT_TAKEN, WM_PROXY_LISTEN.
 */
export async function openFront(listen: Endpoint, handlers: FrontHandlers): Promise<Front> {
  const server = await makeServer(handlers);
  // Once more, on the address asked for: a failed `listen` of the package would only be printed, never reported.
  await new Promise<void>((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
  adopt(server, handlers);
  return { server, address: await listenOn(server, listen) };
}

/** Lets the package build its server on a free port of loopback, and keeps it from ever using its own authority. */
async function makeServer(handlers: FrontHandlers): Promise<Server> {
  const proxy = new MitmProxy();
  proxy.onConnect((request, client, head) => {
    const socket = client as Socket;
    socket.removeAllListeners("error"); // the package's own, which prints resets to stdout
    handlers.connect(request, socket, head);
  });
  // `listen` wants an authority of its own. It gets a private folder with a useless one, removed at once.
  const folder = makeFrontFolder();
  try {
    writeUnusedAuthority(folder);
    await new Promise<void>((resolve, reject) => {
      proxy.onError((_, error) => reject(listenFault({ host: "127.0.0.1", port: 0 }, error ?? new Error("unknown"))));
      proxy.listen({ host: "127.0.0.1", port: 0, sslCaDir: folder }, (error) => (error ? reject(error) : resolve()));
    });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  if (proxy.httpServer === undefined) throw new Error("http-mitm-proxy listens without a server");
  return proxy.httpServer;
}

function adopt(server: Server, handlers: FrontHandlers): void {
  for (const event of ["request", "upgrade", "error", "listening"]) server.removeAllListeners(event);
  const waits = new HeadWaits(handlers);
  for (const event of ["request", "checkContinue", "checkExpectation", "upgrade", "connect"]) {
    server.prependListener(event, ({ socket }: IncomingMessage) => waits.end(socket));
  }
  server.on("request", (request, response) => handlers.request(request, response, false));
  server.on("checkContinue", (request, response) => handlers.request(request, response, true));
  server.on("checkExpectation", (request, response) => handlers.request(request, response, false));
  server.on("upgrade", (request, client, head) => handlers.upgrade(request, client as Socket, head));
  server.on("clientError", (_, client) => {
    handlers.malformed();
    if (client.writable) client.end(BAD_REQUEST);
  });
  divert(server, handlers, waits);
  // The app and its servers decide how long things take: a slow upload or an idle connection is none of our business.
  server.requestTimeout = 0;
  server.headersTimeout = 0;
  server.keepAliveTimeout = 0;
  server.timeout = 0;
  Object.assign(server, { maxHeaderSize: MAX_NODE_HEAD_BYTES }); // read for each connection; the package has no option for it
}

/**
 * Looks at the first bytes of each connection: one of SOCKS5 never comes to the server of HTTP, which would refuse it, nor
 * does a request in absolute form that its parser does not take. A connection that has come there stays there.
 */
function divert(server: Server, { connection, socks, odd }: FrontHandlers, waits: HeadWaits): void {
  const http = server.listeners("connection") as ((socket: Socket) => void)[];
  server.removeAllListeners("connection");
  const toNode = (socket: Socket): void => {
    waits.begin(socket);
    for (const listener of http) listener.call(server, socket);
    socket.resume();
  };
  const next = (socket: Socket, isFirst: boolean): void => {
    const judge = (bytes: Buffer): Beginning | "socks" | undefined => {
      if (isFirst && bytes[0] === SOCKS5) return "socks";
      waits.begin(socket);
      return odd === undefined ? ORDINARY : judgeBeginning(bytes);
    };
    lookAt(socket, judge, (look) => {
      if (look === "gone") return void waits.give(socket);
      const { judged } = look;
      if (judged === "socks") return socks(socket);
      if (judged.kind === "ordinary" || odd === undefined) return toNode(socket);
      waits.end(socket);
      odd(socket, judged.headBytes, { again: () => next(socket, false), toNode: () => toNode(socket) });
    });
  };
  server.on("connection", (socket: Socket) => {
    connection(socket);
    next(socket, true);
  });
}

/** Connections that have begun a head of HTTP and not ended it. */
class HeadWaits {
  readonly #handlers: FrontHandlers;
  readonly #timers = new WeakMap<Socket, NodeJS.Timeout>();
  readonly #watched = new WeakSet<Socket>();

  constructor(handlers: FrontHandlers) {
    this.#handlers = handlers;
  }

  /** Once for each head; further calls before its end change nothing. */
  begin(socket: Socket): void {
    if (this.#timers.has(socket)) return;
    const timer = setTimeout(() => {
      this.#handlers.malformed();
      socket.end("HTTP/1.1 408 Request Timeout\r\nConnection: close\r\nContent-Length: 0\r\n\r\n", () =>
        socket.destroy(),
      );
    }, this.#handlers.headMs ?? HEAD_MS).unref();
    this.#timers.set(socket, timer);
    if (this.#watched.has(socket)) return;
    this.#watched.add(socket);
    socket.once("close", () => this.end(socket));
  }

  end(socket: Socket): void {
    clearTimeout(this.#timers.get(socket));
    this.#timers.delete(socket);
  }

  /** The client ended its side: before a head it is let go, within one it is told. */
  give(socket: Socket): void {
    if (!this.#timers.has(socket)) return void socket.destroySoon(); // an answer may still be on its way out
    this.end(socket);
    this.#handlers.malformed();
    if (socket.writable) socket.end(BAD_REQUEST, () => socket.destroy());
    else socket.destroy();
  }
}

function listenOn(server: Server, listen: Endpoint): Promise<Endpoint> {
  return new Promise((resolve, reject) => {
    const fail = (error: Error): void => reject(listenFault(listen, error));
    server.once("error", fail);
    server.listen({ host: listen.host, port: listen.port }, () => {
      server.off("error", fail);
      server.on("error", () => undefined); // such as EMFILE on accept: that one connection fails, the proxy goes on
      const { address, port } = server.address() as AddressInfo;
      resolve({ host: address, port });
    });
  });
}

function listenFault({ host, port }: Endpoint, cause: Error): WaymarkError {
  const isTaken = (cause as NodeJS.ErrnoException).code === "EADDRINUSE";
  const code = isTaken ? "WM_PROXY_PORT_TAKEN" : "WM_PROXY_LISTEN";
  const message = isTaken
    ? `port ${port} on ${host} is in use`
    : `cannot listen on ${host}, port ${port}: ${cause.message}`;
  return new WaymarkError(fault(code, message), { cause });
}
