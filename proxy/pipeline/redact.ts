import type { JsonObject, JsonValue } from "../record/json.ts";
import { type RedactPath, redactAt } from "./redact-path.ts";
import { isSecretKey, REDACTED, redactText } from "./secrets.ts";

export interface Redacted {
  readonly value: JsonObject;
  /** How many values were replaced. */
  readonly count: number;
}

/**
 * Takes the secrets out of an event before it reaches the disk: values under the key names of the known formats, secrets
 * spelled out inside texts (a URL's query, JSON in a string, header lines, also inside a base64 body), and the user's
 * own paths. Doing it twice changes and counts nothing more. Returns the very same object when there was nothing to do.
 */
export function redact(event: JsonObject, paths: readonly RedactPath[]): Redacted {
  const counter = { count: 0 };
  let value = redactObject(event, "", counter);
  let count = counter.count;
  for (const path of paths) {
    const done = redactAt(value, path);
    value = done.value;
    count += done.count;
  }
  return { value, count };
}

interface Counter {
  count: number;
}

function redactObject(object: JsonObject, parent: string, counter: Counter): JsonObject {
  let copy: Record<string, JsonValue> | undefined;
  for (const key of Object.keys(object)) {
    const value = object[key] ?? null;
    const after = isSecretKey(key, parent)
      ? redactSecret(value, key.endsWith("token") && key.length <= 6, counter)
      : redactMember(value, key, counter);
    if (after === value) continue;
    // a copy has all the same own keys, `__proto__` too, so that to set one only changes its value
    copy ??= { ...object };
    copy[key] = after;
  }
  return copy ?? object;
}

function redactMember(value: JsonValue, key: string, counter: Counter): JsonValue {
  if (key === "body_base64" && typeof value === "string") return redactBase64(value, counter);
  return redactValue(value, key, counter);
}

function redactValue(value: JsonValue, key: string, counter: Counter): JsonValue {
  if (typeof value === "string") {
    const { text, count } = redactText(value);
    counter.count += count;
    return text;
  }
  if (typeof value !== "object" || value === null) return value;
  return Array.isArray(value) ? redactList(value, key, counter) : redactObject(value as JsonObject, key, counter);
}

function redactList(list: readonly JsonValue[], key: string, counter: Counter): readonly JsonValue[] {
  let copy: JsonValue[] | undefined;
  for (let index = 0; index < list.length; index++) {
    const value = list[index] ?? null;
    const after = redactValue(value, key, counter);
    if (after === value) continue;
    copy ??= [...list];
    copy[index] = after;
  }
  return copy ?? list;
}

/** Replaces every text and number under a secret's key; a number under `token` counts tokens and stays. */
function redactSecret(value: JsonValue, keepsNumbers: boolean, counter: Counter): JsonValue {
  if (typeof value === "object" && value !== null) {
    if (Array.isArray(value)) return value.map((item) => redactSecret(item, keepsNumbers, counter));
    const entries = Object.entries(value as JsonObject);
    return Object.fromEntries(entries.map(([key, item]) => [key, redactSecret(item, keepsNumbers, counter)]));
  }
  const isKept = value === null || typeof value === "boolean" || value === "" || value === REDACTED;
  if (isKept || (keepsNumbers && typeof value !== "string")) return value;
  counter.count++;
  return REDACTED;
}

/** A binary body can hold its key as plain bytes; Latin-1 keeps each byte while it is looked at as text. */
function redactBase64(base64: string, counter: Counter): string {
  const { text, count } = redactText(Buffer.from(base64, "base64").toString("latin1"));
  counter.count += count;
  return count === 0 ? base64 : Buffer.from(text, "latin1").toString("base64");
}
