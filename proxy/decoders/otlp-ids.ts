import type { JsonObject, JsonValue } from "../record/json.ts";

const BYTES = { traceId: 16, spanId: 8, parentSpanId: 8 } as const;
type IdKey = keyof typeof BYTES;

/** The ids of a span, log or link in lower-case hex, and whether one of them had been written in base64. */
export interface HexIds {
  readonly ids: JsonObject;
  readonly wasBase64: boolean;
}

/**
 * Reads `traceId`, `spanId` and `parentSpanId`. OTLP/JSON writes them in hex of either case; generic protobuf-JSON writers
 * send base64, which is read as the same id. Absent, empty and all-zero ids are left out; anything else stays as sent.
 */
export function hexIds(owner: JsonObject): HexIds {
  const ids: Record<string, JsonValue> = {};
  let wasBase64 = false;
  for (const key of KEYS) {
    const value = owner[key];
    if (value === undefined || value === "" || value === null) continue;
    const isPlain = typeof value === "string" && value.length === BYTES[key] * 2 && LOWER_HEX.test(value);
    const hex = isPlain ? value : typeof value === "string" ? hexOf(value, BYTES[key]) : undefined;
    if (hex !== undefined && ZEROS.test(hex)) continue;
    wasBase64 ||= !isPlain && hex !== undefined && typeof value === "string" && hex !== value.toLowerCase();
    ids[key] = hex ?? value;
  }
  return { ids, wasBase64 };
}

const KEYS: readonly IdKey[] = ["traceId", "spanId", "parentSpanId"];
const LOWER_HEX = /^[0-9a-f]+$/;
const ZEROS = /^0+$/;

function hexOf(value: string, length: number): string | undefined {
  if (value.length === length * 2 && /^[0-9a-f]+$/i.test(value)) return value.toLowerCase();
  if (!/^[A-Za-z0-9+/_-]+={0,2}$/.test(value)) return undefined;
  const bytes = Buffer.from(value, "base64");
  return bytes.length === length ? bytes.toString("hex") : undefined;
}
