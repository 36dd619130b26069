import { headerOf } from "../record/exchange.ts";
import type { JsonObject } from "../record/json.ts";
import type { DecodableExchange, Decoded, DecodedEvent, Decoder } from "./decoder.ts";
import { withEnvelope } from "./envelope.ts";
import { eachObject, objectBody, requireObject } from "./json-body.ts";
import { lifted } from "./lifted.ts";
import { first, given, listAt, member, objectAt, textAt, without } from "./member.ts";

/**
 * Bugsnag: reported errors, named by the message of the first exception; their metadata is the data. Counts of sessions
 * hold no events.
 */
export const bugsnag: Decoder = {
  name: "bugsnag",
  hosts: ["notify.bugsnag.com", "sessions.bugsnag.com", "*.bugsnag.smartbear.com"],
  score(exchange: DecodableExchange): number {
    if (!exchange.text.includes('"notifier"')) return 0;
    const body = objectBody(exchange);
    if (body === undefined || textAt(body, "notifier", "name") === undefined) return 0;
    const hasHeader = headerOf(exchange.headers, "bugsnag-api-key") !== undefined;
    if (Array.isArray(body["sessionCounts"]) || Array.isArray(body["sessions"])) return hasHeader ? 1 : 0.8;
    const isReport = Array.isArray(member(listAt(body, "events")[0], "exceptions"));
    return isReport ? 1 : 0;
  },
  decode(exchange: DecodableExchange): Decoded {
    const body = requireObject(exchange);
    if (!Array.isArray(body["events"])) return { events: [] };
    const events = eachObject(body["events"], reportEvent);
    return { ...withEnvelope(events, without(body, "events")), complete: true };
  },
  sinkAnswer: () => ({ status: 202, contentType: "text/plain", body: "OK" }),
};

function reportEvent(report: JsonObject): DecodedEvent {
  const [exception] = listAt(report, "exceptions");
  const device = objectAt(report, "device");
  const metadataKey = Object.hasOwn(report, "metaData") ? "metaData" : "metadata";
  return lifted({
    name:
      first(textAt(exception, "errorMessage"), textAt(exception, "message"), textAt(exception, "errorClass")) ?? null,
    time: member(device, "time"),
    data: objectAt(report, metadataKey),
    rest: { ...without(report, metadataKey, "device"), ...given("device", without(device, "time")) },
    session: textAt(report, "session", "id"),
  });
}
