import { isObject, type JsonObject } from "../../proxy/record/json.ts";
import { arrivalMs } from "../read/range.ts";
import type { CallTokens } from "./prices.ts";
import { countOf, instantOf, instantOfNanoseconds } from "./spending-numbers.ts";

/** Where a call's record stands: which log, and which of its lines (from 0). */
export interface CallPlace {
  readonly log: string;
  readonly record: number;
}

/** One call of a model, as the capture shows it. */
export interface ModelCall {
  /** `exchange`: seen on the wire. `span`: told by the app's own GenAI telemetry. `agent`: a sum over an agent's calls. */
  readonly source: "exchange" | "span" | "agent";
  readonly name: string;
  /** The models that may name its price: the one that answered, then the one asked for. */
  readonly models: readonly string[];
  readonly responseId?: string;
  readonly span?: string;
  readonly trace?: string;
  readonly startedMs?: number;
  /** Known for spans only; an exchange's record stands in the log where the exchange ended. */
  readonly endedMs?: number;
  readonly tokens: CallTokens;
  readonly place: CallPlace;
}

/** Paths of model APIs whose answers bill tokens; `messages/count_tokens` answers with a count that nobody pays. */
const EXCHANGES: ReadonlySet<string> = new Set([
  "chat/completions",
  "completions",
  "responses",
  "embeddings",
  "messages",
]);
const EXCHANGE_FORMATS: ReadonlySet<unknown> = new Set(["openai", "anthropic"]);
/** `gen_ai.operation.name` of calls of a model (OpenTelemetry semantic conventions for generative AI). */
const OPERATIONS: ReadonlySet<unknown> = new Set(["chat", "text_completion", "generate_content", "embeddings"]);

/**
 * The model call that a record tells of; undefined for every other record. A call that the service refused (an HTTP
 * error, no usage) was not paid for and is none. Delivery retries of telemetry repeat a call that was told already.
 */
export function modelCallIn(event: JsonObject, place: CallPlace): ModelCall | undefined {
  const meta = objectAt(event, "$capture");
  if (EXCHANGE_FORMATS.has(meta["format"])) return exchangeIn(event, meta, place);
  return meta["retry"] === true ? undefined : spanIn(event, place);
}

function exchangeIn(event: JsonObject, meta: JsonObject, place: CallPlace): ModelCall | undefined {
  const { name } = event;
  if (typeof name !== "string" || !EXCHANGES.has(name)) return undefined;
  const data = objectAt(event, "data");
  const tokens = exchangeTokens(data, {
    isAnthropic: meta["format"] === "anthropic",
    isEmbedding: name === "embeddings",
  });
  const status = Number(data["status"] ?? meta["status"] ?? 200);
  if (status >= 400 && tokens.input === undefined && tokens.output === undefined) return undefined;
  const startedMs = arrivalMs(event);
  return {
    source: "exchange",
    name,
    models: textsOf(data["response_model"], data["model"]),
    ...textField("responseId", data["response_id"]),
    ...(startedMs === undefined ? {} : { startedMs }),
    tokens,
    place,
  };
}

/** OpenAI's input counts include the cached tokens; Anthropic's leave out those read from and written to the cache. */
function exchangeTokens(data: JsonObject, kind: { isAnthropic: boolean; isEmbedding: boolean }): CallTokens {
  const input = countOf(data["input_tokens"]);
  const cached = countOf(data["cached_tokens"]);
  const cacheWrite = countOf(data["cache_creation_tokens"]);
  const aside = kind.isAnthropic ? (cached ?? 0) + (cacheWrite ?? 0) : 0;
  const output = kind.isEmbedding ? 0 : countOf(data["output_tokens"]);
  return defined({ input: input === undefined ? undefined : input + aside, output, cached, cacheWrite });
}

function spanIn(event: JsonObject, place: CallPlace): ModelCall | undefined {
  const data = objectAt(event, "data");
  const operation = data["gen_ai.operation.name"];
  const tokens = spanTokens(data);
  const isCounted = tokens.input !== undefined || tokens.output !== undefined;
  const isAgent = operation === "invoke_agent";
  const isCall = OPERATIONS.has(operation) || (operation === undefined && isCounted && isModel(data));
  const isFailed = objectAt(event, "status")["code"] === 2;
  if (!(isCall || isAgent) || (!isCounted && (isAgent || isFailed))) return undefined;
  if (event["signal"] === "metric") return undefined; // histograms of token counts repeat what the spans say
  const [traceId, spanId] = [event["traceId"], event["spanId"]];
  const endedMs = instantOfNanoseconds(event["endTimeUnixNano"]);
  const startedMs = instantOf(event["time"]) ?? arrivalMs(event);
  return {
    source: isAgent ? "agent" : "span",
    name: typeof event["name"] === "string" ? event["name"] : String(operation ?? "model call"),
    models: textsOf(data["gen_ai.response.model"], data["gen_ai.request.model"]),
    ...textField("responseId", data["gen_ai.response.id"]),
    ...(typeof traceId === "string" && typeof spanId === "string" ? { span: `${traceId}/${spanId}` } : {}),
    ...textField("trace", traceId),
    ...(startedMs === undefined ? {} : { startedMs }),
    ...(endedMs === undefined ? {} : { endedMs }),
    tokens,
    place,
  };
}

function isModel(data: JsonObject): boolean {
  return textsOf(data["gen_ai.response.model"], data["gen_ai.request.model"]).length > 0;
}

/** Input counts include the cached tokens, as the conventions ask for; older names are read too. */
function spanTokens(data: JsonObject): CallTokens {
  const first = (...names: string[]): number | undefined =>
    names.map((name) => countOf(data[`gen_ai.usage.${name}`])).find((count) => count !== undefined);
  return defined({
    input: first("input_tokens", "prompt_tokens"),
    output: data["gen_ai.operation.name"] === "embeddings" ? 0 : first("output_tokens", "completion_tokens"),
    cached: first("cache_read.input_tokens", "cache_read_input_tokens", "input_tokens.cached"),
    cacheWrite: first("cache_creation.input_tokens", "cache_creation_input_tokens"),
  });
}

function defined(tokens: { readonly [Key in keyof CallTokens]: number | undefined }): CallTokens {
  return Object.fromEntries(Object.entries(tokens).filter(([, count]) => count !== undefined));
}

function objectAt(event: JsonObject, key: string): JsonObject {
  const value = event[key];
  return isObject(value) ? value : {};
}

function textsOf(...values: readonly unknown[]): readonly string[] {
  return values.filter((value): value is string => typeof value === "string" && value !== "");
}

function textField<Key extends string>(key: Key, value: unknown): { readonly [K in Key]?: string } {
  return (typeof value === "string" && value !== "" ? { [key]: value } : {}) as { readonly [K in Key]?: string };
}
