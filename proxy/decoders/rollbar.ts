import { isObject, type JsonObject, type JsonValue, stringifyJson } from "../record/json.ts";
import type { DecodableExchange, Decoded, DecodedEvent, Decoder } from "./decoder.ts";
import { withEnvelope } from "./envelope.ts";
import { pathOf } from "./form.ts";
import { objectBody, requireObject } from "./json-body.ts";
import { lifted } from "./lifted.ts";
import { first, given, idAt, listAt, member, objectAt, textAt, without } from "./member.ts";

const PATH = /\/api\/1\/(?:item|items)\/?$/;

/** Rollbar: one message or error per request; `custom` is the data. What the SDK copies from there to the top is not repeated. */
export const rollbar: Decoder = {
  name: "rollbar",
  hosts: ["api.rollbar.com"],
  score(exchange: DecodableExchange): number {
    if (!PATH.test(pathOf(exchange.target))) return 0;
    return isObject(member(objectBody(exchange), "data", "body")) ? 1 : 0;
  },
  decode(exchange: DecodableExchange): Decoded {
    const body = requireObject(exchange);
    const envelope = without(body, "data");
    return { ...withEnvelope([itemEvent(objectAt(body, "data"))], envelope), complete: true };
  },
  sinkAnswer: () => ({ status: 200, contentType: "application/json", body: '{"err":0,"result":{}}' }),
};

function itemEvent(item: JsonObject): DecodedEvent {
  const body = objectAt(item, "body");
  const { custom } = item;
  const copied = isObject(custom) ? Object.keys(custom).filter((key) => isCopy(item, custom, key)) : [];
  const message = textAt(body, "message", "body");
  return lifted({
    name: message ?? exceptionName(body) ?? null,
    time: member(item, "timestamp"),
    data: isObject(custom) ? custom : undefined,
    rest: {
      ...without(item, "timestamp", "body", isObject(custom) ? "custom" : "", ...copied),
      ...given("body", message === undefined ? body : withoutMessage(body)),
    },
    id: idAt(item, "uuid"),
  });
}

function isCopy(item: JsonObject, custom: JsonObject, key: string): boolean {
  return key !== "body" && Object.hasOwn(item, key) && stringifyJson(item[key]) === stringifyJson(custom[key]);
}

function withoutMessage(body: JsonObject): JsonObject {
  return { ...without(body, "message"), ...given("message", without(objectAt(body, "message"), "body")) };
}

function exceptionName(body: JsonObject): string | undefined {
  const exception: JsonValue | undefined = first(
    member(body, "trace", "exception"),
    member(listAt(body, "trace_chain")[0], "exception"),
  );
  return first(textAt(exception, "message"), textAt(exception, "description"), textAt(exception, "class"));
}
