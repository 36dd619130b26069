import { connect, type Socket } from "node:net";
import { formatEndpoint } from "./authority.ts";
import type { Endpoint } from "./interceptor.ts";
import type { Links } from "./links.ts";
import { lookupOffline } from "./loopback.ts";
import type { OwnPorts } from "./own-ports.ts";
import { openTunnel, type ViaProxy } from "./via.ts";

/** Longest wait for one of several addresses of a name before the next is tried; Node's 250 ms loses slow networks. */
const ATTEMPT_MS = 1000;

/** Raised when a name turned out to lead back to us after the connection stood. */
export class RefusedDial extends Error {
  override readonly name = "RefusedDial";
}

/** The endpoint to dial instead, by `host:port` or by `host` (`--map`). What was asked for keeps its name in TLS and HTTP. */
export function mapEndpoint(map: ReadonlyMap<string, Endpoint>, asked: Endpoint): Endpoint {
  return map.get(formatEndpoint(asked)) ?? map.get(`${asked.host}:${asked.port}`) ?? map.get(asked.host) ?? asked;
}

export interface Dialler {
  readonly own: OwnPorts;
  readonly links: Links;
  /** No name is looked up, so that not even the question leaves the machine. */
  readonly isOffline?: boolean;
}

/** Connects to an endpoint, through the upstream proxy where that takes it. As `dial` else. */
export async function dialThrough(
  dialler: Dialler & { readonly via: ViaProxy | undefined },
  endpoint: Endpoint,
  onSocket: (socket: Socket) => void,
): Promise<Socket> {
  const { via } = dialler;
  if (via?.takes(endpoint) !== true) return dial(dialler, endpoint, onSocket);
  const socket = await dial(dialler, via.endpoint, onSocket);
  try {
    await openTunnel(socket, endpoint, via);
    return socket;
  } catch (error) {
    socket.destroy();
    throw error;
  }
}

/** Connects to an endpoint; rejects with the system's error. The caller may destroy the socket it got by `onSocket` earlier. */
export function dial(
  { own, links, isOffline = false }: Dialler,
  endpoint: Endpoint,
  onSocket: (socket: Socket) => void,
): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect({
      host: endpoint.host,
      port: endpoint.port,
      noDelay: true,
      allowHalfOpen: true,
      autoSelectFamilyAttemptTimeout: ATTEMPT_MS,
      ...(isOffline ? { lookup: lookupOffline } : {}),
    });
    links.track(socket);
    onSocket(socket);
    const fail = (error: Error): void => {
      socket.destroy();
      reject(error);
    };
    const close = (): void => fail(new Error("the connection was closed while it was being made"));
    socket.once("error", fail);
    socket.once("close", close);
    socket.once("connect", () => {
      socket.off("error", fail);
      socket.off("close", close);
      socket.on("error", () => undefined); // those that join it listen too; an error nobody hears would end the process
      if (own.includesPeer(socket.remoteAddress, socket.remotePort))
        fail(new RefusedDial("this is a port of waymark's own"));
      else resolve(socket);
    });
  });
}
