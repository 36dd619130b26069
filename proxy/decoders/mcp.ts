import { headerOf, type RawHeaders } from "../record/exchange.ts";
import { isObject, type JsonObject, type JsonValue } from "../record/json.ts";
import type { DecodableExchange, Decoded, DecodedEvent, Decoder, RequestHead } from "./decoder.ts";
import { pathOf } from "./form.ts";
import { eachObject, jsonBody } from "./json-body.ts";
import { begun, finished } from "./lifted.ts";
import { addMembers, idAt, setOwn, textAt } from "./member.ts";
import { answerValues } from "./model-answer.ts";

/** Methods of the Model Context Protocol; other JSON-RPC has others. */
const METHOD =
  /^(?:initialize|ping|(?:tools|resources|prompts|completion|logging|sampling|roots|elicitation|tasks|notifications|server)\/.+)$/;

const MCP_PATH = /\/mcp\/?$/;

/**
 * MCP over streamable HTTP: one record per JSON-RPC message the client sends, with the result or error of its answer; and one
 * per request or notification that the server sends, marked `from: "server"`.
 */
export const mcp: Decoder = {
  name: "mcp",
  hosts: [],
  /** Its clients have to accept both kinds of answers, and name session and version once they know them. */
  wantsAnswer({ target, headers }: RequestHead): boolean {
    if (hasMcpHeader(headers) || MCP_PATH.test(pathOf(target))) return true;
    const accept = headerOf(headers, "accept") ?? "";
    return accept.includes("application/json") && accept.includes("text/event-stream");
  },
  score(exchange: DecodableExchange): number {
    const hasHeader = hasMcpHeader(exchange.headers);
    if (exchange.body.length === 0) return hasHeader ? 0.9 : 0;
    if (!exchange.text.includes('"jsonrpc"')) return 0;
    const messages = listed(jsonBody(exchange));
    if (messages.length === 0 || !messages.every((message) => textAt(message, "jsonrpc") === "2.0")) return 0;
    if (hasHeader || MCP_PATH.test(pathOf(exchange.target))) return 0.95;
    return messages.some((message) => METHOD.test(textAt(message, "method") ?? "")) ? 0.9 : 0;
  },
  decode(exchange: DecodableExchange): Decoded {
    const session =
      headerOf(exchange.headers, "mcp-session-id") ?? headerOf(exchange.response?.headers ?? [], "mcp-session-id");
    const answers = exchange.response === undefined ? [] : answerValues(exchange).flatMap(listed);
    const sent = listed(jsonBody(exchange));
    const own = eachObject(sent, (message) => messageEvent(message, { session, answer: answerTo(message, answers) }));
    if (answers.length === 0) return { events: own, complete: true };
    const fromServer = answers
      .filter((message): message is JsonObject => isObject(message) && textAt(message, "method") !== undefined)
      .map((message) => messageEvent({ ...message, from: "server" }, { session }));
    return { events: [...own, ...fromServer], complete: true };
  },
};

function hasMcpHeader(headers: RawHeaders): boolean {
  for (const { 0: name } of headers) {
    const { length } = name;
    // their lengths spare most headers the comparison
    if ((length === 14 || length === 20) && /^mcp-(?:session-id|protocol-version)$/i.test(name)) return true;
  }
  return false;
}

function listed(value: JsonValue | undefined): readonly JsonValue[] {
  if (value === undefined) return [];
  return Array.isArray(value) ? (value as readonly JsonValue[]) : [value];
}

function answerTo(message: JsonObject, answers: readonly JsonValue[]): JsonObject | undefined {
  const id = idAt(message, "id");
  if (answers.length === 0 || id === undefined || textAt(message, "method") === undefined) return undefined;
  return answers.filter(isObject).find((answer) => idAt(answer, "id") === id && textAt(answer, "method") === undefined);
}

const FRAMING: ReadonlySet<string> = new Set(["jsonrpc", "id"]);

interface Around {
  readonly session: string | undefined;
  readonly answer?: JsonObject | undefined;
}

function messageEvent(message: JsonObject, { session, answer }: Around): DecodedEvent {
  const method = textAt(message, "method");
  const { params } = message;
  const data = isObject(params) ? params : undefined;
  const fields = begun(data);
  for (const key of Object.keys(message)) {
    const isLifted = key === "method" ? method !== undefined : key === "params" && data !== undefined;
    if (key !== "jsonrpc" && !isLifted) setOwn(fields, key, message[key] ?? null);
  }
  if (answer !== undefined) addMembers(fields, answer, FRAMING);
  return finished({ name: method ?? "response", data, fields, session });
}
