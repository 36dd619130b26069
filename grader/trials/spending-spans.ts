import { isObject, type JsonObject } from "../../proxy/record/json.ts";
import type { CallPlace } from "./spending-calls.ts";
import type { Cost } from "./spending-cost.ts";
import { instantOf, instantOfNanoseconds } from "./spending-numbers.ts";

/**
 * The step that a GenAI `execute_tool` span is: a tool's run with its time, which uses no tokens of its own. Undefined for
 * every other record, and for a span that was only delivered again.
 */
export function toolStepIn(event: JsonObject, place: CallPlace): Cost | undefined {
  const { data, signal, name, $capture: meta } = event;
  if (signal !== "span" || !isObject(data) || data["gen_ai.operation.name"] !== "execute_tool") return undefined;
  if (isObject(meta) && meta["retry"] === true) return undefined;
  const tool = typeof name === "string" ? name : "execute_tool";
  const [startedMs, endedMs] = [instantOf(event["time"]), instantOfNanoseconds(event["endTimeUnixNano"])];
  const hasTimes = startedMs !== undefined && endedMs !== undefined;
  return {
    shown: {
      name: tool,
      kind: "span",
      ...(startedMs === undefined ? {} : { started_at: new Date(startedMs).toISOString() }),
      ...(hasTimes ? { duration_ms: Math.max(0, endedMs - startedMs) } : {}),
    },
    unpriced: [],
    isCostWhole: true,
    areTokensWhole: true,
    place,
    ...(endedMs === undefined ? {} : { endedMs }),
  };
}
