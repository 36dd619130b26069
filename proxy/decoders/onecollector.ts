import { isObject, type JsonObject, type JsonValue, parseJson } from "../record/json.ts";
import { type BodyLine, bodyLines, brokenLine } from "./body-lines.ts";
import type { DecodableExchange, Decoded, DecodedEvent, Decoder } from "./decoder.ts";
import { isoTime } from "./event-time.ts";
import { clearReserved, isName } from "./lift.ts";
import { member } from "./member.ts";

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
  return bodyLines(exchange).flatMap((line) => {
    try {
      const value = parseJson(line.text);
      return Array.isArray(value) ? value.map(eventOf) : [eventOf(value)];
    } catch (cause) {
      return [unreadable(line, cause)];
    }
  });
}

function arrayEvents(text: string): DecodedEvent[] {
  const value = parseJson(text);
  if (!Array.isArray(value)) throw new SyntaxError("expected a list of events");
  return value.map(eventOf);
}

function eventOf(value: JsonValue): DecodedEvent {
  if (!isObject(value)) return { name: null, fields: { body: value }, undecoded: "not an event object" };
  const { name, time, ...others } = value;
  const session = sessionOf(value);
  const named = isName(name) ? name : null;
  const isReadable = typeof time === "string" && isoTime(time) !== undefined;
  const isPlain = (named !== null || name === undefined || name === null) && (time === undefined || isReadable);
  return {
    name: named,
    ...(isReadable ? { time } : {}),
    fields: isPlain ? clearReserved(others) : withOddOnes(clearReserved(others), { name, time, isReadable }),
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
  const candidates = [
    member(event, "ext", "app", "sesId"),
    member(event, "data", "baseData", "properties", "common.vscodesessionid"),
    member(event, "data", "common.vscodesessionid"),
  ];
  return candidates.find((value): value is string => typeof value === "string" && value !== "");
}

function unreadable(line: BodyLine, cause: unknown): DecodedEvent {
  return brokenLine(line, `line is no JSON: ${cause instanceof Error ? cause.message : String(cause)}`);
}
