import type { JsonValue } from "../../proxy/record/json.ts";
import type { Operator, Parsed } from "./operator.ts";

/** `exists`: whether the field is there at all; null is there. An absent field has no value to ask about. */
export const exists: Operator<boolean> = {
  name: "exists",
  summary: "`true`: the field is there, even when it is null; `false`: it is not.",
  parse(argument: JsonValue): Parsed<boolean> {
    return typeof argument === "boolean" ? { ok: true, value: argument } : { ok: false, why: "true or false" };
  },
  test: (argument: boolean): boolean => argument,
  explain: (argument: boolean): string => (argument ? "be there" : "be absent"),
};
