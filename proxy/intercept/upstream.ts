import type { Socket } from "node:net";
import type { AbsoluteTarget } from "./authority.ts";
import { dial } from "./dial.ts";
import type { Engine } from "./engine.ts";
import type { Endpoint } from "./interceptor.ts";
import type { Side } from "./tee.ts";
import { upstreamHandshake } from "./tls.ts";

export type Upstream = Side;

/**
 * Connections upstream for plain requests. Each client connection has its own, kept while it lives, so that servers
 * see as many connections as the client opened, and logins bound to a connection (NTLM) stay where they belong.
 */
export class UpstreamPool {
  readonly #engine: Engine;
  readonly #idle = new WeakMap<Socket, Map<string, Upstream>>();

  constructor(engine: Engine) {
    this.#engine = engine;
  }

  /** An idle connection of this client to the target, if there is one that still stands. */
  take(client: Socket, target: AbsoluteTarget): Upstream | undefined {
    const idle = this.#idle.get(client);
    const upstream = idle?.get(keyOf(target));
    idle?.delete(keyOf(target));
    return upstream?.stream.destroyed === true || upstream?.stream.readableEnded === true ? undefined : upstream;
  }

  /** Keeps a connection for the client's next request to the target. */
  put(client: Socket, target: AbsoluteTarget, upstream: Upstream): void {
    if (client.destroyed) return void upstream.stream.destroy();
    const idle = this.#idle.get(client) ?? this.#adopt(client);
    const key = keyOf(target);
    idle.get(key)?.stream.destroy();
    idle.set(key, upstream);
    const drop = (): void => {
      if (idle.get(key) === upstream) idle.delete(key);
      upstream.stream.destroy();
    };
    upstream.stream.once("end", drop);
    upstream.stream.once("close", drop);
    upstream.stream.resume(); // so that the server's closing is seen
  }

  async open(target: AbsoluteTarget, endpoint: Endpoint, onSocket: (socket: Socket) => void): Promise<Upstream> {
    const raw = await dial(endpoint, this.#engine.own, onSocket);
    if (target.scheme === "http") return { stream: raw, raw };
    const { host: name } = target;
    const tls = { name, serverName: name, protocols: ["http/1.1"], trust: this.#engine.trust };
    const stream = await upstreamHandshake(raw, tls);
    stream.on("error", () => undefined);
    return { stream, raw };
  }

  #adopt(client: Socket): Map<string, Upstream> {
    const idle = new Map<string, Upstream>();
    this.#idle.set(client, idle);
    client.once("close", () => {
      for (const { stream } of idle.values()) stream.destroy();
    });
    return idle;
  }
}

function keyOf({ scheme, host, port }: AbsoluteTarget): string {
  return `${scheme} ${host} ${port}`;
}
