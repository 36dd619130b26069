import { isObject, type JsonObject, type JsonValue, parseJson, partsParser } from "../record/json.ts";
import { type BodyLine, bodyLines, brokenLine } from "./body-lines.ts";
import type { DecodableExchange, Decoded, DecodedEvent, Decoder } from "./decoder.ts";
import { isoTime } from "./event-time.ts";
import { notAnEvent } from "./json-body.ts";
import { clearReserved, isName } from "./lift.ts";
import { textAt, without } from "./member.ts";
import { WholeEvent } from "./whole-event.ts";

const PATH = /\/onecollector\/1\.0\/?(?:\?|$)/i;
const COMMON_SCHEMA =
  /^\s*\[?\s*\{(?=[^\n]{0,4000}"ver"\s*:\s*"4\.0")(?=[^\n]{0,4000}"iKey"\s*:)[^\n]{0,4000}"name"\s*:/;
const NO_RESPONSE_BODY = /[?&]NoResponseBody=true(?:&|$)/i;

/**
 * Microsoft OneCollector (1DS, Common Schema 4.0), as sent by VS Code, Teams, Office and Edge: NDJSON or a JSON array at
 * `/OneCollector/1.0`, under any content type. An event keeps its own shape exactly. Bodies of native SDKs in Bond
 * compact binary are not read; they are recorded raw.
 */
export const oneCollector: Decoder = {
  name: "onecollector",
  hosts: ["*.events.data.microsoft.com"],
  score({ target, text }: DecodableExchange): number {
    if (PATH.test(target)) return /^\s*[[{]/.test(text) ? 1 : 0;
    const head = text.slice(0, 8192);
    return head.includes('"iKey"') && COMMON_SCHEMA.test(head) ? 0.8 : 0;
  },
  decode(exchange: DecodableExchange): Decoded {
    if (!exchange.text.trimStart().startsWith("[")) return { events: lineEvents(exchange) };
    return { events: arrayEvents(exchange.text), complete: true };
  },
  /** The SDK on Node stalls for good on an empty answer, so one without a body is only given where it is asked for. */
  sinkAnswer({ target }: DecodableExchange, eventCount: number) {
    if (NO_RESPONSE_BODY.test(target)) return { status: 204, contentType: "application/json", body: "" };
    return { status: 200, contentType: "application/json", body: `{"acc":${eventCount}}` };
  },
};

function lineEvents(exchange: DecodableExchange): DecodedEvent[] {
  const events: DecodedEvent[] = [];
  const parse = partsParser(exchange.text);
  for (const line of bodyLines(exchange)) {
    try {
      const value = parse(line.text);
      if (isObject(value)) events.push(eventOf(value, line.text));
      else if (Array.isArray(value)) for (const item of value as readonly JsonValue[]) events.push(itemEvent(item));
      else events.push(notAnEvent(value));
    } catch (cause) {
      events.push(unreadable(line, cause));
    }
  }
  return events;
}

function arrayEvents(text: string): DecodedEvent[] {
  const value = parseJson(text);
  if (!Array.isArray(value)) throw new SyntaxError("expected a list of events");
  return value.map(itemEvent);
}

function itemEvent(value: JsonValue): DecodedEvent {
  return isObject(value) ? eventOf(value) : notAnEvent(value);
}

/** The event of an object, and of its text where it has one to itself. */
function eventOf(value: JsonObject, text?: string): DecodedEvent {
  const { name, time } = value;
  const named = isName(name) ? name : null;
  const iso = typeof time === "string" && isoTime(time) !== undefined ? time : undefined;
  const session = sessionOf(value);
  const isPlain = (named !== null || name === undefined || name === null) && (time === undefined || iso !== undefined);
  if (isPlain && text !== undefined) return new WholeEvent({ text, value }, { name: named, time: iso, session });
  const others = clearReserved(without(value, "name", "time"));
  return {
    name: named,
    ...(iso === undefined ? {} : { time: iso }),
    fields: isPlain ? others : withOddOnes(others, { name, time, isReadable: iso !== undefined }),
    ...(session === undefined ? {} : { session }),
  };
}

interface OddOnes {
  readonly name: JsonValue | undefined;
  readonly time: JsonValue | undefined;
  readonly isReadable: boolean;
}

/** A name that names nothing and a time that cannot be read move aside, as a record's own fields are waymark's. */
function withOddOnes(fields: JsonObject, { name, time, isReadable }: OddOnes): JsonObject {
  return {
    ...fields,
    ...(name === undefined || name === null || isName(name) ? {} : { name_app: name }),
    ...(time === undefined || isReadable ? {} : { time_app: time }),
  };
}

/** `ext.app.sesId`; VS Code extensions keep theirs among the properties. User and device ids are no sessions. */
function sessionOf(event: JsonObject): string | undefined {
  return (
    textAt(event, "ext", "app", "sesId") ??
    textAt(event, "data", "baseData", "properties", "common.vscodesessionid") ??
    textAt(event, "data", "common.vscodesessionid")
  );
}

function unreadable(line: BodyLine, cause: unknown): DecodedEvent {
  return brokenLine(line, `line is no JSON: ${cause instanceof Error ? cause.message : String(cause)}`);
}
