import type { Exchange, RawHeaders } from "../record/exchange.ts";

/** What `--sink` sends back instead of an upstream. */
export interface SinkAnswer {
  readonly status: number;
  readonly headers: RawHeaders;
  readonly body: Uint8Array;
  /** The answer has no end: an event stream, which its reader would open again and again. */
  readonly stays?: true;
}

export interface Endpoint {
  readonly host: string;
  readonly port: number;
}

export interface InterceptorOptions {
  /** Address and port to listen on; port 0 takes a free one. */
  readonly listen: string;
  readonly port: number;
  /**
   * `intercept`: a tunnel to this host is opened, and its requests are handed to `onExchange`. `tunnel`: it is passed on
   * unseen; plain HTTP, which is readable anyway, is handed to `onPassing`. `bypass`: passed on and never handed on.
   */
  readonly decide: (endpoint: Endpoint) => "intercept" | "tunnel" | "bypass";
  /** TLS key and certificate chain (leaf, then CA) in PEM for a host name or address; rejects what is neither. */
  readonly certificateFor: (host: string) => Promise<{ readonly key: string; readonly cert: string }>;
  /** Where a host's traffic goes instead (`--map`); keys are `host` or `host:port`, lower case. */
  readonly map: ReadonlyMap<string, Endpoint>;
  /** PEM certificates trusted upstream besides the system's (`--upstream-ca`). */
  readonly upstreamCa?: string;
  /** Takes upstream certificates as they are, whoever signed them (`--insecure-upstream`). */
  readonly insecureUpstream?: boolean;
  /** Another proxy through which everything but loopback is reached (`--upstream`), and what NO_PROXY excepts from that. */
  readonly via?: { readonly url: string; readonly noProxy: string };
  /**
   * The run that a user name in a client's proxy credentials stands for, undefined when it is none's; asked again for a name
   * that was none's. Absent, credentials count for nothing. They never go upstream.
   */
  readonly runOf?: (user: string) => string | undefined;
  /** Body bytes kept per request; what is over it flows on, unkept, and marks the exchange truncated. */
  readonly maxBodyBytes: number;
  /**
   * Answers requests to intercepted hosts itself, without an upstream. Nothing leaves the machine then: of all other
   * hosts only those on loopback are dialled, and no name is looked up.
   */
  readonly sink?: (exchange: Exchange) => SinkAnswer;
  /**
   * True for a request whose answer belongs to its exchange (`Exchange.response`). Its copy is bounded by `maxBodyBytes`;
   * the bodies of all other answers are never held.
   */
  readonly wantsAnswer?: (request: Pick<Exchange, "method" | "host" | "port" | "target" | "headers">) => boolean;
  /**
   * Called once per request, when its last body byte has passed or its sender is gone; with a wanted answer, when that has
   * ended. Its throw is counted, never fatal.
   */
  readonly onExchange: (exchange: Exchange) => void;
  /**
   * The same for plain requests to hosts outside the scope. Absent, they are only counted; else it calls `notRecorded`,
   * now or later, for each that is not recorded.
   */
  readonly onPassing?: (exchange: Exchange, notRecorded: () => void) => void;
  /**
   * Called once per exchange and never before its `onExchange`: when the upstream's answer head has arrived, or with
   * undefined when the exchange ended without one.
   */
  readonly onAnswer?: (exchangeId: string, status: number | undefined) => void;
  /** Told once per host and reason what goes wrong with connections. One line; it may hold text from the network. */
  readonly onTrouble?: (text: string) => void;
  /**
   * Told, each time, when traffic of a host that is to be opened goes by unread, or does not come to pass because its client
   * refuses our certificate: what a capture is to show may be missing. `why` is one line without text from the network.
   */
  readonly onUnread?: (host: Endpoint, why: string) => void;
  /** Ports of ours on loopback and on the listen address that must never be asked for through the proxy, besides its own. */
  readonly refusedPorts?: readonly number[];
}

export interface InterceptorCounts {
  connections: number;
  requests: number;
  /**
   * What became of connections: tunnels opened and read, opened but without HTTP/1 inside, passed on unseen, and such that
   * carried plain requests. What is missing to `connections` failed, was refused, or never asked for anything.
   */
  intercepted: number;
  unread: number;
  tunnelled: number;
  plain: number;
  /** Of the tunnels passed on unseen, those whose host was to be opened but could not be without breaking the app. */
  unopened: number;
  /** WebSocket messages seen in opened connections, both ways. */
  messages: number;
  /** Opened connections that could not be understood, from their beginning (`unread`) or later on. */
  opaque: number;
  /**
   * What passed inside connections that are read, but is not read itself: pushed answers and WebSockets of HTTP/2, and
   * upgrades to anything but WebSocket.
   */
  unreadStreams: number;
  /** Plain requests to hosts outside the scope, or bypassed, that were passed on and not recorded. */
  passed: number;
  /** Connections or requests that ended in an error of the upstream or of the client. */
  upstreamErrors: number;
  clientErrors: number;
  /** Requests refused: to ports of our own, and (`keptIn`) because they would have left the machine under a sink. */
  refused: number;
  keptIn: number;
  /** Throws of the hooks given in the options; the traffic went on. */
  hookErrors: number;
}

/** What became of the connections and requests to one host that were not simply read. */
export interface HostCounts {
  /** `host:port` as asked for; the hosts beyond the first thousand share one entry, "other hosts". */
  readonly endpoint: string;
  /** Tunnels passed on unseen because the host is outside the scope, and because it is bypassed. */
  readonly unseen: number;
  readonly bypassed: number;
  /** Of the unseen ones, those that were to be opened but could not be without breaking the app. */
  readonly unopened: number;
  /** Plain requests passed on and not recorded. */
  readonly passed: number;
  readonly keptIn: number;
  readonly upstreamErrors: number;
  readonly clientErrors: number;
  /** What went wrong last. It may hold text from the network. */
  readonly problem?: string;
}

export interface Interceptor {
  readonly address: Endpoint;
  readonly counts: Readonly<InterceptorCounts>;
  /** The hosts worth naming, in the order in which they were first asked for. */
  readonly hosts: () => readonly HostCounts[];
  /** Stops listening, lets open exchanges end for at most `drainMs`, then cuts them. */
  close(drainMs: number): Promise<void>;
}
