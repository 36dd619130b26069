import { isAscii } from "node:buffer";
import type { DecodableExchange, Decoded, DecodedEvent, Decoder } from "../decoders/decoder.ts";
import { isCutInside } from "../decoders/json-body.ts";
import { forgetExchange } from "../decoders/once.ts";
import { rawEvent } from "../decoders/raw.ts";
import { type Exchange, type ExchangeResponse, headerOf } from "../record/exchange.ts";
import { inflateBody } from "./inflate.ts";

/** What was understood of one exchange. `events` is empty for requests that carry none. */
export interface Reading {
  readonly exchange: DecodableExchange;
  /** Name of the decoder that read it. */
  readonly format: string;
  readonly decoder?: Decoder | undefined;
  readonly events: readonly DecodedEvent[];
  readonly note?: string | undefined;
  /** Bytes were missing at the body's end. */
  readonly isCut: boolean;
  /** What the user's own decoders threw at it. */
  readonly failures: readonly DecoderFailure[];
  /** Why there is no event: a CORS preflight, or a request without a body that no format knows. */
  readonly nothing?: "preflight" | "empty";
}

/** A user's own decoder threw, or answered with what is no answer. */
export interface DecoderFailure {
  readonly decoder: string;
  readonly why: string;
}

/** From this score on a decoder is sure of its format, so that its failure is worth a note. */
const SURE = 0.5;
/** In the place of the score of one that is only asked when those before it fail. */
const LAST = 0.001;
/** From this score on no other decoder is asked. */
const CERTAIN = 1;

/**
 * Inflates a request's body and has the most fitting decoder read it. A decoder that throws is passed over for the next
 * best; when none is left the body becomes one undecoded event that gives the reason. Never throws.
 */
export function readExchange(exchange: Exchange, decoders: readonly Decoder[], maxInflatedBytes: number): Reading {
  const reading = readInflated(exchange, decoders, maxInflatedBytes);
  forgetExchange();
  return reading;
}

function readInflated(exchange: Exchange, decoders: readonly Decoder[], maxInflatedBytes: number): Reading {
  const inflated = inflateBody(exchange.body, headerOf(exchange.headers, "content-encoding"), maxInflatedBytes);
  const isCut = exchange.truncated || inflated.isCut === true;
  const answer = exchange.response && readableAnswer(exchange.response, maxInflatedBytes);
  const decodable = decodableOf(exchange, inflated.body, { isCut, response: answer?.response });
  const found = {
    notes: answer === undefined ? inflated.notes : [...inflated.notes, ...answer.notes],
    isCut,
    failures: [],
  };
  if (exchange.method === "OPTIONS") return nothing(decodable, "preflight");
  const undecoded = inflated.undecoded ?? (isTooMany(inflated.body) ? TOO_MANY : undefined);
  if (undecoded !== undefined) return finish(decodable, rawRead(inflated.body, undecoded), found);
  const ranked = rank(decoders, decodable, found.failures);
  if (ranked.length === 0 && !(isCut && hasBodyByMethod(exchange.method)))
    return { ...nothing(decodable, "empty"), failures: found.failures };
  return decodeBest(decodable, ranked, found);
}

/** Named one by one: a spread with two fields replaced costs several times as much, for each request. */
function decodableOf(exchange: Exchange, body: Uint8Array, { isCut, response }: Unpacked): DecodableExchange {
  const { id, arrivedAt, scheme, method, host, port, target, headers, status, run } = exchange;
  const text = textOf(body);
  const known = { id, arrivedAt, scheme, method, host, port, target, headers, truncated: isCut, body, text };
  if (status === undefined && run === undefined && response === undefined) return known;
  return {
    ...known,
    ...(status === undefined ? {} : { status }),
    ...(run === undefined ? {} : { run }),
    ...(response === undefined ? {} : { response }),
  };
}

interface Unpacked {
  readonly isCut: boolean;
  readonly response: ExchangeResponse | undefined;
}

/** An answer whose coding cannot be taken off keeps its bytes; it is then no text that a decoder finds anything in. */
function readableAnswer(
  response: ExchangeResponse,
  maxInflatedBytes: number,
): { response: ExchangeResponse; notes: readonly string[] } {
  const coding = headerOf(response.headers, "content-encoding");
  const { body, isCut, notes, undecoded } = inflateBody(response.body, coding, maxInflatedBytes);
  const truncated = response.truncated || isCut === true;
  const odd = [...notes, ...(undecoded === undefined ? [] : [undecoded])].map((note) => `answer: ${note}`);
  return { response: { ...response, body, truncated }, notes: truncated ? [...odd, ANSWER_CUT] : odd };
}

const ANSWER_CUT = "the end of the answer is missing";

interface Found {
  readonly notes: readonly string[];
  /** Bytes are missing at the body's end. */
  readonly isCut: boolean;
  readonly failures: DecoderFailure[];
}

const CUT = "the end of the body is missing";

/** A sender that went away before the first byte of a body has lost one; a request that has none has not. */
function hasBodyByMethod(method: string): boolean {
  return method !== "GET" && method !== "HEAD" && method !== "CONNECT";
}

function rawRead(body: Uint8Array, why: string): Read {
  return { format: "raw", decoded: rawEvent(body, why) };
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

/**
 * The decoders that claim an exchange, best first. Once one is certain, those after it are not asked; once one is sure,
 * the generic ones, which are less so, stand last without being asked.
 */
function rank(decoders: readonly Decoder[], exchange: DecodableExchange, failures: DecoderFailure[]): Ranked[] {
  const ranked: Ranked[] = [];
  let isSure = false;
  let isOrdered = true;
  for (const decoder of decoders) {
    const isLast: boolean = isSure && decoder.isGeneric === true;
    const score: number = isLast ? LAST : scoreOf(decoder, exchange, failures);
    if (score > 0) {
      isOrdered &&= score <= (ranked.at(-1)?.score ?? score);
      ranked.push({ decoder, score });
    }
    isSure ||= score >= SURE;
    if (score >= CERTAIN && decoder.origin === undefined) break; // a user's own may throw: then the next best has to be known
  }
  return isOrdered ? ranked : ranked.sort((a, b) => b.score - a.score);
}

/** A decoder that cannot even look at an exchange has no claim on it. */
function scoreOf(decoder: Decoder, exchange: DecodableExchange, failures: DecoderFailure[]): number {
  try {
    return decoder.score(exchange);
  } catch (cause) {
    blame(decoder, cause, failures);
    return 0;
  }
}

/** Waymark's own decoders throw at what they cannot read; a user's has to be told. */
function blame({ name, origin }: Decoder, cause: unknown, failures: DecoderFailure[]): void {
  if (origin !== undefined) failures.push({ decoder: name, why: reasonOf(cause) });
}

function reasonOf(cause: unknown): string {
  return cause instanceof Error ? cause.message : String(cause);
}

function decodeBest(exchange: DecodableExchange, ranked: readonly Ranked[], found: Found): Reading {
  const failures: string[] = [];
  const worthNoting: string[] = [];
  for (const { decoder, score } of ranked) {
    if (score === LAST && scoreOf(decoder, exchange, found.failures) === 0) continue;
    try {
      const decoded = decoder.name === "raw" ? rawEvent(exchange.body, allReasons(failures)) : decoder.decode(exchange);
      const noted = worthNoting.length === 0 ? found : { ...found, notes: [...found.notes, ...worthNoting] };
      return finish(exchange, { format: decoder.name, decoder, decoded }, noted);
    } catch (cause) {
      blame(decoder, cause, found.failures);
      const failure = `${decoder.name}: ${reasonOf(cause)}`.slice(0, 300);
      failures.push(failure);
      if (score >= SURE) worthNoting.push(failure);
    }
  }
  return finish(exchange, rawRead(exchange.body, allReasons(failures)), found);
}

function allReasons(failures: readonly string[]): string {
  return failures.length === 0 ? "no decoder knows this body" : failures.join("; ");
}

function finish(
  exchange: DecodableExchange,
  { format, decoder, decoded }: Read,
  { notes, isCut, failures }: Found,
): Reading {
  const all = decoded.note === undefined ? notes : [...notes, decoded.note];
  const events = isCut ? withCut(decoded, isCutInside(exchange)) : decoded.events;
  const note = all.length === 0 ? undefined : all.join("; ");
  return { exchange, format, isCut, decoder, events, note, failures };
}

/** Whole events before a cut are events; that something is missing must show, in the broken one or in one more. */
function withCut({ events, complete }: Decoded, isInside: boolean): readonly DecodedEvent[] {
  const isShown = (complete === true && !isInside) || events.some(({ undecoded }) => undecoded !== undefined);
  return isShown ? events : [...events, { name: null, fields: {}, undecoded: CUT }];
}

function nothing(exchange: DecodableExchange, why: "preflight" | "empty"): Reading {
  return { exchange, format: "raw", isCut: false, events: [], nothing: why, failures: [] };
}

function textOf(body: Uint8Array): string {
  const bytes = Buffer.isBuffer(body) ? body : Buffer.from(body.buffer, body.byteOffset, body.length);
  if (isAscii(bytes)) return bytes.toString("latin1"); // the same, in half the time
  const text = bytes.toString("utf8");
  return text.startsWith("\u{feff}") ? text.slice(1) : text;
}
