import type { JsonObject, JsonValue } from "../record/json.ts";
import type { DecodableExchange, Decoded, DecodedEvent, Decoder } from "./decoder.ts";
import { pathOf } from "./form.ts";
import { jsonItems } from "./json-body.ts";
import { unfoldMembers } from "./json-text.ts";
import { lifted } from "./lifted.ts";
import { first, given, listAt, member, objectAt, textAt, without } from "./member.ts";

const PATH = /\/v2(?:\.\d)?\/track\/?$/;
/** The envelope's own name says the type and the key again. */
const TYPE_NAME = /^Microsoft\.ApplicationInsights\.(?:[^.]+\.)?\w+$/;

/**
 * Application Insights: envelopes as a JSON array or as NDJSON at `/v2/track` and `/v2.1/track`. Its SDKs turn every
 * property into text; texts that hold an object or array exactly as JSON.stringify writes it are given back as such.
 */
export const applicationInsights: Decoder = {
  name: "application-insights",
  hosts: [
    "*.in.applicationinsights.azure.com",
    "dc.applicationinsights.azure.com",
    "dc.applicationinsights.azure.us",
    "dc.applicationinsights.azure.cn",
    "dc.services.visualstudio.com",
    "*.applicationinsights.us",
    "*.applicationinsights.azure.cn",
  ],
  score({ target, text }: DecodableExchange): number {
    if (!/^\s*[[{]/.test(text)) return 0;
    if (PATH.test(pathOf(target))) return text.includes('"baseType"') ? 1 : 0;
    const head = text.slice(0, 8192);
    return head.includes('"baseType"') &&
      head.includes('"baseData"') &&
      head.includes('"iKey"') &&
      !/"ver"\s*:\s*"4\./.test(head)
      ? 0.7
      : 0;
  },
  decode: (exchange: DecodableExchange): Decoded => jsonItems(exchange, envelopeEvent),
  sinkAnswer(_exchange: DecodableExchange, eventCount: number) {
    const body = { itemsReceived: eventCount, itemsAccepted: eventCount, errors: [] };
    return { status: 200, contentType: "application/json", body: JSON.stringify(body) };
  },
};

function envelopeEvent(envelope: JsonObject): DecodedEvent {
  const baseData = objectAt(envelope, "data", "baseData");
  const baseType = textAt(envelope, "data", "baseType");
  const { name, key } = nameOf(baseData);
  const ownName = envelope["name"];
  const isOnlyType = ownName === undefined || (typeof ownName === "string" && TYPE_NAME.test(ownName));
  return lifted({
    name: name ?? baseType ?? null,
    time: envelope["time"],
    data: unfoldMembers(objectAt(baseData, "properties")),
    rest: {
      ...given("baseType", baseType),
      ...given("measurements", objectAt(baseData, "measurements")),
      ...given("baseData", without(baseData, key ?? "", "properties", "measurements")),
      ...without(envelope, "time", "data", "name"),
      ...given("dataInfo", without(objectAt(envelope, "data"), "baseType", "baseData")),
      ...(isOnlyType ? {} : { name_app: ownName ?? null }),
    },
    session: first(textAt(envelope, "tags", "ai.session.id"), textAt(envelope, "tags", "ai.operation.id")),
  });
}

/** The name by type, and the key it stood under when it is lifted from there. */
function nameOf(baseData: JsonObject): { name: string | undefined; key?: string } {
  const key = ["name", "message"].find((candidate) => textAt(baseData, candidate) !== undefined);
  if (key !== undefined) return { name: textAt(baseData, key), key };
  const exception: JsonValue | undefined = listAt(baseData, "exceptions")[0];
  const metric = member(listAt(baseData, "metrics")[0], "name");
  return {
    name: first(
      textAt(exception, "message"),
      textAt(exception, "typeName"),
      typeof metric === "string" ? metric : undefined,
    ),
  };
}
