/** Header names and values in wire order, names as sent, duplicates kept. */
export type RawHeaders = readonly (readonly [name: string, value: string])[];

/** The answer to a captured request, as it was on the wire (transfer coding removed, content coding kept). */
export interface ExchangeResponse {
  readonly status: number;
  readonly headers: RawHeaders;
  readonly body: Uint8Array;
  /** True when the body was over the cap, or its end never came. */
  readonly truncated: boolean;
}

/**
 * One captured request with what is known of its response. `body` holds the bytes as they were on the wire (transfer
 * coding removed, content coding kept), at most `maxBodyBytes` of them.
 */
export interface Exchange {
  readonly id: string;
  /** Milliseconds since the epoch at which the request's head arrived. */
  readonly arrivedAt: number;
  readonly scheme: "http" | "https";
  readonly method: string;
  /** Host name without port and without the brackets of an IPv6 literal, lower case. */
  readonly host: string;
  readonly port: number;
  /** Path with query, as sent. */
  readonly target: string;
  readonly headers: RawHeaders;
  readonly body: Uint8Array;
  /** True when the body was over the cap or its sender went away before its end. */
  readonly truncated: boolean;
  /** The answer's status, when one arrived before the exchange was handed on. */
  readonly status?: number;
  /** The answer itself, for formats whose events stand in it (language models, MCP); most formats need only the request. */
  readonly response?: ExchangeResponse;
  /** Run that owns the connection, when one proxy serves several. */
  readonly run?: string;
}

/** The first value of a header, its name compared without case; undefined when it is absent. */
export function headerOf(headers: RawHeaders, name: string): string | undefined {
  const wanted = name.toLowerCase();
  for (const header of headers) {
    const known = header[0];
    if (known.length === wanted.length && known.toLowerCase() === wanted) return header[1];
  }
  return undefined;
}
