/** How the client loads a proxy. */
export type LoadKind = "keep-alive" | "new-connections" | "http2" | "new-hosts" | "many-hosts" | "upload" | "download";

/** What the client is asked to do, as JSON in its first argument. */
export interface LoadOrder {
  readonly kind: LoadKind;
  readonly originPort: number;
  /** Port of a proxy on 127.0.0.1 to go through by CONNECT; absent, straight to the origin. */
  readonly proxyPort?: number;
  /** PEM file of the certificate to trust. */
  readonly caFile: string;
  readonly connections: number;
  readonly seconds: number;
  readonly bodyBytes: number;
  /** Requests per second, sent on time whether or not earlier ones are answered; absent, as many as get answered. */
  readonly rate?: number;
  /** `new-hosts` and `many-hosts`: how many hosts are visited, from the one with this number on. */
  readonly hosts?: number;
  readonly firstHost?: number;
  /** `upload` and `download`: bytes of the one body, and how fast its reader reads when it is slow. */
  readonly transferBytes?: number;
  readonly slowBytesPerSecond?: number;
}

/** What it prints, as one JSON line. What a kind does not measure is absent. */
export interface LoadReport {
  readonly requests: number;
  readonly perSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly maxMs: number;
  readonly seconds: number;
  /** Longest that a warm connection waited for an answer while new hosts were visited. */
  readonly stallMs?: number;
  /** Events sent in telemetry requests. */
  readonly events: number;
}

/** Events in each request's body. */
export const EVENTS_PER_REQUEST = 2;

const HOSTS_PER_NET = 250;

/** A host that no name server is needed for. */
export interface NumberedHost {
  /** On loopback, a host of its own to a proxy; Linux alone has them all. */
  readonly address: string;
  /** What a client asks for in TLS. */
  readonly name: string;
}

/** The host with a number, from 0 on. */
export function hostAt(number: number): NumberedHost {
  const address = `127.0.${1 + Math.floor(number / HOSTS_PER_NET)}.${1 + (number % HOSTS_PER_NET)}`;
  return { address, name: `h${number}.bench.test` };
}
