import type { SinkContent } from "../decoders/decoder.ts";
import { type Exchange, headerOf, type RawHeaders } from "../record/exchange.ts";
import type { Reading } from "./reading.ts";

/** The answer of `--sink`, in the shape the interceptor sends. */
export interface SinkReply {
  readonly status: number;
  readonly headers: RawHeaders;
  readonly body: Uint8Array;
  readonly stays?: true;
}

/**
 * Answers a request in place of its upstream, with what the format's SDK expects (`Decoder.sinkAnswer`), else 200 and
 * `{}`. A browser gets the CORS headers it asks for, and its preflight a 204; where it wants a script (a remote
 * configuration, an SDK's further parts) one that does nothing, and for a pixel an image, since JSON there is an error to
 * the page.
 */
export function sinkReply(reading: Reading): SinkReply {
  const { exchange, decoder, events } = reading;
  if (reading.nothing === "preflight") return reply(204, [...corsHeaders(exchange), ...preflightHeaders(exchange)], "");
  const asset = assetAnswer(exchange);
  if (asset !== undefined) return reply(200, [...corsHeaders(exchange), ["Content-Type", asset.type]], asset.body);
  const answer = decoder?.sinkAnswer?.(exchange, events.length) ?? EMPTY;
  if (answer.stays === true) return openReply(answer, corsHeaders(exchange));
  const type: RawHeaders = answer.body === "" ? [] : [["Content-Type", answer.contentType]];
  return reply(answer.status, [...corsHeaders(exchange), ...type], exchange.method === "HEAD" ? "" : answer.body);
}

const EMPTY: SinkContent = { status: 200, contentType: "application/json", body: "{}" };

/** The smallest picture there is: one transparent pixel (GIF89a). */
const PIXEL = Buffer.from("R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7", "base64");

/** By what a browser says the answer is for (Fetch Metadata, `Sec-Fetch-Dest`), which it says to secure targets only. */
function assetAnswer({
  method,
  headers,
}: Exchange): { readonly type: string; readonly body: string | Buffer } | undefined {
  if (method !== "GET") return undefined;
  const destination = headerOf(headers, "sec-fetch-dest");
  if (destination === "script") return { type: "text/javascript", body: "" };
  if (destination === "style") return { type: "text/css", body: "" };
  return destination === "image" ? { type: "image/gif", body: PIXEL } : undefined;
}

/** Without a length, since it does not end. */
function openReply({ status, contentType, body }: SinkContent, cors: RawHeaders): SinkReply {
  return { status, headers: [...cors, ["Content-Type", contentType]], body: Buffer.from(body, "utf8"), stays: true };
}

function reply(status: number, headers: RawHeaders, content: string | Buffer): SinkReply {
  const body = typeof content === "string" ? Buffer.from(content, "utf8") : content;
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
