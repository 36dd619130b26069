import { learnRuns } from "../../grader/learn/learn.ts";
import type { LearnOptions } from "../../grader/learn/model.ts";
import { createPredictor, type HeldRun } from "../../grader/learn/predict.ts";
import type { TraceOutcome } from "../../grader/match/trace.ts";
import type { JsonObject, JsonValue } from "../../proxy/record/json.ts";

/** An event as short as it can be written: its name, or its name with its data. */
export type Short = string | readonly [name: string, data: JsonObject];

/** A run of short events; `gapMs` apart from 2026-01-01 on when times matter. */
export function heldRun(
  name: string,
  events: readonly Short[],
  more: { params?: Record<string, JsonValue>; gapMs?: number } = {},
): HeldRun {
  const start = Date.parse("2026-01-01T00:00:00Z");
  return {
    name,
    params: new Map(Object.entries(more.params ?? {})),
    events: events.map((short, index) => {
      const [event, data] = typeof short === "string" ? [short, {}] : short;
      const time = more.gapMs === undefined ? index : new Date(start + index * more.gapMs).toISOString();
      return { name: event, time, data };
    }),
  };
}

/** Learns from good runs and grades another one with what was learned. */
export function learnAndGrade(good: readonly HeldRun[], run: HeldRun, options: LearnOptions = {}): TraceOutcome {
  return createPredictor(learnRuns(good, "learned", options).text).grade(run);
}

/** A call of a tool, as agents' logs have it. */
export function call(name: string, args: JsonValue, more: JsonObject = {}): Short {
  return [name, { args, result: "", error: false, ...more }];
}
