import http from "node:http";
import https from "node:https";

interface Options {
  readonly agent?: unknown;
  readonly createConnection?: unknown;
  readonly socketPath?: unknown;
  readonly headers?: unknown;
}
type Request = (...args: unknown[]) => unknown;

/**
 * Leads requests back to Node's own agents where a program goes round them: an agent that makes its sockets itself (an older
 * proxy package, which would connect past waymark) or only its connections, and a WebSocket client that hands in its own connect function. Other
 * uses of `createConnection` (pipes, tunnels of the program's own) stay.
 */
export function leadRequests(): void {
  for (const module of [http, https] as unknown as Record<"request" | "get", Request>[]) {
    for (const name of ["request", "get"] as const) {
      const original = module[name];
      module[name] = function lead(...args) {
        return original.apply(this, args.map(ledBack));
      };
    }
  }
}

function ledBack(arg: unknown): unknown {
  if (typeof arg !== "object" || arg === null || arg instanceof URL) return arg;
  const options = arg as Options;
  if (typeof options.socketPath === "string" && options.socketPath !== "") return arg;
  const ownAgent = isForeign(options.agent);
  const tunnelled = ownAgent ? undefined : throughNode(options.agent);
  const ownConnection = typeof options.createConnection === "function" && isWebSocket(options.headers);
  if (!ownAgent && !ownConnection && tunnelled === undefined) return arg;
  // The prototype may hold further options (a URL's fields, a class's).
  return Object.assign(Object.create(Object.getPrototypeOf(arg)), arg, {
    ...(ownAgent ? { agent: undefined } : {}),
    ...(tunnelled === undefined ? {} : { agent: tunnelled }),
    ...(ownConnection ? { createConnection: undefined } : {}),
  });
}

const guided = new WeakMap<https.Agent, https.Agent>();

/**
 * An HTTPS agent that only makes its connections itself, with Node's way of making them; pool, limits and certificates stay
 * its own. Undefined for every other agent: one for plain http that connects in its own way is mostly one for a Unix socket.
 */
function throughNode(agent: unknown): https.Agent | undefined {
  const own = https.Agent.prototype as unknown as { createConnection: unknown };
  if (!(agent instanceof https.Agent)) return undefined;
  if ((agent as unknown as { createConnection: unknown }).createConnection === own.createConnection) return undefined;
  const known =
    guided.get(agent) ?? (Object.create(agent, { createConnection: { value: own.createConnection } }) as https.Agent);
  guided.set(agent, known);
  return known;
}

function isForeign(agent: unknown): boolean {
  if (typeof agent !== "object" || agent === null) return false;
  const { addRequest, createSocket } = agent as { addRequest?: unknown; createSocket?: unknown };
  const own = http.Agent.prototype as unknown as { addRequest: unknown; createSocket: unknown };
  return typeof addRequest === "function" && (addRequest !== own.addRequest || createSocket !== own.createSocket);
}

function isWebSocket(headers: unknown): boolean {
  if (typeof headers !== "object" || headers === null) return false;
  return Object.entries(headers).some(([name, value]) => /^upgrade$/i.test(name) && /^websocket$/i.test(String(value)));
}
