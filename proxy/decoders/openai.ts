import { isObject, type JsonObject, type JsonValue } from "../record/json.ts";
import type { DecodableExchange, Decoded, Decoder, RequestHead } from "./decoder.ts";
import { pathOf } from "./form.ts";
import { objectBody, requireObject } from "./json-body.ts";
import { first, idAt, listAt, member, textAt } from "./member.ts";
import {
  answerValues,
  cutStreamNote,
  isStreamed,
  type ModelExchange,
  modelEvents,
  plainAnswer,
  type ToolCall,
} from "./model-answer.ts";
import { joinChatChunks, joinResponseEvents } from "./openai-stream.ts";

const PATH = /\/(?<name>chat\/completions|completions|responses|embeddings)\/?$/;

/**
 * OpenAI's API and those that follow it (Azure, local servers): chat completions, responses, completions, embeddings. One
 * record per exchange, one per tool call of the answer; a streamed answer is joined.
 */
export const openai: Decoder = {
  name: "openai",
  hosts: [],
  wantsAnswer: ({ method, target }: RequestHead): boolean => method === "POST" && PATH.test(pathOf(target)),
  score(exchange: DecodableExchange): number {
    const name = PATH.exec(pathOf(exchange.target))?.groups?.["name"];
    if (name === undefined) return 0;
    const body = objectBody(exchange);
    if (body === undefined) return 0;
    const isChat = Array.isArray(body["messages"]) || Object.hasOwn(body, "prompt");
    const isKnown = isChat || Object.hasOwn(body, "input") || Object.hasOwn(body, "model");
    return isKnown ? 0.9 : 0;
  },
  decode(exchange: DecodableExchange): Decoded {
    const name = PATH.exec(pathOf(exchange.target))?.groups?.["name"] ?? "";
    const request = requireObject(exchange);
    const answer = answerOf(exchange, name);
    const model = describe(name, request, answer);
    const isEnded = name === "responses" ? isFinal(answer) : (model.stopReason ?? undefined) !== undefined;
    return { events: modelEvents(exchange, model), ...cutStreamNote(exchange, answer, isEnded), complete: true };
  },
  sinkAnswer: () => ({
    status: 400,
    contentType: "application/json",
    body: '{"error":{"message":"waymark --sink has no model to ask","type":"invalid_request_error"}}',
  }),
};

function answerOf(exchange: DecodableExchange, name: string): JsonObject | undefined {
  if (!isStreamed(exchange)) return plainAnswer(exchange);
  const chunks = answerValues(exchange).filter(isObject);
  return name === "responses" ? joinResponseEvents(chunks) : joinChatChunks(chunks);
}

/** The events of a response before its last one say that it is under way. */
function isFinal(answer: JsonObject | undefined): boolean {
  const status = textAt(answer, "status");
  return status !== undefined && status !== "in_progress" && status !== "queued";
}

function describe(name: string, request: JsonObject, answer: JsonObject | undefined): ModelExchange {
  return {
    name,
    request,
    answer,
    ...(name === "embeddings" ? {} : { stream: request["stream"] === true }),
    stopReason: first(
      textAt(listAt(answer, "choices")[0], "finish_reason"),
      textAt(answer, "incomplete_details", "reason"),
      name === "responses" ? textAt(answer, "status") : undefined,
    ),
    usage: usageOf(member(answer, "usage")),
    toolCalls: [...listAt(answer, "choices").flatMap(chatCalls), ...listAt(answer, "output").flatMap(outputCalls)],
  };
}

/** The two APIs have different names for the same. */
function usageOf(usage: JsonValue | undefined): ModelExchange["usage"] {
  if (usage === undefined) return {};
  const [input, output] = ["input_tokens_details", "output_tokens_details"];
  const [prompt, completion] = ["prompt_tokens_details", "completion_tokens_details"];
  return {
    input_tokens: first(member(usage, "input_tokens"), member(usage, "prompt_tokens")),
    output_tokens: first(member(usage, "output_tokens"), member(usage, "completion_tokens")),
    cached_tokens: first(member(usage, input, "cached_tokens"), member(usage, prompt, "cached_tokens")),
    reasoning_tokens: first(member(usage, output, "reasoning_tokens"), member(usage, completion, "reasoning_tokens")),
  };
}

function chatCalls(choice: JsonValue): ToolCall[] {
  const old = textAt(choice, "message", "function_call", "name");
  const calls = listAt(choice, "message", "tool_calls").map((call) => ({
    id: idAt(call, "id"),
    name: first(textAt(call, "function", "name"), textAt(call, "custom", "name"), textAt(call, "type")) ?? "",
    arguments: first(member(call, "function", "arguments"), member(call, "custom", "input")) ?? null,
  }));
  if (old === undefined) return calls;
  return [...calls, { name: old, arguments: member(choice, "message", "function_call", "arguments") ?? null }];
}

/** Function calls, and the calls of tools that the service runs itself (`web_search_call`), named by their type. */
function outputCalls(item: JsonValue): ToolCall[] {
  const type = textAt(item, "type") ?? "";
  if (!type.endsWith("_call")) return [];
  return [
    {
      id: first(idAt(item, "call_id"), idAt(item, "id")),
      name: textAt(item, "name") ?? type,
      arguments: first(member(item, "arguments"), member(item, "input"), member(item, "action")) ?? null,
    },
  ];
}
