import { readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { JsonObject } from "../../../proxy/record/json.ts";
import { isObject, type JsonValue, parseJson, stringifyJson } from "../../../proxy/record/json.ts";
import type { LogMarks } from "./marks.ts";

/** What a run was asked for over HTTP. It stands in the run's folder, so that a run outlives the server. */
export interface RunOrder {
  readonly scenarios: readonly string[];
  readonly params: JsonObject;
  /** Absent: the run has a log of its own, in its folder. */
  readonly marks?: LogMarks;
}

export function writeOrder(folder: string, order: RunOrder): void {
  const file = orderIn(folder);
  writeFileSync(`${file}.tmp`, `${stringifyJson(order as unknown as JsonValue)}\n`);
  renameSync(`${file}.tmp`, file);
}

/** undefined for a run that was not started over HTTP. */
export function readOrder(folder: string): RunOrder | undefined {
  try {
    const order = parseJson(readFileSync(orderIn(folder), "utf8"));
    return isObject(order) ? (order as unknown as RunOrder) : undefined;
  } catch {
    return undefined;
  }
}

function orderIn(folder: string): string {
  return join(folder, "order.json");
}
