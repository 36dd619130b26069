import type { DecodableExchange, Decoded, DecodedEvent, Decoder } from "../decoders/decoder.ts";
import { rawEvent } from "../decoders/raw.ts";
import { type Exchange, headerOf } from "../record/exchange.ts";
import { inflateBody } from "./inflate.ts";

/** What was understood of one exchange. `events` is empty for requests that carry none. */
export interface Reading {
  readonly exchange: DecodableExchange;
  /** Name of the decoder that read it. */
  readonly format: string;
  readonly decoder?: Decoder;
  readonly events: readonly DecodedEvent[];
  readonly note?: string;
  /** Why there is no event: a CORS preflight, or a request without a body that no format knows. */
  readonly nothing?: "preflight" | "empty";
}

/** From this score on a decoder is sure of its format, so that its failure is worth a note. */
const SURE = 0.5;

/**
 * Inflates a request's body and has the most fitting decoder read it. A decoder that throws is passed over for the next
 * best; when none is left the body becomes one undecoded event that gives the reason. Never throws.
 */
export function readExchange(exchange: Exchange, decoders: readonly Decoder[], maxInflatedBytes: number): Reading {
  const inflated = inflateBody(exchange.body, headerOf(exchange.headers, "content-encoding"), maxInflatedBytes);
  const decodable: DecodableExchange = { ...exchange, body: inflated.body, text: textOf(inflated.body) };
  if (exchange.method === "OPTIONS") return nothing(decodable, "preflight");
  if (inflated.undecoded !== undefined) {
    return finish(decodable, { format: "raw", decoded: rawEvent(inflated.body, inflated.undecoded) }, inflated.notes);
  }
  if (isTooMany(inflated.body)) {
    return finish(decodable, { format: "raw", decoded: rawEvent(inflated.body, TOO_MANY) }, inflated.notes);
  }
  const ranked = rank(decoders, decodable);
  if (ranked.length === 0) return nothing(decodable, "empty");
  return decodeBest(decodable, ranked, inflated.notes);
}

/** More JSON objects than this in one body are not taken apart: each costs far more memory than its two bytes. */
const MAX_OBJECTS = 500_000;
const TOO_MANY = `more than ${MAX_OBJECTS} JSON objects in one body`;
const OPENING_BRACE = 0x7b;

function isTooMany(body: Uint8Array): boolean {
  if (body.length < MAX_OBJECTS) return false;
  let count = 0;
  for (const byte of body) if (byte === OPENING_BRACE) count++;
  return count > MAX_OBJECTS;
}

interface Ranked {
  readonly decoder: Decoder;
  readonly score: number;
}

interface Read {
  readonly format: string;
  readonly decoder?: Decoder;
  readonly decoded: Decoded;
}

function rank(decoders: readonly Decoder[], exchange: DecodableExchange): Ranked[] {
  return decoders
    .map((decoder) => ({ decoder, score: scoreOf(decoder, exchange) }))
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score);
}

/** A decoder that cannot even look at an exchange has no claim on it. */
function scoreOf(decoder: Decoder, exchange: DecodableExchange): number {
  try {
    return decoder.score(exchange);
  } catch {
    return 0;
  }
}

function decodeBest(exchange: DecodableExchange, ranked: readonly Ranked[], notes: readonly string[]): Reading {
  const failures: string[] = [];
  const worthNoting: string[] = [];
  for (const { decoder, score } of ranked) {
    try {
      const decoded = decoder.name === "raw" ? rawEvent(exchange.body, reasonOf(failures)) : decoder.decode(exchange);
      return finish(exchange, { format: decoder.name, decoder, decoded }, [...notes, ...worthNoting]);
    } catch (cause) {
      const failure = `${decoder.name}: ${cause instanceof Error ? cause.message : String(cause)}`.slice(0, 300);
      failures.push(failure);
      if (score >= SURE) worthNoting.push(failure);
    }
  }
  return finish(exchange, { format: "raw", decoded: rawEvent(exchange.body, reasonOf(failures)) }, notes);
}

function reasonOf(failures: readonly string[]): string {
  return failures.length === 0 ? "no decoder knows this body" : failures.join("; ");
}

function finish(exchange: DecodableExchange, { format, decoder, decoded }: Read, notes: readonly string[]): Reading {
  const all = decoded.note === undefined ? notes : [...notes, decoded.note];
  return {
    exchange,
    format,
    ...(decoder === undefined ? {} : { decoder }),
    events: decoded.events,
    ...(all.length === 0 ? {} : { note: all.join("; ") }),
  };
}

function nothing(exchange: DecodableExchange, why: "preflight" | "empty"): Reading {
  return { exchange, format: "raw", events: [], nothing: why };
}

function textOf(body: Uint8Array): string {
  const text = Buffer.from(body.buffer, body.byteOffset, body.length).toString("utf8");
  return text.startsWith("\u{feff}") ? text.slice(1) : text;
}
