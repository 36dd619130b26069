import type { Socket } from "node:net";
import type { TLSSocket } from "node:tls";
import type { AbsoluteTarget } from "./authority.ts";
import { dial, dialThrough } from "./dial.ts";
import type { Engine } from "./engine.ts";
import type { Endpoint } from "./interceptor.ts";
import type { Side } from "./tee.ts";
import { upstreamHandshake } from "./tls.ts";

export type Upstream = Side;

/** Longest wait for a server's side of the TLS handshake. */
const HANDSHAKE_MS = 30_000;

export interface Opening {
  readonly onSocket: (socket: Socket) => void;
  readonly isTunnel?: boolean;
}

interface Idle {
  readonly upstream: Upstream;
  /** Ends it, and listens for its end. */
  readonly drop: () => void;
}

/**
 * Connections upstream for plain requests. Each client connection has its own, kept while it lives, so that servers
 * see as many connections as the client opened, and logins bound to a connection (NTLM) stay where they belong.
 */
export class UpstreamPool {
  readonly #engine: Engine;
  readonly #idle = new WeakMap<Socket, Map<string, Idle>>();

  constructor(engine: Engine) {
    this.#engine = engine;
  }

  /** An idle connection of this client to the target, if there is one that still stands. */
  take(client: Socket, target: AbsoluteTarget): Upstream | undefined {
    const idle = this.#idle.get(client);
    const found = idle?.get(keyOf(target));
    if (found === undefined) return undefined;
    idle?.delete(keyOf(target));
    found.upstream.stream.off("end", found.drop).off("close", found.drop);
    return found.upstream;
  }

  /** Keeps a connection for the client's next request to the target. */
  put(client: Socket, target: AbsoluteTarget, upstream: Upstream): void {
    if (client.destroyed) return void upstream.stream.destroy();
    const idle = this.#idle.get(client) ?? this.#adopt(client);
    const key = keyOf(target);
    idle.get(key)?.drop();
    const drop = (): void => {
      if (idle.get(key)?.upstream === upstream) idle.delete(key);
      upstream.stream.destroy();
    };
    idle.set(key, { upstream, drop });
    upstream.stream.on("end", drop).on("close", drop);
    upstream.stream.resume(); // so that the server's closing is seen
  }

  /**
   * Connects, with TLS where the target asks for it; for clear HTTP to the upstream proxy itself where that takes it, unless
   * a tunnel is wanted. `onSocket` gets what to destroy when nobody waits any more.
   */
  async open(target: AbsoluteTarget, endpoint: Endpoint, { onSocket, isTunnel = false }: Opening): Promise<Upstream> {
    const isAsked = target.scheme === "http" && this.#engine.via?.takes(endpoint) === true; // for the answer, not for a tunnel
    const raw = await (isAsked && !isTunnel
      ? dial(this.#engine, this.#engine.via?.endpoint ?? endpoint, onSocket)
      : dialThrough(this.#engine, endpoint, onSocket));
    if (target.scheme === "http") return { stream: raw, raw };
    const { host: name } = target;
    let limit: NodeJS.Timeout | undefined;
    const onStream = (made: TLSSocket): void => {
      this.#engine.links.track(made);
      onSocket(made);
      const late = new Error(`no TLS handshake within ${HANDSHAKE_MS / 1000} s`);
      limit = setTimeout(() => made.destroy(late), HANDSHAKE_MS);
    };
    const tls = { name, port: target.port, serverName: name, protocols: ["http/1.1"], engine: this.#engine, onStream };
    try {
      return { stream: await upstreamHandshake(raw, tls), raw };
    } finally {
      clearTimeout(limit);
    }
  }

  #adopt(client: Socket): Map<string, Idle> {
    const idle = new Map<string, Idle>();
    this.#idle.set(client, idle);
    client.once("close", () => {
      for (const { drop } of [...idle.values()]) drop();
    });
    return idle;
  }
}

function keyOf({ scheme, host, port }: AbsoluteTarget): string {
  return `${scheme} ${host} ${port}`;
}
