import { isUtf8 } from "node:buffer";
import type { JsonObject } from "../record/json.ts";
import type { DecodableExchange, Decoded, Decoder } from "./decoder.ts";

/** Body bytes a raw record keeps. */
export const MAX_RAW_BYTES = 262_144;

/** The last resort: one undecoded record that holds the body, as text when it is UTF-8, else as base64. */
export const raw: Decoder = {
  name: "raw",
  isGeneric: true,
  hosts: [],
  score: ({ body }: DecodableExchange): number => (body.length === 0 ? 0 : 0.01),
  decode: ({ body }: DecodableExchange): Decoded => rawEvent(body, "no decoder knows this body"),
};

/** One undecoded event with the reason and what is kept of the body; none for an empty body. */
export function rawEvent(body: Uint8Array, why: string): Decoded {
  if (body.length === 0) return { events: [] };
  return { events: [{ name: null, fields: bodyFields(body), undecoded: why }] };
}

/** `body` (text) or `body_base64` of at most `MAX_RAW_BYTES`; of a longer body `body_bytes` says the length. */
export function bodyFields(body: Uint8Array): JsonObject {
  const kept = keptPart(body);
  const cut = kept.length < body.length ? { body_bytes: body.length } : {};
  const bytes = Buffer.from(kept.buffer, kept.byteOffset, kept.length);
  return isUtf8(bytes) ? { body: bytes.toString("utf8"), ...cut } : { body_base64: bytes.toString("base64"), ...cut };
}

/** At most `MAX_RAW_BYTES`, cut before a UTF-8 character rather than inside it. */
function keptPart(body: Uint8Array): Uint8Array {
  if (body.length <= MAX_RAW_BYTES) return body;
  let end = MAX_RAW_BYTES;
  while (end > MAX_RAW_BYTES - 4 && ((body[end] ?? 0) & 0xc0) === 0x80) end--;
  return body.subarray(0, end);
}
