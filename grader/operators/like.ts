import { isObject, type JsonValue, stringifyJson } from "../../proxy/record/json.ts";
import type { Operator, Parsed } from "./operator.ts";
import { readSpelled, spelledKey } from "./spelled.ts";

/**
 * `like`: the same value however it is spelled. A text that holds JSON or a Python literal counts as what it holds, 5 is
 * "5" and 5.0, keys that are not listed do not matter, the elements of a list may stand in any order.
 */
export const like: Operator<JsonValue> = {
  name: "like",
  summary:
    'The same value however it is spelled: JSON or Python in a text is read, 5 is `"5"`, keys not listed do not matter, lists in any order.',
  parse: (argument: JsonValue): Parsed<JsonValue> => ({ ok: true, value: readSpelled(argument) }),
  test: (argument: JsonValue, value: JsonValue): boolean => isLike(argument, readSpelled(value)),
  explain: (argument: JsonValue): string => `be like ${stringifyJson(argument)}, however spelled`,
};

function isLike(wanted: JsonValue, got: JsonValue): boolean {
  if (Array.isArray(wanted)) return Array.isArray(got) && isLikeList(wanted, got);
  if (isObject(wanted)) {
    return (
      isObject(got) &&
      Object.entries(wanted).every(([key, inner]) => Object.hasOwn(got, key) && isLike(inner, got[key] ?? null))
    );
  }
  if (typeof wanted === "object" && wanted !== null) return false;
  return (typeof got !== "object" || got === null) && spelledKey(wanted) === spelledKey(got);
}

/** Each wanted element takes the first one left that it is like; lists are of one length. */
function isLikeList(wanted: readonly JsonValue[], got: readonly JsonValue[]): boolean {
  if (wanted.length !== got.length) return false;
  const left = [...got];
  return wanted.every((item) => {
    const at = left.findIndex((candidate) => isLike(item, candidate));
    if (at === -1) return false;
    left.splice(at, 1);
    return true;
  });
}
