import type { JsonValue } from "../../proxy/record/json.ts";
import type { PathAccess } from "./path-access.ts";

/** Accessor of an RFC 9535 query. */
export function compileJsonPath(_text: string): PathAccess {
  return { single: false, get: () => undefined, all: (): readonly JsonValue[] => [] };
}
