import { brokenLine } from "../decoders/body-lines.ts";
import type { DecodableExchange, Decoded, DecodedEvent, Decoder } from "../decoders/decoder.ts";
import { withEnvelope } from "../decoders/envelope.ts";
import { isCutInside, notAnEvent } from "../decoders/json-body.ts";
import { isObject, type JsonObject, type JsonValue } from "../record/json.ts";
import { compileDocuments, type Document, itemsOf } from "./documents.ts";
import { compileEvent, type EventReader } from "./event.ts";
import type { FormatSpec } from "./format.ts";
import { compilePath, type PathReader, valueAt } from "./json-path.ts";
import { compileHead, compileShape } from "./recognise.ts";
import { keysOf, removeAt, replaceAt } from "./remove-at.ts";

/** Events looked at for a name before a body is taken for one of the format. */
const EVENTS_LOOKED_AT = 20;

/**
 * The decoder of a format that a user described. A request is one of it when its head fits, its body can be read as the
 * format says, has the shape asked for, and holds an event with a name; then no other decoder is asked.
 */
export function formatDecoder(spec: FormatSpec): Decoder {
  const isHead = compileHead(spec.match);
  const reader = compileReader(spec);
  return {
    name: spec.name,
    hosts: spec.match.hosts,
    redact: spec.redact,
    score: (exchange) => (isHead(exchange) && reader.isMine(exchange) ? 1 : 0),
    decode: (exchange) => reader.decode(exchange),
    ...(spec.sink === undefined ? {} : { sinkAnswer: sinkAnswerOf(spec.sink) }),
  };
}

function sinkAnswerOf({ status, contentType, body }: NonNullable<FormatSpec["sink"]>) {
  return (_: DecodableExchange, count: number) => ({
    status,
    contentType,
    body: body.replaceAll(`"{events}"`, String(count)).replaceAll("{events}", String(count)),
  });
}

interface Reader {
  isMine(exchange: DecodableExchange): boolean;
  decode(exchange: DecodableExchange): Decoded;
}

function compileReader(spec: FormatSpec): Reader {
  const read = compileDocuments(spec.body);
  const isShaped = compileShape(spec.match.shape);
  const hasShape = spec.match.shape.length > 0;
  const events = spec.events === undefined ? undefined : compilePath(spec.events);
  const event = compileEvent(spec);
  const known = new WeakMap<DecodableExchange, readonly Document[]>();
  const documents = (exchange: DecodableExchange): readonly Document[] => {
    const found = known.get(exchange) ?? read(exchange);
    known.set(exchange, found);
    return found;
  };
  return {
    isMine(exchange) {
      const values = documents(exchange).flatMap((document) => (document.ok ? [document.value] : []));
      if (values.length === 0 || (hasShape && !values.some(isShaped))) return false;
      const items = values
        .slice(0, EVENTS_LOOKED_AT)
        .flatMap((body) => itemsOf(body, events?.all).map((item) => ({ body, item })));
      if (items.length === 0) return hasShape;
      return items.slice(0, EVENTS_LOOKED_AT).some(({ body, item }) => event.hasName({ exchange, body, event: item }));
    },
    decode(exchange) {
      const parts = documents(exchange).map((document) => decodeDocument(document, { exchange, events, event }));
      const notes = [...new Set(parts.flatMap(({ note }) => note ?? []))];
      const isWhole = spec.body.kind === "json" && !isCutInside(exchange);
      return {
        events: parts.flatMap((part) => part.events),
        ...(notes.length === 0 ? {} : { note: notes.join("; ") }),
        ...(isWhole ? { complete: true } : {}),
      };
    },
  };
}

interface Parts {
  readonly exchange: DecodableExchange;
  readonly events: PathReader | undefined;
  readonly event: EventReader;
}

function decodeDocument(document: Document, { exchange, events, event }: Parts): Decoded {
  if (!document.ok) return { events: [brokenLine(document.line, document.why)] };
  const body = document.value;
  const read = itemsOf(body, events?.all).map((item): DecodedEvent => {
    if (typeof item !== "object" || item === null) return notAnEvent(item);
    return event.read({ exchange, body, event: item });
  });
  return withEnvelope(read, envelopeOf(body, events));
}

/**
 * What a body says beside its events: without the list they are in, but with those of its items that are none (a filter's);
 * the whole body where events and the rest cannot be told apart.
 */
function envelopeOf(body: JsonValue, events: PathReader | undefined): JsonObject {
  if (!isObject(body) || events === undefined || events.segments.length === 0) return {};
  const { segments } = events;
  const isList = !events.isSingle && segments.at(-1)?.kind === "child";
  const keys = keysOf(isList ? segments.slice(0, -1) : segments);
  if (keys === undefined) return body;
  const others = isList ? othersIn(valueAt(body, segments.slice(0, -1)), events.all(body)) : [];
  return others.length === 0 ? removeAt(body, keys) : replaceAt(body, keys, others);
}

function othersIn(list: JsonValue | undefined, chosen: readonly JsonValue[]): readonly JsonValue[] {
  if (!Array.isArray(list) || list.length === chosen.length) return [];
  const events = new Set(chosen);
  return (list as readonly JsonValue[]).filter((item) => !events.has(item));
}
