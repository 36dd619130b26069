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
  const extra = first(
    member(body, "message", "extra"),
    member(body, "trace", "extra"),
    member(listAt(body, "trace_chain")[0], "extra"),
  );
  const copied = isObject(custom) ? Object.keys(custom).filter((key) => isCopy(item, custom, key)) : [];
  const message = textAt(body, "message", "body");
  return lifted({
    name: message ?? exceptionName(body) ?? null,
    time: member(item, "timestamp"),
    data: isObject(custom) ? custom : isObject(extra) ? extra : undefined,
    rest: {
      ...without(item, "timestamp", "body", isObject(custom) ? "custom" : "", ...copied),
      ...given("body", bodyRest(body, { isNamed: message !== undefined, isExtraLifted: !isObject(custom) })),
    },
    id: idAt(item, "uuid"),
  });
}

function isCopy(item: JsonObject, custom: JsonObject, key: string): boolean {
  return key !== "body" && Object.hasOwn(item, key) && stringifyJson(item[key]) === stringifyJson(custom[key]);
}

/** The body without what was lifted from it: the message's text, and the properties that browsers put beside it. */
function bodyRest(
  body: JsonObject,
  { isNamed, isExtraLifted }: { isNamed: boolean; isExtraLifted: boolean },
): JsonObject {
  const lift = (part: JsonObject): JsonObject => (isExtraLifted ? without(part, "extra") : part);
  const message = lift(isNamed ? without(objectAt(body, "message"), "body") : objectAt(body, "message"));
  const trace = lift(objectAt(body, "trace"));
  const chain = listAt(body, "trace_chain").map((part, index) => (index === 0 && isObject(part) ? lift(part) : part));
  return {
    ...without(body, "message", "trace", "trace_chain"),
    ...given("message", message),
    ...given("trace", trace),
    ...(chain.length === 0 ? {} : { trace_chain: chain }),
  };
}

function exceptionName(body: JsonObject): string | undefined {
  const exception: JsonValue | undefined = first(
    member(body, "trace", "exception"),
    member(listAt(body, "trace_chain")[0], "exception"),
  );
  return first(textAt(exception, "message"), textAt(exception, "description"), textAt(exception, "class"));
}
