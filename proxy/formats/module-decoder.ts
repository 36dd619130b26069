import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import type { DecodableExchange, Decoded, DecodedEvent, Decoder, RequestHead } from "../decoders/decoder.ts";
import { waymarkError } from "../record/fault.ts";
import { isObject, type JsonObject } from "../record/json.ts";

/** What a decoder's file has to export; the methods are those of `Decoder`. */
type ForeignDecoder = Record<string, unknown> & { readonly name: string };

/**
 * Loads the decoders of a JavaScript file: its export `decoder`, or its default export; one, or a list. Whatever they
 * throw or answer is checked each time, and costs the events of that request, never more. Throws
 * `WM_FORMAT_DECODER` for a file that cannot be loaded or holds no decoder.
 */
export async function loadDecoders(file: string): Promise<Decoder[]> {
  const path = resolve(file);
  let loaded: Record<string, unknown>;
  try {
    loaded = (await import(pathToFileURL(path).href)) as Record<string, unknown>;
  } catch (cause) {
    throw waymarkError("WM_FORMAT_DECODER", `"${file}" cannot be loaded: ${reasonOf(cause)}`, { cause });
  }
  const exported = loaded["decoder"] ?? loaded["default"];
  const list: readonly unknown[] = Array.isArray(exported) ? exported : [exported];
  return list.map((one) => guarded(required(one, file), path));
}

function required(value: unknown, file: string): ForeignDecoder {
  const why = complaint(value);
  if (why !== undefined) throw waymarkError("WM_FORMAT_DECODER", `"${file}": ${why}`);
  return value as ForeignDecoder;
}

function complaint(value: unknown): string | undefined {
  if (typeof value !== "object" || value === null) return "it exports no `decoder`";
  const { name, score, decode, hosts } = value as Record<string, unknown>;
  if (typeof name !== "string" || !/^[a-z0-9][a-z0-9-]*$/.test(name))
    return "the decoder's name has to be lower-case letters, digits and hyphens";
  if (typeof score !== "function" || typeof decode !== "function")
    return `the decoder "${name}" needs score and decode`;
  const areHosts = hosts === undefined || (Array.isArray(hosts) && hosts.every((host) => typeof host === "string"));
  return areHosts ? undefined : `the hosts of the decoder "${name}" have to be a list of texts`;
}

function guarded(foreign: ForeignDecoder, file: string): Decoder {
  const call = (method: string, ...args: unknown[]): unknown => {
    const own = foreign[method];
    return typeof own === "function" ? own.apply(foreign, args) : undefined;
  };
  return {
    name: foreign.name,
    hosts: (foreign["hosts"] as readonly string[] | undefined) ?? [],
    origin: file,
    score: (exchange) => checkedScore(call("score", exchange)),
    decode: (exchange) => checkedEvents(call("decode", exchange)),
    ...(typeof foreign["wantsAnswer"] === "function"
      ? { wantsAnswer: (request: RequestHead) => call("wantsAnswer", request) === true }
      : {}),
    ...(typeof foreign["sinkAnswer"] === "function"
      ? {
          sinkAnswer: (exchange: DecodableExchange, count: number) =>
            checkedAnswer(call("sinkAnswer", exchange, count)),
        }
      : {}),
  };
}

function checkedScore(score: unknown): number {
  if (typeof score === "boolean") return score ? 1 : 0;
  if (typeof score !== "number" || !(score >= 0 && score <= 1)) throw new TypeError("score has to be from 0 to 1");
  return score;
}

/** A list of events will do in the place of `{events}`. */
function checkedEvents(decoded: unknown): Decoded {
  const { events, note, complete } = (Array.isArray(decoded) ? { events: decoded } : (decoded ?? {})) as Record<
    string,
    unknown
  >;
  if (!Array.isArray(events)) throw new TypeError("decode has to answer with a list of events");
  return {
    events: events.map(checkedEvent),
    ...(typeof note === "string" ? { note } : {}),
    ...(complete === true ? { complete } : {}),
  };
}

function checkedEvent(event: unknown): DecodedEvent {
  if (!isObject(event)) throw new TypeError("an event has to be an object");
  const { name, time, session, id, retry, undecoded } = event;
  if (name !== null && typeof name !== "string") throw new TypeError("an event's name has to be text or null");
  const isTime = typeof time === "string" && !Number.isNaN(Date.parse(time));
  if (time !== undefined && !isTime) throw new TypeError("an event's time has to be ISO 8601 text");
  return {
    name,
    fields: fieldsOf(event),
    ...(isTime ? { time } : {}),
    ...(typeof session === "string" ? { session } : {}),
    ...(typeof id === "string" ? { id } : {}),
    ...(retry === true ? { retry } : {}),
    ...(typeof undecoded === "string" ? { undecoded } : {}),
  };
}

/** `fields` as they are; a decoder may also just say `data`. What JSON cannot hold is left out, as JSON.stringify does. */
function fieldsOf({ fields, data }: JsonObject): JsonObject {
  if (fields !== undefined && !isObject(fields)) throw new TypeError("an event's fields have to be an object");
  return data === undefined ? (fields ?? {}) : { data, ...fields };
}

function checkedAnswer(answer: unknown): { status: number; contentType: string; body: string } {
  const { status = 200, contentType = "application/json", body = "{}" } = (answer ?? {}) as Record<string, unknown>;
  const isStatus = typeof status === "number" && Number.isInteger(status) && status >= 200 && status <= 599;
  if (!isStatus || typeof contentType !== "string" || typeof body !== "string") throw new TypeError("no answer");
  return { status, contentType, body };
}

function reasonOf(cause: unknown): string {
  return cause instanceof Error ? cause.message : String(cause);
}
