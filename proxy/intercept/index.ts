import type { IncomingMessage } from "node:http";
import type { Socket } from "node:net";
import { formatEndpoint, parseConnectTarget } from "./authority.ts";
import { serveTunnel } from "./connect.ts";
import { newCounts } from "./counts.ts";
import { createRecorders, type Engine } from "./engine.ts";
import { type Front, openFront } from "./front.ts";
import { HostLedger } from "./host-ledger.ts";
import type { Interceptor, InterceptorCounts, InterceptorOptions } from "./interceptor.ts";
import { Links } from "./links.ts";
import { OwnPorts } from "./own-ports.ts";
import { PlainServer } from "./plain.ts";
import { RunCredentials } from "./run-credentials.ts";
import { Sink } from "./sink.ts";
import { greetSocks, SOCKS_REPLY } from "./socks.ts";
import { createContexts, TlsSessions, upstreamTrust } from "./tls.ts";
import { CONNECT_REPLY } from "./tunnel-reply.ts";
import { Unopened } from "./unopened.ts";
import { parseViaProxy } from "./via.ts";

export type * from "./interceptor.ts";

/**
 * Starts listening and intercepting. Throws `WaymarkError` WM_PROXY_PORT_TAKEN, WM_PROXY_LISTEN,
 * WM_PROXY_UPSTREAM_CA or WM_PROXY_UPSTREAM; once it runs, nothing that comes in stops it.
 */
export async function startInterceptor(options: InterceptorOptions): Promise<Interceptor> {
  const counts = newCounts();
  const trust = upstreamTrust(options.upstreamCa);
  const via = options.via && parseViaProxy(options.via.url, options.via.noProxy);
  const links = new Links();
  const guard = guardOf(counts);
  const tell = (text: string): void => guard(() => options.onTrouble?.(text));
  const hosts = new HostLedger(counts, tell);
  const { runOf } = options;
  const runs = new RunCredentials(runOf && ((user) => guard(() => runOf(user))), tell);
  let desk: Desk | undefined;
  // A slip of ours costs the connection it happened on, counted, and nothing else.
  const fence = (served: Promise<void> | undefined, end: () => void): void => {
    served?.catch(() => {
      counts.hookErrors += 1;
      end();
    });
  };
  const front = await openFront(
    { host: options.listen, port: options.port },
    {
      connection: (client) => {
        counts.connections += 1;
        links.track(client);
      },
      connect: (request, client, head) =>
        fence(desk && serveTarget(desk, { request, client, head }), () => client.destroy()),
      socks: (client) => fence(desk && serveSocks(desk, client), () => client.destroy()),
      request: (request, response, awaitsContinue) => {
        response.once("close", () => links.finished());
        fence(desk?.plain.serve(request, response, awaitsContinue), () => response.destroy());
      },
      upgrade: (request, client, head) =>
        fence(desk?.plain.serveUpgrade(request, client, head), () => client.destroy()),
      odd: (client, headBytes, onward) =>
        fence(desk?.plain.serveOdd(client, headBytes, onward), () => client.destroy()),
      malformed: () => {
        counts.clientErrors += 1;
      },
    },
  );
  desk = openDesk({ options, counts, trust, via, front, links, hosts, runs });
  return {
    address: front.address,
    counts,
    hosts: () => hosts.rows(),
    close: (drainMs) => close(front, links, drainMs),
  };
}

/** Runs a function of the options, whose throw is counted and gives undefined. */
function guardOf(counts: InterceptorCounts): <T>(act: () => T) => T | undefined {
  return (act) => {
    try {
      return act();
    } catch {
      counts.hookErrors += 1;
      return undefined;
    }
  };
}

/** Who serves what, once the port is known. */
interface Desk {
  readonly engine: Engine;
  readonly plain: PlainServer;
  readonly sink: Sink | undefined;
}

function openDesk(
  parts: Pick<Engine, "options" | "counts" | "trust" | "via" | "links" | "hosts" | "runs"> & { readonly front: Front },
): Desk {
  const { options, counts, trust, via, links, hosts, runs, front } = parts;
  const isOffline = options.sink !== undefined;
  const engine: Engine = {
    options,
    counts,
    trust,
    via,
    unopened: new Unopened(),
    sessions: new TlsSessions(),
    ...createRecorders(options, counts, hosts),
    hosts,
    runs,
    isOffline,
    own: new OwnPorts(front.address, options.refusedPorts ?? [], isOffline),
    contextFor: createContexts(options.certificateFor),
    links,
  };
  engine.contextFor("localhost").catch(() => undefined); // the key all leaves share is made before the first app waits for it
  const sink = options.sink === undefined ? undefined : new Sink(engine, options.sink);
  return { engine, sink, plain: new PlainServer(engine, sink) };
}

interface Connect {
  readonly request: IncomingMessage;
  readonly client: Socket;
  readonly head: Buffer;
}

function serveTarget({ engine, sink }: Desk, { request, client, head }: Connect): Promise<void> {
  if (head.length > 0) client.unshift(head);
  const { url: target = "", headers } = request;
  const endpoint = parseConnectTarget(target);
  const asked = endpoint && { ...endpoint, ...engine.runs.ofHeader(headers["proxy-authorization"]) };
  return serveTunnel(engine, { target, asked, client, reply: CONNECT_REPLY }, sink);
}

async function serveSocks({ engine, sink }: Desk, client: Socket): Promise<void> {
  client.on("error", () => undefined);
  const request = await greetSocks(client, engine.runs.isAsked);
  if (request === undefined) {
    engine.counts.clientErrors += 1;
    return;
  }
  const asked = { ...request.endpoint, ...engine.runs.ofUser(request.user) };
  await serveTunnel(engine, { target: formatEndpoint(asked), asked, client, reply: SOCKS_REPLY }, sink);
}

async function close({ server }: Front, links: Links, drainMs: number): Promise<void> {
  const closed = new Promise<void>((resolve) => {
    server.close(() => resolve());
  });
  server.closeIdleConnections();
  links.onFinished = () => setImmediate(() => server.closeIdleConnections());
  const drained = links.drain(drainMs);
  let timer: NodeJS.Timeout | undefined;
  const timedOut = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, drainMs);
  });
  await Promise.race([closed, timedOut]);
  clearTimeout(timer);
  links.destroyAll();
  await drained;
  await closed;
}
