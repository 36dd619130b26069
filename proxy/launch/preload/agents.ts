import http from "node:http";
import https from "node:https";
import type { Duplex } from "node:stream";
import type { ProxyAddress } from "./proxy-address.ts";
import { openTunnel } from "./tunnel.ts";

interface ConnectionOptions {
  readonly host?: string | null;
  readonly hostname?: string | null;
  readonly port?: string | number | null;
  readonly socketPath?: string | null;
  readonly timeout?: number;
}
type Done = (error: Error | null, stream?: Duplex) => void;
type CreateConnection = (this: unknown, options: object, done?: Done) => Duplex | undefined;

/**
 * Makes Node's agents connect through the proxy. Their `createConnection` is replaced on the prototypes, so agents that a
 * program or an SDK makes for itself are covered as the global ones are, and keep what they were made with: pool, keep-alive,
 * certificates. Sockets named by path, and connections to the proxy itself, are left alone.
 */
export function tunnelAgents(proxy: ProxyAddress): void {
  renewGlobalAgents();
  wrap(http.Agent.prototype, 80, (socket) => socket);
  const { createConnection } = https.Agent.prototype as unknown as { createConnection: CreateConnection };
  wrap(https.Agent.prototype, 443, (socket, agent, options) => createConnection.call(agent, { ...options, socket }));

  function wrap(prototype: object, defaultPort: number, finish: Finish): void {
    const target = prototype as { createConnection: CreateConnection };
    const direct = target.createConnection;
    target.createConnection = function createConnection(options, done) {
      const to = destination(options, defaultPort);
      if (to === undefined || typeof done !== "function" || isProxy(proxy, to)) return direct.call(this, options, done);
      openTunnel(proxy, to, (error, socket) => {
        if (error !== null || socket === undefined) {
          done(error ?? new Error("no socket"));
          return;
        }
        try {
          done(null, finish(socket, this, options));
        } catch (cause) {
          socket.destroy();
          done(cause instanceof Error ? cause : new Error(String(cause)));
        }
      });
      return undefined;
    };
  }
}

type Finish = (socket: Duplex, agent: unknown, options: object) => Duplex | undefined;

/** With NODE_USE_ENV_PROXY, newer Nodes have given their global agents a proxy of their own already, which would make two. */
function renewGlobalAgents(): void {
  if (process.env["NODE_USE_ENV_PROXY"] === undefined && !process.execArgv.includes("--use-env-proxy")) return;
  const options = { keepAlive: true, scheduling: "lifo", timeout: 5_000 } as const;
  http.globalAgent = new http.Agent(options);
  https.globalAgent = new https.Agent(options);
}

function destination(
  options: unknown,
  defaultPort: number,
): { host: string; port: number; timeoutMs: number } | undefined {
  if (typeof options !== "object" || options === null) return undefined;
  const { host, hostname, port, socketPath, timeout = 0 } = options as ConnectionOptions;
  if (socketPath !== undefined && socketPath !== null && socketPath !== "") return undefined;
  return { host: host || hostname || "localhost", port: Number(port || defaultPort), timeoutMs: timeout };
}

function isProxy(proxy: ProxyAddress, to: { readonly host: string; readonly port: number }): boolean {
  return to.port === proxy.port && (to.host === proxy.host || to.host === "localhost");
}
