import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { openAuthority } from "../certs/authority.ts";
import { createCertificateFor } from "../certs/leaf.ts";
import { startInterceptor } from "../proxy/intercept/index.ts";
import { type Session, startSession } from "../proxy/session.ts";

/** What of the proxy a test project may set. */
export interface ProxyOptions {
  /** Hosts that are opened beside the known telemetry hosts, as with `waymark proxy --host`. */
  readonly hosts?: readonly string[];
  readonly all?: boolean;
  /** Answer the telemetry SDKs here; nothing leaves the machine. */
  readonly sink?: boolean;
  /** Send a host's traffic elsewhere: `{"events.example.com": "127.0.0.1:8443"}`. */
  readonly map?: Readonly<Record<string, string>>;
  /** PEM file of certificates trusted upstream. */
  readonly upstreamCa?: string;
}

/** The proxy of one Playwright worker, with the log it writes. */
export interface Capture {
  readonly url: string;
  /** The folder of the log series. */
  readonly log: string;
  /** Resolves when every record so far is on disk. */
  flush(): Promise<void>;
  close(): Promise<void>;
}

const MAX_FILE_BYTES = 64_000_000;
const MAX_BODY_BYTES = 33_554_432;

/** Starts the proxy on a free port of loopback; its log goes to `folder`. Throws what `startSession` throws. */
export async function startCapture(folder: string, options: ProxyOptions): Promise<Capture> {
  const { authority } = await openAuthority();
  const log = join(folder, "telemetry");
  const session: Session = await startSession(
    {
      log: { dir: log, name: "telemetry", maxFileBytes: MAX_FILE_BYTES },
      interceptor: {
        listen: "127.0.0.1",
        port: 0,
        certificateFor: createCertificateFor(authority),
        map: new Map(Object.entries(options.map ?? {}).map(([host, to]) => [host.toLowerCase(), endpointOf(to)])),
        maxBodyBytes: MAX_BODY_BYTES,
        ...(options.upstreamCa === undefined ? {} : { upstreamCa: await readFile(options.upstreamCa, "utf8") }),
      },
      hosts: options.hosts ?? [],
      bypass: [],
      all: options.all === true,
      sink: options.sink === true,
      redact: [],
    },
    { startInterceptor },
  );
  return {
    url: `http://127.0.0.1:${session.address.port}`,
    log,
    flush: () => session.flush(),
    close: async () => void (await session.close()),
  };
}

function endpointOf(text: string): { host: string; port: number } {
  const [, host, port] = /^\[?([^\]]+?)\]?:([0-9]{1,5})$/.exec(text) ?? [];
  if (host === undefined) throw new Error(`waymarkProxy.map: "${text}" is not HOST:PORT`);
  return { host, port: Number(port) };
}
