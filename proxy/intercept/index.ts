import type { Socket } from "node:net";
import { formatEndpoint, parseConnectTarget } from "./authority.ts";
import { serveTunnel } from "./connect.ts";
import { newCounts } from "./counts.ts";
import { createRecorders, type Engine } from "./engine.ts";
import { type Front, openFront } from "./front.ts";
import { HostLedger } from "./host-ledger.ts";
import type { Interceptor, InterceptorOptions } from "./interceptor.ts";
import { Links } from "./links.ts";
import { OwnPorts } from "./own-ports.ts";
import { PlainServer } from "./plain.ts";
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
  const hosts = new HostLedger(counts, (text) => {
    try {
      options.onTrouble?.(text);
    } catch {
      counts.hookErrors += 1;
    }
  });
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
      connect: (target, client, head) =>
        fence(desk && serveTarget(desk, { target, client, head }), () => client.destroy()),
      socks: (client) => fence(desk && serveSocks(desk, client), () => client.destroy()),
      request: (request, response, awaitsContinue) => {
        response.once("close", () => links.finished());
        fence(desk?.plain.serve(request, response, awaitsContinue), () => response.destroy());
      },
      upgrade: (request, client, head) =>
        fence(desk?.plain.serveUpgrade(request, client, head), () => client.destroy()),
      malformed: () => {
        counts.clientErrors += 1;
      },
    },
  );
  desk = openDesk({ options, counts, trust, via, front, links, hosts });
  return {
    address: front.address,
    counts,
    hosts: () => hosts.rows(),
    close: (drainMs) => close(front, links, drainMs),
  };
}

/** Who serves what, once the port is known. */
interface Desk {
  readonly engine: Engine;
  readonly plain: PlainServer;
  readonly sink: Sink | undefined;
}

function openDesk(
  parts: Pick<Engine, "options" | "counts" | "trust" | "via" | "links" | "hosts"> & { readonly front: Front },
): Desk {
  const { options, counts, trust, via, links, hosts, front } = parts;
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
  readonly target: string;
  readonly client: Socket;
  readonly head: Buffer;
}

function serveTarget({ engine, sink }: Desk, { target, client, head }: Connect): Promise<void> {
  if (head.length > 0) client.unshift(head);
  const asked = parseConnectTarget(target);
  return serveTunnel(engine, { target, asked, client, reply: CONNECT_REPLY }, sink);
}

async function serveSocks({ engine, sink }: Desk, client: Socket): Promise<void> {
  client.on("error", () => undefined);
  const asked = await greetSocks(client);
  if (asked === undefined) engine.counts.clientErrors += 1;
  else await serveTunnel(engine, { target: formatEndpoint(asked), asked, client, reply: SOCKS_REPLY }, sink);
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
