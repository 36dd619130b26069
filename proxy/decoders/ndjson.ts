import { isObject, type JsonObject, parseJson } from "../record/json.ts";
import { type BodyLine, bodyLines, brokenLine } from "./body-lines.ts";
import type { DecodableExchange, Decoded, DecodedEvent, Decoder } from "./decoder.ts";
import { isLifted, liftEvent } from "./lift.ts";
import { WholeEvent } from "./whole-event.ts";

/** Lines looked at to tell NDJSON from one JSON value written over several lines. */
const LINES_LOOKED_AT = 4;

/** Newline-delimited JSON objects. A line that is none becomes an undecoded event of its own; the others count. */
export const ndjson: Decoder = {
  name: "ndjson",
  isGeneric: true,
  hosts: [],
  score({ text }: DecodableExchange): number {
    const first = text.split("\n", LINES_LOOKED_AT).map((line) => line.trim());
    const whole = first.filter((line) => line.startsWith("{") && line.endsWith("}") && isJsonObject(line));
    if (whole.length === 0 || !text.trim().includes("\n")) return 0;
    return isJsonObject(first.find((line) => line !== "") ?? "") ? 0.4 : 0.2;
  },
  decode: (exchange: DecodableExchange): Decoded => ({ events: bodyLines(exchange).map(eventOf) }),
};

function eventOf(line: BodyLine): DecodedEvent {
  try {
    const value = parseJson(line.text);
    if (!isObject(value)) return brokenLine(line, "line is no JSON object");
    return isLifted(value) ? asSent(value, line.text) : liftEvent(value);
  } catch (cause) {
    return brokenLine(line, `line is no JSON: ${cause instanceof Error ? cause.message : String(cause)}`);
  }
}

function asSent(value: JsonObject, text: string): DecodedEvent {
  const { name, time } = value;
  return new WholeEvent({ text, value }, { name: String(name), time: typeof time === "string" ? time : undefined });
}

function isJsonObject(line: string): boolean {
  try {
    return isObject(JSON.parse(line));
  } catch {
    return false; // a line that does not parse is the answer, not a failure
  }
}
