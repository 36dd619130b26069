import { type ExchangeResponse, headerOf } from "../record/exchange.ts";
import { isObject, type JsonObject, type JsonValue, parseJson, stringifyJson } from "../record/json.ts";
import type { DecodableExchange, DecodedEvent } from "./decoder.ts";
import { begun, type Fields, finished } from "./lifted.ts";
import { addGiven, addMembers, textAt, without } from "./member.ts";
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
  const data = modelData(exchange, model);
  const fields = begun(data);
  fields["request"] = without(request, "model", "stream");
  if (answer !== undefined) fields["response"] = without(answer, "model", "id");
  const events = [finished({ name: model.name, data, fields })];
  for (const call of model.toolCalls) events.push(toolEvent(call, model));
  return isRetry(exchange) ? events.map((event) => ({ ...event, retry: true })) : events;
}

function modelData({ response }: DecodableExchange, model: ModelExchange): JsonObject {
  const { request, answer, usage, toolCalls } = model;
  const data: Fields = {};
  addGiven(data, "model", request["model"]);
  addGiven(data, "stream", model.stream);
  addGiven(data, "response_model", answer?.["model"]);
  addGiven(data, "response_id", answer?.["id"]);
  addGiven(data, "stop_reason", model.stopReason ?? undefined);
  for (const key of Object.keys(usage)) {
    const count = usage[key] ?? null;
    if (count !== null) data[key] = count;
  }
  if (toolCalls.length > 0) data["tool_calls"] = toolCalls.map(({ name }) => name);
  if (response !== undefined) data["status"] = response.status;
  return data;
}

function toolEvent(call: ToolCall, { request, answer }: ModelExchange): DecodedEvent {
  const data: Fields = { name: call.name };
  addMembers(data, argumentsOf(call.arguments));
  addGiven(data, "id", call.id);
  const fields = begun(data);
  addGiven(fields, "model", textAt(answer, "model") ?? textAt(request, "model"));
  addGiven(fields, "response_id", answer?.["id"]);
  return finished({ name: "tool_call", data, fields });
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
