import type { IncomingMessage } from "node:http";
import { type JsonValue, parseJson } from "../../../proxy/record/json.ts";
import { Refusal } from "../refusal.ts";

/** Reads a JSON body. Throws 415 for another kind, 413 for one that is too large (before it is read), 400 for no JSON. */
export async function readJson(request: IncomingMessage, mostBytes: number, signal: AbortSignal): Promise<JsonValue> {
  const type = (request.headers["content-type"] ?? "").split(";", 1)[0]?.trim().toLowerCase() ?? "";
  if (type !== "application/json" && !/^application\/[a-z0-9.-]+\+json$/.test(type)) {
    const said = type === "" ? "no Content-Type" : `Content-Type ${type}`;
    throw new Refusal(415, "WM_SERVE_MEDIA_TYPE", `the body has ${said}; it has to be application/json`);
  }
  const text = decode(await readBytes(request, mostBytes, signal));
  try {
    return parseJson(text);
  } catch (error) {
    if (!(error instanceof SyntaxError || error instanceof RangeError)) throw error;
    throw new Refusal(400, "WM_SERVE_BODY", `the body is no JSON: ${error.message}`, { pointer: "" });
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
  for await (const chunk of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > mostBytes || signal.aborted) throw tooLarge;
    yield chunk;
  }
}

function decode(bytes: Buffer): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw new Refusal(400, "WM_SERVE_BODY", "the body is not UTF-8", { pointer: "" });
  }
}
