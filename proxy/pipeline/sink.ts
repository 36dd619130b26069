import { type Exchange, headerOf, type RawHeaders } from "../record/exchange.ts";
import type { Reading } from "./reading.ts";

/** The answer of `--sink`, in the shape the interceptor sends. */
export interface SinkReply {
  readonly status: number;
  readonly headers: RawHeaders;
  readonly body: Uint8Array;
}

/**
 * Answers a request in place of its upstream, with what the format's SDK expects (`Decoder.sinkAnswer`), else 200 and
 * `{}`. A browser gets the CORS headers it asks for, and its preflight a 204.
 */
export function sinkReply(reading: Reading): SinkReply {
  const { exchange, decoder, events } = reading;
  if (reading.nothing === "preflight") return reply(204, [...corsHeaders(exchange), ...preflightHeaders(exchange)], "");
  const answer = decoder?.sinkAnswer?.(exchange, events.length) ?? {
    status: 200,
    contentType: "application/json",
    body: "{}",
  };
  const type: RawHeaders = answer.body === "" ? [] : [["Content-Type", answer.contentType]];
  return reply(answer.status, [...corsHeaders(exchange), ...type], exchange.method === "HEAD" ? "" : answer.body);
}

function reply(status: number, headers: RawHeaders, text: string): SinkReply {
  const body = Buffer.from(text, "utf8");
  const hasLength = status !== 204 && status !== 304;
  return { status, headers: hasLength ? [...headers, ["Content-Length", String(body.length)]] : headers, body };
}

function corsHeaders({ headers }: Pick<Exchange, "headers">): RawHeaders {
  const origin = headerOf(headers, "origin");
  if (origin === undefined) return [];
  return [
    ["Access-Control-Allow-Origin", origin],
    ["Access-Control-Allow-Credentials", "true"],
    ["Vary", "Origin"],
  ];
}

function preflightHeaders({ headers }: Pick<Exchange, "headers">): RawHeaders {
  const wanted = headerOf(headers, "access-control-request-headers");
  const method = headerOf(headers, "access-control-request-method") ?? "POST";
  return [
    ["Access-Control-Allow-Methods", method],
    ...(wanted === undefined ? [] : [["Access-Control-Allow-Headers", wanted] as const]),
    ["Access-Control-Max-Age", "600"],
  ];
}
