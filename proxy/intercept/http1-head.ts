import type { RawHeaders } from "../record/exchange.ts";

export interface RequestHead {
  readonly kind: "request";
  readonly method: string;
  readonly target: string;
  readonly headers: RawHeaders;
}

export interface ResponseHead {
  readonly kind: "response";
  readonly status: number;
  readonly reason: string;
  /** 1 for HTTP/1.1, 0 for HTTP/1.0. */
  readonly minor: number;
  readonly headers: RawHeaders;
}

/** How the length of a message's body is known (RFC 9112 section 6.3); `refused` when two parsers could disagree on it. */
export type Framing =
  | { readonly kind: "none" | "chunked" | "until-close" }
  | { readonly kind: "length"; readonly bytes: number }
  | { readonly kind: "refused"; readonly why: string };

export type Parsed<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly why: string };

const CR = 0x0d;
const SPACE = 0x20;
const TAB = 0x09;
const REQUEST_LINE = /^([!#$%&'*+\-.^_`|~0-9A-Za-z]+) ([^ \t\r\n]+) HTTP\/1\.[01]$/;
const STATUS_LINE = /^HTTP\/1\.([01]) ([1-9][0-9]{2})(?: (.*))?$/;

/** Reads a request's head (without its last empty line). Bytes beyond ASCII come out as Latin-1. */
export function parseRequestHead(text: string): Parsed<RequestHead> {
  const lines = headLines(text);
  const match = REQUEST_LINE.exec(lines[0] ?? "");
  if (match === null) return { ok: false, why: "no HTTP/1 request line" };
  const headers = parseFields(lines);
  if (!headers.ok) return headers;
  return {
    ok: true,
    value: { kind: "request", method: match[1] ?? "", target: match[2] ?? "", headers: headers.value },
  };
}

/** Reads a response's head (without its last empty line). */
export function parseResponseHead(text: string): Parsed<ResponseHead> {
  const lines = headLines(text);
  const match = STATUS_LINE.exec(lines[0] ?? "");
  if (match === null) return { ok: false, why: "no HTTP/1 status line" };
  const headers = parseFields(lines);
  if (!headers.ok) return headers;
  const [, minor, status, reason = ""] = match;
  return {
    ok: true,
    value: { kind: "response", status: Number(status), reason, minor: Number(minor), headers: headers.value },
  };
}

/** A request without length has no body. */
export function requestFraming(headers: RawHeaders): Framing {
  return declaredFraming(headers) ?? { kind: "none" };
}

/** A response to `method`; one without length goes on until the connection ends. */
export function responseFraming({ status, headers }: ResponseHead, method: string): Framing {
  const isEmpty = method === "HEAD" || status < 200 || status === 204 || status === 304;
  if (isEmpty) return { kind: "none" };
  return declaredFraming(headers) ?? { kind: "until-close" };
}

/** True when a header's comma-separated list has the token; names and tokens compare without case. */
export function hasToken(headers: RawHeaders, name: string, token: string): boolean {
  return headers.some(
    ([known, value]) =>
      known.length === name.length &&
      known.toLowerCase() === name &&
      value.split(",").some((part) => part.trim().toLowerCase() === token),
  );
}

/** Reads header or trailer lines after the first line; a folded line (RFC 9112 section 5.2) continues the one before. */
export function parseFields(lines: readonly string[]): Parsed<RawHeaders> {
  const headers: [string, string][] = [];
  for (let index = 1; index < lines.length; index += 1) {
    const line = lines[index] ?? "";
    const first = line.charCodeAt(0);
    const last = first === SPACE || first === TAB ? headers.at(-1) : undefined;
    if (last !== undefined) {
      last[1] = `${last[1]} ${line.trim()}`;
      continue;
    }
    const colon = line.indexOf(":");
    const name = line.slice(0, colon);
    // White space before the colon is the classic way to make two parsers disagree (RFC 9112 section 5.1).
    if (colon < 1 || /\s/.test(name)) return { ok: false, why: `malformed header line ${JSON.stringify(line)}` };
    headers.push([name, line.slice(colon + 1).trim()]);
  }
  return { ok: true, value: headers };
}

/** Splits at each line feed; a carriage return before it belongs to the line end. */
function headLines(text: string): string[] {
  const lines: string[] = [];
  let start = 0;
  for (let end = text.indexOf("\n"); end >= 0; end = text.indexOf("\n", start)) {
    lines.push(text.slice(start, end > start && text.charCodeAt(end - 1) === CR ? end - 1 : end));
    start = end + 1;
  }
  lines.push(text.slice(start));
  return lines;
}

function declaredFraming(headers: RawHeaders): Framing | undefined {
  let length: string | undefined;
  let coding: string | undefined;
  for (const header of headers) {
    const name = header[0];
    const value = header[1];
    if (name.length === 14 && name.toLowerCase() === "content-length") {
      if (length !== undefined) return refused("two Content-Length headers");
      length = value;
    } else if (name.length === 17 && name.toLowerCase() === "transfer-encoding") {
      coding = coding === undefined ? value : `${coding},${value}`;
    }
  }
  if (coding !== undefined) return codedFraming(coding, length);
  return length === undefined ? undefined : lengthFraming(length);
}

function codedFraming(coding: string, length: string | undefined): Framing {
  if (length !== undefined) return refused("both Transfer-Encoding and Content-Length");
  const codings = coding.split(",").map((part) => part.trim().toLowerCase());
  const isChunked = codings.at(-1) === "chunked" && codings.indexOf("chunked") === codings.length - 1;
  return isChunked ? { kind: "chunked" } : refused(`the transfer coding ${JSON.stringify(coding)} is not chunked`);
}

function lengthFraming(length: string): Framing {
  const bytes = /^[0-9]{1,15}$/.test(length) ? Number(length) : Number.NaN;
  if (Number.isNaN(bytes)) return refused(`Content-Length ${JSON.stringify(length)} is no number`);
  return bytes === 0 ? { kind: "none" } : { kind: "length", bytes };
}

function refused(why: string): Framing {
  return { kind: "refused", why };
}
