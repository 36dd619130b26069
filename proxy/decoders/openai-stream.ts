import { isObject, type JsonObject, type JsonValue } from "../record/json.ts";
import { listAt, member, objectAt, textAt, without } from "./member.ts";

/** Joins the chunks of a streamed chat completion into the answer that would have come unstreamed. */
export function joinChatChunks(chunks: readonly JsonObject[]): JsonObject | undefined {
  const [start] = chunks;
  if (start === undefined) return undefined;
  const choices = new Map<string, JsonObject>();
  let rest: JsonObject = {};
  for (const chunk of chunks) {
    rest = { ...rest, ...withoutNulls(without(chunk, "choices")) };
    for (const choice of listAt(chunk, "choices").filter(isObject)) {
      const key = String(choice["index"] ?? 0);
      choices.set(key, joinChoice(choices.get(key) ?? {}, choice));
    }
  }
  return { ...rest, choices: [...choices.values()] };
}

function joinChoice(before: JsonObject, choice: JsonObject): JsonObject {
  const delta = objectAt(choice, "delta");
  const message = joinDelta(objectAt(before, "message"), without(delta, "tool_calls"));
  const calls = joinCalls(listAt(before, "message", "tool_calls"), listAt(delta, "tool_calls"));
  const text = textAt(choice, "text");
  return {
    ...before,
    ...withoutNulls(without(choice, "delta", "text")),
    ...(text === undefined ? {} : { text: (textAt(before, "text") ?? "") + text }),
    message: calls.length === 0 ? message : { ...message, tool_calls: calls },
  };
}

/** Pieces of text are put behind one another; of anything else, and of the role, the last one counts. */
function joinDelta(before: JsonObject, delta: JsonObject): JsonObject {
  const joined = new Map(Object.entries(before));
  for (const [key, value] of Object.entries(delta)) {
    const known = joined.get(key);
    const isPiece =
      typeof known === "string" && typeof value === "string" && key !== "role" && key !== "id" && key !== "type";
    if (isPiece) joined.set(key, known + value);
    else if (isObject(known) && isObject(value)) joined.set(key, joinDelta(known, value));
    else if (value !== null || known === undefined) joined.set(key, value);
  }
  return Object.fromEntries(joined);
}

/** Pieces of tool calls belong together by `index`. */
function joinCalls(before: readonly JsonValue[], pieces: readonly JsonValue[]): JsonValue[] {
  const calls = new Map(before.filter(isObject).map((call) => [String(call["index"] ?? 0), call]));
  for (const piece of pieces.filter(isObject)) {
    const key = String(piece["index"] ?? calls.size);
    calls.set(key, joinDelta(calls.get(key) ?? {}, piece));
  }
  return [...calls.values()];
}

const ENDS: ReadonlySet<string> = new Set(["response.completed", "response.incomplete", "response.failed"]);

/** The answer of a streamed response: the last event carries it whole; of a cut stream, the finished items are left. */
export function joinResponseEvents(events: readonly JsonObject[]): JsonObject | undefined {
  const end = events.findLast((event) => ENDS.has(textAt(event, "type") ?? ""));
  if (end !== undefined) return objectAt(end, "response");
  const begun = objectAt(
    events.find((event) => isObject(event["response"])),
    "response",
  );
  const items = events.filter((event) => textAt(event, "type") === "response.output_item.done");
  if (Object.keys(begun).length === 0 && items.length === 0) return undefined;
  return { ...begun, output: items.map((event) => member(event, "item") ?? null) };
}

function withoutNulls(object: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(object).filter(([, value]) => value !== null));
}
