import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Exchange, RawHeaders } from "../../proxy/record/exchange.ts";
import { headerOf } from "../../proxy/record/exchange.ts";
import { isObject, type JsonObject, parseJson } from "../../proxy/record/json.ts";
import { SHARED } from "./project.ts";

let count = 0;

/** An exchange as the interceptor hands it on, with what a test does not say filled in. */
export function exchangeOf(given: Partial<Omit<Exchange, "body">> & { body?: Uint8Array | string } = {}): Exchange {
  const { body = "", ...rest } = given;
  return {
    id: `r${++count}`,
    arrivedAt: Date.UTC(2026, 0, 31, 12),
    scheme: "https",
    method: "POST",
    host: "collector.example",
    port: 443,
    target: "/",
    headers: [],
    truncated: false,
    ...rest,
    body: typeof body === "string" ? Buffer.from(body, "utf8") : body,
  };
}

/** Reads raw HTTP/1.1 request bytes (a capture or a case) as an exchange; chunked bodies are joined. */
export function exchangeFromBytes(bytes: Buffer): Exchange {
  const end = bytes.indexOf("\r\n\r\n");
  const [first = "", ...lines] = bytes.toString("latin1", 0, end).split("\r\n");
  const [method = "", target = ""] = first.split(" ");
  const headers: RawHeaders = lines.map((line) => {
    const colon = line.indexOf(":");
    return [line.slice(0, colon), line.slice(colon + 1).trim()];
  });
  const rest = bytes.subarray(end + 4);
  const isChunked = headerOf(headers, "transfer-encoding")?.toLowerCase() === "chunked";
  const [host = ""] = (headerOf(headers, "host") ?? "").toLowerCase().split(":");
  return exchangeOf({ method, target, headers, host, body: isChunked ? unchunk(rest) : rest });
}

function unchunk(bytes: Buffer): Buffer {
  const parts: Buffer[] = [];
  for (let at = 0; ; ) {
    const end = bytes.indexOf("\r\n", at);
    const size = Number.parseInt(bytes.toString("latin1", at, end), 16);
    if (!(size > 0)) return Buffer.concat(parts);
    parts.push(bytes.subarray(end + 2, end + 2 + size));
    at = end + 2 + size + 2;
  }
}

/** The raw request of a case, such as `caseRequest("B01", "req.bin")`. */
export function caseRequest(id: string, file: string): Exchange {
  return exchangeFromBytes(readFileSync(join(SHARED, "cases", id, file)));
}

/** One request of a capture and what it is known to hold. */
export interface CapturedRequest {
  readonly exchange: Exchange;
  readonly answeredStatus: number;
  /** What the app handed to the SDK. */
  readonly events: readonly JsonObject[];
  /** Every event in the request, also the SDK's own. */
  readonly allEvents: readonly JsonObject[];
}

/** The requests of one folder of captures, in wire order. */
export function capturedRequests(capture: string): CapturedRequest[] {
  const folder = join(SHARED, "captures", capture);
  const meta = objectAt(parseJson(readFileSync(join(folder, "meta.json"), "utf8")));
  return listAt(meta["requests"]).map((request) => {
    const id = String(request["id"]);
    const expected = objectAt(parseJson(readFileSync(join(folder, `${id}.expected.json`), "utf8")));
    const answered = objectAt(objectAt(expected["request"])["answered"]);
    return {
      exchange: exchangeFromBytes(readFileSync(join(folder, `${id}.req`))),
      answeredStatus: Number(answered["status"]),
      events: listAt(expected["events"]),
      allEvents: listAt(expected["allEvents"]),
    };
  });
}

function objectAt(value: unknown): JsonObject {
  return isObject(value) ? value : {};
}

function listAt(value: unknown): JsonObject[] {
  return Array.isArray(value) ? value.map(objectAt) : [];
}
