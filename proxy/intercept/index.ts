import { serveConnect } from "./connect.ts";
import type { Engine } from "./engine.ts";
import { type Front, openFront } from "./front.ts";
import type { Interceptor, InterceptorCounts, InterceptorOptions } from "./interceptor.ts";
import { Links } from "./links.ts";
import { OwnPorts } from "./own-ports.ts";
import { PlainServer } from "./plain.ts";
import { Recorder } from "./recorder.ts";
import { Sink } from "./sink.ts";
import { createContexts, upstreamTrust } from "./tls.ts";

export type * from "./interceptor.ts";

/**
 * Starts listening and intercepting. Throws `WaymarkError` WM_PROXY_PORT_TAKEN, WM_PROXY_LISTEN or
 * WM_PROXY_UPSTREAM_CA; once it runs, nothing that comes in stops it.
 */
export async function startInterceptor(options: InterceptorOptions): Promise<Interceptor> {
  const counts = newCounts();
  const trust = upstreamTrust(options.upstreamCa);
  const links = new Links();
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
        fence(desk && serveConnect(desk.engine, { target, client, head }, desk.sink), () => client.destroy()),
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
  desk = openDesk({ options, counts, trust, front, links });
  return { address: front.address, counts, close: (drainMs) => close(front, links, drainMs) };
}

/** Who serves what, once the port is known. */
interface Desk {
  readonly engine: Engine;
  readonly plain: PlainServer;
  readonly sink: Sink | undefined;
}

function openDesk(parts: Pick<Engine, "options" | "counts" | "trust" | "links"> & { readonly front: Front }): Desk {
  const { options, counts, trust, links, front } = parts;
  const engine: Engine = {
    options,
    counts,
    trust,
    recorder: new Recorder(options, counts),
    own: new OwnPorts(front.address, options.refusedPorts ?? []),
    contextFor: createContexts(options.certificateFor),
    links,
  };
  const sink = options.sink === undefined ? undefined : new Sink(engine, options.sink);
  return { engine, sink, plain: new PlainServer(engine, sink) };
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

function newCounts(): InterceptorCounts {
  return {
    connections: 0,
    requests: 0,
    intercepted: 0,
    tunnelled: 0,
    opaque: 0,
    upstreamErrors: 0,
    clientErrors: 0,
    refused: 0,
    hookErrors: 0,
  };
}
