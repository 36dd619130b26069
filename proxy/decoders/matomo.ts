import type { JsonObject, JsonValue } from "../record/json.ts";
import type { DecodableExchange, Decoded, DecodedEvent, Decoder } from "./decoder.ts";
import { isoTime } from "./event-time.ts";
import { formFields, pathOf, queryOf } from "./form.ts";
import { notAnEvent, objectBody } from "./json-body.ts";
import { lifted } from "./lifted.ts";
import { first, idAt, member, textAt, without } from "./member.ts";

const PATH = /\/(?:matomo|piwik)\.php\/?$/;

/** Parameters that name a hit, in the order in which they say what it is. */
const NAMES = ["e_a", "search", "action_name", "link", "download", "c_n"] as const;

/**
 * Matomo's tracking API: one hit in the query or in a form, or a bulk of query strings in JSON. Every parameter is a property
 * of the hit; values are text, except an event's `e_v`.
 */
export const matomo: Decoder = {
  name: "matomo",
  hosts: ["*.matomo.cloud"],
  score(exchange: DecodableExchange): number {
    const isPath = PATH.test(pathOf(exchange.target));
    const query = queryOf(exchange.target);
    if (isHit(query) || (isPath && isHit(exchange.text.slice(0, 65_536)))) return isPath ? 1 : 0.8;
    if (!exchange.text.slice(0, 65_536).includes('"requests"')) return 0;
    const requests = objectBody(exchange)?.["requests"];
    if (!Array.isArray(requests) || !requests.every((hit) => typeof hit === "string" || typeof hit === "object"))
      return 0;
    const [hit = ""] = requests;
    return isPath || isHit(String(hit)) ? 1 : 0;
  },
  decode(exchange: DecodableExchange): Decoded {
    const bulk = objectBody(exchange)?.["requests"];
    if (Array.isArray(bulk)) return { events: bulk.map(bulkEvent), complete: true };
    return { events: [hitEvent({ ...formFields(queryOf(exchange.target)), ...formFields(exchange.text.trim()) })] };
  },
  sinkAnswer(exchange: DecodableExchange, eventCount: number) {
    if (Array.isArray(objectBody(exchange)?.["requests"])) {
      const body = JSON.stringify({ status: "success", tracked: eventCount, invalid: 0 });
      return { status: 200, contentType: "application/json", body };
    }
    return { status: 204, contentType: "image/gif", body: "" };
  },
};

function isHit(text: string): boolean {
  return text !== "" && /(?:^|[?&])idsite=/.test(text) && /(?:^|[?&])rec=1/.test(text);
}

function bulkEvent(hit: JsonValue): DecodedEvent {
  if (typeof hit === "string") return hitEvent(formFields(hit.replace(/^[^?&=]*\?/, "")));
  return typeof hit === "object" && hit !== null && !Array.isArray(hit) ? hitEvent(hit as JsonObject) : notAnEvent(hit);
}

function hitEvent(params: JsonObject): DecodedEvent {
  const key = NAMES.find((candidate) => textAt(params, candidate) !== undefined);
  const goal = idAt(params, "idgoal");
  const name = first(
    key === undefined ? undefined : textAt(params, key),
    goal === undefined ? undefined : `goal ${goal}`,
  );
  const isPing = member(params, "ping") === "1";
  const time = timeOf(params);
  const value = member(params, "e_v");
  const own = without(params, key ?? "", time === undefined ? "" : "cdt");
  const isNumber = typeof value === "string" && value.trim() !== "" && Number.isFinite(Number(value));
  return lifted({
    name: name ?? (isPing ? "ping" : null),
    time,
    data: isNumber ? { ...own, e_v: Number(value) } : own,
    rest: {},
    session: first(idAt(params, "_id"), idAt(params, "uid")),
  });
}

/** `cdt`: epoch seconds, or `YYYY-MM-DD hh:mm:ss` in UTC. */
function timeOf(params: JsonObject): string | undefined {
  const text = idAt(params, "cdt");
  if (text === undefined) return undefined;
  return isoTime(/^\d{4}-\d{2}-\d{2} \d{2}:\d{2}:\d{2}$/.test(text) ? `${text.replace(" ", "T")}Z` : text);
}
