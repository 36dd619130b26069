import { isObject, type JsonObject, type JsonValue, parseJson } from "../record/json.ts";
import type { DecodableExchange, Decoded, Decoder } from "./decoder.ts";
import { pathOf } from "./form.ts";
import { objectBody, requireObject } from "./json-body.ts";
import { lifted } from "./lifted.ts";
import { first, member, textAt, without } from "./member.ts";

const PATH = /\/api\/event\/?$/;

/** Plausible: one event per request, as the script writes it (`n`, `u`, `d`, properties as a JSON text in `p`) or as its API does. */
export const plausible: Decoder = {
  name: "plausible",
  hosts: ["plausible.io"],
  score(exchange: DecodableExchange): number {
    if (!PATH.test(pathOf(exchange.target))) return 0;
    const body = objectBody(exchange);
    if (body === undefined) return 0;
    const isShort =
      textAt(body, "n") !== undefined && member(body, "u") !== undefined && member(body, "d") !== undefined;
    const isLong =
      textAt(body, "name") !== undefined && member(body, "url") !== undefined && member(body, "domain") !== undefined;
    return isShort || isLong ? 1 : 0;
  },
  decode(exchange: DecodableExchange): Decoded {
    const body = requireObject(exchange);
    const nameKey = textAt(body, "n") === undefined ? "name" : "n";
    const bag = bagOf(body);
    const event = lifted({
      name: textAt(body, nameKey) ?? null,
      data: bag?.data,
      rest: without(body, nameKey, bag?.key ?? ""),
    });
    return { events: [event], complete: true };
  },
  sinkAnswer: () => ({ status: 202, contentType: "text/plain", body: "ok" }),
};

/** The properties: an object, or one written into a text. */
function bagOf(body: JsonObject): { key: string; data: JsonObject } | undefined {
  for (const key of ["p", "props", "m", "meta"]) {
    const data = asObject(member(body, key));
    if (data !== undefined) return { key, data };
  }
  return undefined;
}

function asObject(value: JsonValue | undefined): JsonObject | undefined {
  if (isObject(value)) return value;
  if (typeof value !== "string") return undefined;
  try {
    return first([parseJson(value)].find(isObject));
  } catch {
    return undefined; // a text that is no object stays where it was
  }
}
