import { type ExchangeResponse, headerOf } from "../record/exchange.ts";
import { isObject, type JsonObject, type JsonValue, parseJson, stringifyJson } from "../record/json.ts";
import type { DecodableExchange, DecodedEvent } from "./decoder.ts";
import { lifted } from "./lifted.ts";
import { given, textAt, without } from "./member.ts";
import { serverValues } from "./sse.ts";

/** A tool that a model asked for. */
export interface ToolCall {
  readonly id?: string | undefined;
  readonly name: string;
  /** As the API writes them: JSON in a text, or JSON. */
  readonly arguments: JsonValue;
}

/** What a model's API says of one exchange, in one set of names for all APIs. */
export interface ModelExchange {
  /** The end of the path: `chat/completions`, `messages`. */
  readonly name: string;
  readonly request: JsonObject;
  /** The answer, joined when it was streamed. */
  readonly answer?: JsonObject | undefined;
  /** Left out where the API cannot stream. */
  readonly stream?: boolean;
  readonly stopReason?: JsonValue | undefined;
  readonly usage: { readonly [name: string]: JsonValue | undefined };
  readonly toolCalls: readonly ToolCall[];
}

/**
 * The records of one exchange with a model: the exchange, with model, stop reason and tokens as its data and both bodies
 * beside them, then one `tool_call` for each tool the model asked for.
 */
export function modelEvents(exchange: DecodableExchange, model: ModelExchange): DecodedEvent[] {
  const { request, answer } = model;
  const whole = lifted({
    name: model.name,
    data: {
      ...given("model", request["model"]),
      ...given("stream", model.stream),
      ...given("response_model", answer?.["model"]),
      ...given("response_id", answer?.["id"]),
      ...given("stop_reason", model.stopReason ?? undefined),
      ...definedOnly(model.usage),
      ...(model.toolCalls.length === 0 ? {} : { tool_calls: model.toolCalls.map(({ name }) => name) }),
      ...(exchange.response === undefined ? {} : { status: exchange.response.status }),
    },
    rest: {
      request: without(request, "model", "stream"),
      ...(answer === undefined ? {} : { response: without(answer, "model", "id") }),
    },
  });
  const calls = model.toolCalls.map((call) => toolEvent(call, model));
  return isRetry(exchange) ? [whole, ...calls].map((event) => ({ ...event, retry: true })) : [whole, ...calls];
}

function toolEvent(call: ToolCall, { request, answer }: ModelExchange): DecodedEvent {
  return lifted({
    name: "tool_call",
    data: { name: call.name, ...argumentsOf(call.arguments), ...given("id", call.id) },
    rest: {
      ...given("model", textAt(answer, "model") ?? textAt(request, "model")),
      ...given("response_id", answer?.["id"]),
    },
  });
}

/** Arguments as JSON; a text that is written otherwise than JSON.stringify would stands beside them as `arguments_text`. */
function argumentsOf(given: JsonValue): JsonObject {
  if (typeof given !== "string") return { arguments: given };
  try {
    const value = parseJson(given);
    return stringifyJson(value) === given ? { arguments: value } : { arguments: value, arguments_text: given };
  } catch {
    return { arguments: given }; // cut, or no JSON at all: then it is text
  }
}

/** The official clients count their retries in a header, from 0. */
function isRetry({ headers }: DecodableExchange): boolean {
  return Number(headerOf(headers, "x-stainless-retry-count") ?? 0) > 0;
}

const texts = new WeakMap<ExchangeResponse, string>();

/** The answer's body as text; empty when there is none. */
function answerText({ response }: DecodableExchange): string {
  if (response === undefined) return "";
  const known = texts.get(response);
  if (known !== undefined) return known;
  const { body } = response;
  const text = Buffer.from(body.buffer, body.byteOffset, body.length).toString("utf8");
  texts.set(response, text);
  return text;
}

/** The answer's JSON values: one, or as many as its event stream has. */
export function answerValues(exchange: DecodableExchange): JsonValue[] {
  const text = answerText(exchange);
  if (text.trim() === "") return [];
  if (isStreamed(exchange)) return serverValues(text);
  try {
    return [parseJson(text)];
  } catch {
    return []; // cut, or no JSON: the request then stands alone
  }
}

/** True when the answer came as an event stream. */
export function isStreamed(exchange: DecodableExchange): boolean {
  return /^\s*(?:event|data|id|retry|):/.test(answerText(exchange));
}

/** A note for a streamed answer that stops without having said that it is over; an error it ended with is such a word. */
export function cutStreamNote(
  exchange: DecodableExchange,
  answer: JsonObject | undefined,
  isEnded: boolean,
): { readonly note?: string } {
  const isCut = isStreamed(exchange) && !isEnded && answer?.["error"] === undefined;
  return isCut ? { note: "the answer's stream stops before its end" } : {};
}

/** The answer as one JSON object, when it was not streamed. */
export function plainAnswer(exchange: DecodableExchange): JsonObject | undefined {
  if (isStreamed(exchange)) return undefined;
  return answerValues(exchange).find(isObject);
}

/** Members without those that are undefined or null. */
function definedOnly(members: { readonly [name: string]: JsonValue | undefined }): JsonObject {
  const entries = Object.entries(members).filter((entry): entry is [string, JsonValue] => (entry[1] ?? null) !== null);
  return Object.fromEntries(entries);
}
