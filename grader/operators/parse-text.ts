import type { JsonValue } from "../../proxy/record/json.ts";
import type { Parsed } from "./operator.ts";

/** Reads an argument that has to be text. */
export function parseText(argument: JsonValue): Parsed<string> {
  return typeof argument === "string" ? { ok: true, value: argument } : { ok: false, why: "text (quote it)" };
}
