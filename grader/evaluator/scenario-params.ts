import type { JsonObject } from "../../proxy/record/json.ts";
import { didYouMean } from "../../proxy/record/near.ts";
import { pointerTo, Refusal } from "./refusal.ts";
import type { Selected } from "./scenarios.ts";

/** The parameters of a request. Throws a 400 for one that no scenario has; a value that does not fit is the scenario's `error`. */
export function checkParams(selected: Selected, params: JsonObject = {}, at: readonly PropertyKey[]): JsonObject {
  if (selected.kind === "broken") return params;
  const known = [...new Set(selected.scenarios.flatMap(({ scenario }) => scenario.params.map(({ name }) => name)))];
  const unknown = Object.keys(params).find((name) => !known.includes(name));
  if (unknown === undefined) return params;
  const message = `no scenario has a parameter "${unknown}"${didYouMean(unknown, known)}`;
  throw new Refusal(400, "WM_SERVE_BODY", message, { pointer: pointerTo([...at, unknown]), known });
}
