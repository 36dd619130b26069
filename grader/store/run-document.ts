import type { JsonObject, JsonValue } from "../../proxy/record/json.ts";
import type { StoredRun } from "./stored-run.ts";

/** A stored run as `runs list --json` and the server print it: the keys are the columns' names, as in every other document. */
export function runDocument(run: StoredRun): JsonObject {
  const entries = Object.entries(run as unknown as JsonObject);
  return Object.fromEntries(entries.map(([key, value]): [string, JsonValue] => [columnName(key), value]));
}

function columnName(key: string): string {
  return key.replace(/[A-Z0-9]+/g, (part, at: number) =>
    at === 0 || /^[0-9]/.test(part) ? part : `_${part.toLowerCase()}`,
  );
}
