import type { RawHeaders } from "../record/exchange.ts";

/** Meant for the proxy itself, not for the server behind it (RFC 9110 section 11.7.2). */
export const FOR_PROXY: ReadonlySet<string> = new Set(["proxy-connection", "proxy-authorization"]);

/** Node's flat list of names and values as pairs. */
export function pairHeaders(flat: readonly string[]): RawHeaders {
  const pairs: [string, string][] = [];
  for (let index = 0; index + 1 < flat.length; index += 2) pairs.push([flat[index] ?? "", flat[index + 1] ?? ""]);
  return pairs;
}

/** The pairs as they stand in a message, each with its line end. */
export function headerLines(headers: RawHeaders): string {
  return headers.map(([name, value]) => `${name}: ${value}\r\n`).join("");
}
