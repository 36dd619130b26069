import { waymarkError } from "../record/fault.ts";
import type { JsonObject, JsonValue } from "../record/json.ts";
import { REDACTED } from "./secrets.ts";

/** A place in a record: keys from the outside in; `EVERY` stands for all items of a list. */
export type RedactPath = readonly (string | typeof EVERY)[];

const EVERY = Symbol("[*]");
const STEP = /\.?(?:\[\*\]|\["(?<quoted>[^"]+)"\]|\[(?<index>\d+)\]|(?<key>[^.[\]"]+))/y;

/**
 * Reads a `--redact` path such as `data.user.email`, `data.items[*].card` or `data["a.b"]`. Throws `WM_USAGE_REDACT` for
 * anything else, and for `$capture`, which holds nothing of the app.
 */
export function parseRedactPath(text: string): RedactPath {
  const path: (string | typeof EVERY)[] = [];
  STEP.lastIndex = 0;
  for (let at = 0; at < text.length; at = STEP.lastIndex) {
    const groups = STEP.exec(text)?.groups;
    if (groups === undefined || (at === 0 && text.startsWith("."))) throw notAPath(text);
    path.push(groups["quoted"] ?? groups["index"] ?? groups["key"] ?? EVERY);
  }
  if (path.length === 0 || path[0] === "$capture") throw notAPath(text);
  return path;
}

/** Replaces the value at a path, whatever it is. Returns the very same object when there is nothing (left) to redact. */
export function redactAt(value: JsonObject, path: RedactPath): { readonly value: JsonObject; readonly count: number } {
  const counter = { count: 0 };
  const changed = replaced(value, path, counter);
  return { value: counter.count === 0 ? value : (changed as JsonObject), count: counter.count };
}

function replaced(value: JsonValue, path: RedactPath, counter: { count: number }): JsonValue {
  const [step, ...rest] = path;
  if (step === undefined) {
    if (value === REDACTED) return value;
    counter.count++;
    return REDACTED;
  }
  if (Array.isArray(value)) {
    const items: readonly JsonValue[] = value;
    return items.map((item, index) =>
      step === EVERY || step === String(index) ? replaced(item, rest, counter) : item,
    );
  }
  if (typeof value !== "object" || value === null || step === EVERY || !Object.hasOwn(value, step)) return value;
  const entries = Object.entries(value as JsonObject);
  return Object.fromEntries(entries.map(([key, item]) => [key, key === step ? replaced(item, rest, counter) : item]));
}

function notAPath(text: string): Error {
  return waymarkError("WM_USAGE_REDACT", `"${text}" is no path into a record`);
}
