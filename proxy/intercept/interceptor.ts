import type { Exchange, RawHeaders } from "../record/exchange.ts";

/** What `--sink` sends back instead of an upstream. */
export interface SinkAnswer {
  readonly status: number;
  readonly headers: RawHeaders;
  readonly body: Uint8Array;
}

export interface Endpoint {
  readonly host: string;
  readonly port: number;
}

export interface InterceptorOptions {
  /** Address and port to listen on; port 0 takes a free one. */
  readonly listen: string;
  readonly port: number;
  /** Whether a tunnel to this host is opened and read, or passed on unseen. Plain HTTP is always readable. */
  readonly decide: (endpoint: Endpoint) => "intercept" | "tunnel";
  /** TLS key and certificate chain (leaf, then CA) in PEM for a host name or address; rejects what is neither. */
  readonly certificateFor: (host: string) => Promise<{ readonly key: string; readonly cert: string }>;
  /** Where a host's traffic goes instead (`--map`); keys are `host` or `host:port`, lower case. */
  readonly map: ReadonlyMap<string, Endpoint>;
  /** PEM certificates trusted upstream besides the system's (`--upstream-ca`). */
  readonly upstreamCa?: string;
  /** Body bytes kept per request; what is over it flows on, unkept, and marks the exchange truncated. */
  readonly maxBodyBytes: number;
  /** Answers requests itself, without an upstream. */
  readonly sink?: (exchange: Exchange) => SinkAnswer;
  /** Called once per request, when its last body byte has passed or its sender is gone. Its throw is counted, never fatal. */
  readonly onExchange: (exchange: Exchange) => void;
  /**
   * Called once per exchange and never before its `onExchange`: when the upstream's answer head has arrived, or with
   * undefined when the exchange ended without one.
   */
  readonly onAnswer?: (exchangeId: string, status: number | undefined) => void;
  /** Ports of ours on loopback and on the listen address that must never be asked for through the proxy, besides its own. */
  readonly refusedPorts?: readonly number[];
}

export interface InterceptorCounts {
  connections: number;
  requests: number;
  /** Tunnels opened and read, passed on unseen, and intercepted but not understood (no HTTP/1 inside). */
  intercepted: number;
  tunnelled: number;
  opaque: number;
  /** Connections or requests that ended in an error of the upstream or of the client. */
  upstreamErrors: number;
  clientErrors: number;
  refused: number;
  /** Throws of the hooks given in the options; the traffic went on. */
  hookErrors: number;
}

export interface Interceptor {
  readonly address: Endpoint;
  readonly counts: Readonly<InterceptorCounts>;
  /** Stops listening, lets open exchanges end for at most `drainMs`, then cuts them. */
  close(drainMs: number): Promise<void>;
}
