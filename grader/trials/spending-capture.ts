import type { Fault } from "../../proxy/record/fault.ts";
import { WaymarkError } from "../../proxy/record/fault.ts";
import type { JsonObject } from "../../proxy/record/json.ts";
import { readSeries } from "../read/read.ts";
import { findLogs } from "../read/series.ts";
import { DEFAULT_LIMITS } from "../scenario/ast.ts";
import type { CallPlace } from "./spending-calls.ts";

/**
 * Hands over every event of a run's telemetry, log by log, each with its place. Answers what could not be read: a run
 * whose log is gone or broken has no captured calls, and grading says so itself.
 */
export async function readCapture(
  telemetry: string,
  take: (event: JsonObject, place: CallPlace) => void,
): Promise<readonly Fault[]> {
  const faults: Fault[] = [];
  const { series } = await findLogs([telemetry]);
  for (const one of series) {
    const log = one.label;
    const sink = {
      restart() {},
      tick() {},
      gap() {},
      event: (event: JsonObject, { record }: { readonly record: number }) => take(event, { log, record }),
    };
    try {
      await readSeries(one, { rule: { kind: "all" }, sink, lineBytes: DEFAULT_LIMITS.lineBytes });
    } catch (error) {
      if (!(error instanceof WaymarkError)) throw error;
      faults.push(...error.faults.map((one): Fault => ({ ...one, severity: "warning" })));
    }
  }
  return faults;
}
