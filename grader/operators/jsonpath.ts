import type { JsonValue } from "../../proxy/record/json.ts";
import { finderOf } from "../../proxy/record/json-path/find.ts";
import { isSingular, type Selector } from "../../proxy/record/json-path/query.ts";
import { parseJsonPath } from "../../proxy/record/json-path/reader.ts";
import type { PathSegment } from "../scenario/ast.ts";
import { one, type PathAccess } from "./path-access.ts";

/** Accessor of an RFC 9535 query. One that names a single place is a path of exact keys. */
export function compileJsonPath(text: string): PathAccess {
  const parsed = parseJsonPath(text);
  if (!parsed.ok) return severalOf(() => []);
  const { query } = parsed;
  if (isSingular(query)) return one(query.segments.map(({ selectors }) => exact(selectors[0])));
  return severalOf(finderOf(query));
}

function severalOf(all: (root: JsonValue) => readonly JsonValue[]): PathAccess {
  return { single: false, all, get: (root) => all(root)[0] };
}

function exact(selector: Selector | undefined): PathSegment {
  if (selector?.kind === "index") return { kind: "index", index: selector.index };
  return { kind: "key", key: selector?.kind === "name" ? selector.name : "", exact: true };
}
