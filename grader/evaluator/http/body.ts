import type { IncomingMessage } from "node:http";
import { type JsonValue, parseJson } from "../../../proxy/record/json.ts";
import { Abandoned } from "../lanes/lane.ts";
import { pointerTo, Refusal } from "../refusal.ts";

/** Reads a JSON body. Throws 415 for another kind, 413 for one that is too large (before it is read), 400 for no JSON. */
export async function readJson(request: IncomingMessage, mostBytes: number, signal: AbortSignal): Promise<JsonValue> {
  const [type = "", ...parameters] = (request.headers["content-type"] ?? "").toLowerCase().split(";").map(trim);
  if (type !== "application/json" && !/^application\/[a-z0-9.-]+\+json$/.test(type)) {
    const said = type === "" ? "no Content-Type" : `Content-Type ${type}`;
    throw new Refusal(415, "WM_SERVE_MEDIA_TYPE", `the body has ${said}; it has to be application/json`);
  }
  const charset = parameters
    .find((one) => one.startsWith("charset="))
    ?.slice("charset=".length)
    .replaceAll('"', "");
  if (charset !== undefined && !["utf-8", "utf8", "us-ascii"].includes(charset))
    throw new Refusal(415, "WM_SERVE_MEDIA_TYPE", `the body is in ${charset}; JSON is sent as UTF-8`);
  const value = parse(decode(await readBytes(request, mostBytes, signal)));
  refuseUnfit(value);
  return value;
}

function trim(text: string): string {
  return text.trim();
}

function parse(text: string): JsonValue {
  try {
    return parseJson(text);
  } catch (error) {
    if (!(error instanceof SyntaxError || error instanceof RangeError)) throw error;
    throw new Refusal(400, "WM_SERVE_BODY", `the body is no JSON: ${error.message}`, { pointer: "" });
  }
}

/** No request needs more; what is deeper could not be handed to a thread. */
const MOST_DEPTH = 128;

/** Throws 400 for what is nested too deep, and for a key that would be lost on the way. Not recursive, so that depth costs no stack. */
function refuseUnfit(value: JsonValue): void {
  const open: { readonly value: JsonValue; readonly path: readonly (string | number)[] }[] = [{ value, path: [] }];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { value: one, path } = next;
    if (typeof one !== "object" || one === null) continue;
    if (path.length >= MOST_DEPTH)
      throw new Refusal(400, "WM_SERVE_BODY", `the body is nested deeper than ${MOST_DEPTH} levels`, {
        pointer: pointerTo(path),
      });
    for (const [key, inner] of Object.entries(one)) {
      const at = [...path, key];
      if (key === "__proto__")
        throw new Refusal(400, "WM_SERVE_BODY", `${pointerTo(at)}: no field can be called __proto__`, {
          pointer: pointerTo(at),
        });
      if (typeof inner === "object" && inner !== null) open.push({ value: inner, path: at });
    }
  }
}

/** Reads a body of any kind. Throws 413 and 415. */
export async function readBytes(request: IncomingMessage, mostBytes: number, signal: AbortSignal): Promise<Buffer> {
  const parts: Buffer[] = [];
  for await (const chunk of readChunks(request, mostBytes, signal)) parts.push(chunk);
  return Buffer.concat(parts);
}

/** The chunks of a body, as they come. Throws 413 as soon as it is known to be too large, 415 for an encoded one. */
export async function* readChunks(
  request: IncomingMessage,
  mostBytes: number,
  signal: AbortSignal,
): AsyncGenerator<Buffer> {
  const encoding = request.headers["content-encoding"]?.toLowerCase() ?? "identity";
  if (encoding !== "identity")
    throw new Refusal(415, "WM_SERVE_MEDIA_TYPE", `a body in ${encoding} is not taken; send it plain`);
  const tooLarge = new Refusal(413, "WM_SERVE_TOO_LARGE", `the body is larger than ${mostBytes} bytes`);
  if (Number(request.headers["content-length"] ?? 0) > mostBytes) throw tooLarge;
  let size = 0;
  // `for await` over the request itself would destroy it, and the answer with it, when we stop early
  try {
    for await (const chunk of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      size += chunk.length;
      if (signal.aborted) throw new Abandoned();
      if (size > mostBytes) throw tooLarge;
      yield chunk;
    }
  } catch (error) {
    // the client went in the middle of its body: nobody waits for an answer, and nothing is wrong here
    throw request.destroyed && !request.complete && !(error instanceof Refusal) ? new Abandoned() : error;
  }
}

function decode(bytes: Buffer): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw new Refusal(400, "WM_SERVE_BODY", "the body is not UTF-8", { pointer: "" });
  }
}
