import { headerOf } from "../record/exchange.ts";
import { isObject, type JsonObject, type JsonValue, parseJson } from "../record/json.ts";
import type { DecodableExchange, Decoded, Decoder, RequestHead } from "./decoder.ts";
import { pathOf } from "./form.ts";
import { objectBody, requireObject } from "./json-body.ts";
import { idAt, listAt, member, objectAt, textAt, without } from "./member.ts";
import { answerValues, cutStreamNote, isStreamed, modelEvents, plainAnswer, type ToolCall } from "./model-answer.ts";

const PATH = /\/v1\/(?<name>messages(?:\/count_tokens)?)\/?$/;

/** Anthropic's messages API. One record per exchange, one per tool use of the answer; a streamed answer is joined. */
export const anthropic: Decoder = {
  name: "anthropic",
  hosts: [],
  wantsAnswer: ({ method, target }: RequestHead): boolean => method === "POST" && PATH.test(pathOf(target)),
  score(exchange: DecodableExchange): number {
    if (!PATH.test(pathOf(exchange.target))) return 0;
    const body = objectBody(exchange);
    if (body === undefined || !Array.isArray(body["messages"])) return 0;
    return headerOf(exchange.headers, "anthropic-version") === undefined ? 0.9 : 1;
  },
  decode(exchange: DecodableExchange): Decoded {
    const name = PATH.exec(pathOf(exchange.target))?.groups?.["name"] ?? "messages";
    const request = requireObject(exchange);
    const answer = isStreamed(exchange) ? joinStream(answerValues(exchange).filter(isObject)) : plainAnswer(exchange);
    const usage = objectAt(answer, "usage");
    const events = modelEvents(exchange, {
      name,
      request,
      answer,
      ...(name === "messages" ? { stream: request["stream"] === true } : {}),
      stopReason: member(answer, "stop_reason"),
      usage: {
        input_tokens: member(usage, "input_tokens") ?? member(answer, "input_tokens"),
        output_tokens: member(usage, "output_tokens"),
        cached_tokens: member(usage, "cache_read_input_tokens"),
        cache_creation_tokens: member(usage, "cache_creation_input_tokens"),
      },
      toolCalls: listAt(answer, "content").flatMap(toolUse),
    });
    const isEnded = (member(answer, "stop_reason") ?? null) !== null;
    return { events, ...cutStreamNote(exchange, answer, isEnded), complete: true };
  },
  sinkAnswer: () => ({
    status: 400,
    contentType: "application/json",
    body: '{"type":"error","error":{"type":"invalid_request_error","message":"waymark --sink has no model to ask"}}',
  }),
};

/** `tool_use`, and the tools that the service runs itself (`server_tool_use`, `mcp_tool_use`). */
function toolUse(block: JsonValue): ToolCall[] {
  if (!(textAt(block, "type") ?? "").endsWith("tool_use")) return [];
  return [{ id: idAt(block, "id"), name: textAt(block, "name") ?? "", arguments: member(block, "input") ?? null }];
}

/** Joins the events of a streamed message: the message it began with, its blocks filled, the final usage merged in. */
function joinStream(events: readonly JsonObject[]): JsonObject | undefined {
  let message: JsonObject | undefined;
  const blocks = new Map<string, JsonObject>();
  for (const event of events) {
    const key = String(event["index"] ?? 0);
    const type = textAt(event, "type");
    if (type === "message_start") message = objectAt(event, "message");
    else if (type === "content_block_start") blocks.set(key, objectAt(event, "content_block"));
    else if (type === "content_block_delta") blocks.set(key, grown(blocks.get(key) ?? {}, objectAt(event, "delta")));
    else if (type === "message_delta") message = merged(message ?? {}, event);
    else if (type === "error") message = { ...message, error: event["error"] ?? null };
  }
  return message === undefined ? undefined : { ...message, content: [...blocks.values()].map(finished) };
}

function merged(message: JsonObject, event: JsonObject): JsonObject {
  const usage = { ...objectAt(message, "usage"), ...objectAt(event, "usage") };
  return { ...message, ...objectAt(event, "delta"), usage };
}

/** Text, thinking and partial JSON grow by the text of the delta; anything else a delta brings is set. */
function grown(block: JsonObject, delta: JsonObject): JsonObject {
  const after = new Map(Object.entries(block));
  for (const [key, value] of Object.entries(without(delta, "type"))) {
    const known = after.get(key);
    after.set(key, typeof known === "string" && typeof value === "string" ? known + value : value);
  }
  return Object.fromEntries(after);
}

/** A tool's input came as pieces of JSON text; what cannot be read stays text. */
function finished(block: JsonObject): JsonObject {
  const { partial_json: text } = block;
  if (typeof text !== "string") return block;
  const rest = without(block, "partial_json");
  try {
    return { ...rest, input: text === "" ? {} : parseJson(text) };
  } catch {
    return { ...rest, input: text }; // the stream was cut inside it
  }
}
