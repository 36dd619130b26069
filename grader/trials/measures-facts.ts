import { isObject, type JsonObject, type JsonValue } from "../../proxy/record/json.ts";
import type { Action } from "./measures-actions.ts";

/** More facts than an agent's context holds; a run with more has no measure of recall. */
const MAX_FACTS = 200_000;
const PIECE = /[\p{L}\p{N}_@#][\p{L}\p{N}_@#./:+-]{2,59}/gu;
const MAX_DEPTH = 40;

/** How many facts the agent's actions rested on, and how many of them it had been given before. */
export interface FactCount {
  readonly used: number;
  readonly recalled: number;
}

/** Watches which facts a run gives to the agent, and which its actions use. */
export interface FactWatch {
  /** Takes the records of a run in order, each with the action it tells of. */
  record(event: JsonObject, action: Action | undefined): void;
  /** Undefined when no action used a fact, or there were more facts than can be remembered. */
  count(): FactCount | undefined;
}

/**
 * A fact is a piece of data that cannot be guessed: text of 3 to 60 characters without spaces that holds a digit or an `@`
 * (ids, dates, addresses, paths), or a number of four digits or more. Given are the facts in prompts, messages and the
 * results of tools; never those in the model's own answers. An action uses the facts in its arguments.
 */
export function watchFacts(): FactWatch {
  const given = new Set<string>();
  let used = 0;
  let recalled = 0;
  const give = (value: JsonValue | undefined): void => {
    if (given.size < MAX_FACTS) eachFact(value, (fact) => given.add(fact));
  };
  return {
    record(event, action) {
      if (action !== undefined) {
        const facts = new Set<string>();
        eachFact(action.arguments, (fact) => facts.add(fact));
        used += facts.size;
        for (const fact of facts) if (given.has(fact)) recalled++;
      }
      for (const value of givenBy(event, action)) give(value);
    },
    count: () => (used === 0 || given.size >= MAX_FACTS ? undefined : { used, recalled }),
  };
}

/** What a record tells the agent. Of an exchange with a model: what was sent, without what the model itself had said. */
function givenBy(event: JsonObject, action: Action | undefined): readonly (JsonValue | undefined)[] {
  const { data, result, request } = event;
  if (isObject(request)) return [withoutAnswers(request)];
  if (action === undefined) return [data, result, event["body"]];
  if (action.from === "asked" || !isObject(data)) return [result];
  const { args: _, arguments: __, "gen_ai.tool.call.arguments": ___, ...rest } = data;
  return [rest, result];
}

function withoutAnswers(request: JsonObject): JsonObject {
  const own = (list: JsonValue | undefined): JsonValue =>
    Array.isArray(list) ? list.filter((item) => !isAnswer(item)) : (list ?? null);
  return { ...request, messages: own(request["messages"]), input: own(request["input"]) };
}

function isAnswer(item: JsonValue): boolean {
  if (!isObject(item)) return false;
  const { role, type } = item;
  return role === "assistant" || type === "function_call" || type === "reasoning";
}

function eachFact(value: JsonValue | undefined, take: (fact: string) => void, depth = 0): void {
  if (depth > MAX_DEPTH || value === undefined || value === null) return;
  if (typeof value === "string") eachPiece(value, take);
  else if (typeof value === "number" || typeof value === "bigint") eachPiece(String(value), take);
  else if (Array.isArray(value)) for (const item of value) eachFact(item, take, depth + 1);
  else if (isObject(value)) for (const item of Object.values(value)) eachFact(item, take, depth + 1);
}

function eachPiece(text: string, take: (fact: string) => void): void {
  for (const [piece] of text.matchAll(PIECE)) {
    const fact = piece.replace(/^[#@]+|[./:+-]+$/g, "");
    const isNumber = /^[0-9.+-]+$/.test(fact);
    if (isNumber ? fact.replace(/\D/g, "").length >= 4 : /[0-9@]/.test(fact) && fact.length >= 3)
      take(fact.toLowerCase());
  }
}
