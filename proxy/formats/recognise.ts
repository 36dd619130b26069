import { RE2JS } from "re2js";
import type { DecodableExchange, RequestHead } from "../decoders/decoder.ts";
import { formFields, pathOf, queryOf } from "../decoders/form.ts";
import { headerOf } from "../record/exchange.ts";
import { isObject, type JsonValue, stringifyJson } from "../record/json.ts";
import type { FormatMatch, Shape } from "./format.ts";
import { compilePath } from "./json-path.ts";

/** Whether a request's head is what a format says. */
export function compileHead(match: FormatMatch): (request: RequestHead | DecodableExchange) => boolean {
  const expression = match.pathExpression === undefined ? undefined : RE2JS.compile(match.pathExpression);
  const methods = new Set(match.methods.map((method) => method.toUpperCase()));
  return (request) => {
    if (methods.size > 0 && !methods.has(request.method)) return false;
    if (match.hosts.length > 0 && !match.hosts.some((pattern) => isHostLike(pattern, request))) return false;
    const path = pathOf(request.target);
    if (match.paths.length > 0 && !match.paths.some((glob) => isLike(glob, path))) return false;
    if (expression !== undefined && !expression.test(path)) return false;
    return hasContentType(match, request) && hasParameters(match, request);
  };
}

function isHostLike(pattern: string, { host, port }: RequestHead): boolean {
  const name = pattern.toLowerCase();
  return isLike(name, host) || isLike(name, `${host}:${port}`);
}

function hasContentType({ contentTypes }: FormatMatch, { headers }: RequestHead): boolean {
  if (contentTypes.length === 0) return true;
  const type = (headerOf(headers, "content-type") ?? "").split(";", 1)[0]?.trim().toLowerCase() ?? "";
  return contentTypes.some((glob) => isLike(glob.toLowerCase(), type));
}

function hasParameters({ query, headers }: FormatMatch, request: RequestHead): boolean {
  if (!headers.every(([name, glob]) => isText(headerOf(request.headers, name), glob))) return false;
  if (query.length === 0) return true;
  const given = formFields(queryOf(request.target));
  return query.every(([name, glob]) => Object.hasOwn(given, name) && isText([given[name]].flat()[0], glob));
}

function isText(value: unknown, glob: string): boolean {
  return typeof value === "string" && isLike(glob, value);
}

/** Whether a body has the shape that a format says; each place has to hold a value that fits. */
export function compileShape(shape: FormatMatch["shape"]): (body: JsonValue) => boolean {
  const places = shape.map(([path, wanted]) => ({ path: compilePath(path), wanted }));
  return (body) => places.every(({ path, wanted }) => path.all(body).some((value) => fits(value, wanted)));
}

function fits(value: JsonValue, wanted: Shape): boolean {
  if (wanted.kind === "is") return stringifyJson(value) === stringifyJson(wanted.value);
  switch (wanted.type) {
    case "list":
      return Array.isArray(value);
    case "object":
      return isObject(value);
    case "text":
      return typeof value === "string";
    case "number":
      return typeof value === "number" || typeof value === "bigint";
    case "boolean":
      return typeof value === "boolean";
    case "any":
      return true;
  }
}

/** The whole text fits a pattern of `*` (any text) and `?` (one character); never more than pattern times text steps. */
export function isLike(pattern: string, text: string): boolean {
  let [p, t, star, resume] = [0, 0, -1, 0];
  while (t < text.length) {
    if (pattern[p] === "*") {
      star = p++;
      resume = t;
    } else if (p < pattern.length && (pattern[p] === "?" || pattern[p] === text[t])) {
      p += 1;
      t += 1;
    } else if (star >= 0) {
      p = star + 1;
      t = ++resume;
    } else return false;
  }
  while (pattern[p] === "*") p += 1;
  return p === pattern.length;
}
