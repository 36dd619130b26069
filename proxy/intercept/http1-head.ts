import type { RawHeaders } from "../record/exchange.ts";

export interface RequestHead {
  readonly kind: "request";
  readonly method: string;
  readonly target: string;
  readonly headers: RawHeaders;
  /** Of its body; a request without length has none. */
  readonly framing: Framing;
}

export interface ResponseHead {
  readonly kind: "response";
  readonly status: number;
  readonly reason: string;
  /** 1 for HTTP/1.1, 0 for HTTP/1.0. */
  readonly minor: number;
  readonly headers: RawHeaders;
  /** The framing its headers declare; what it means depends on the request as well (`responseFraming`). */
  readonly declared: Framing | undefined;
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
const NO_BREAK_SPACE = 0xa0;
const REQUEST_LINE = /^([!#$%&'*+\-.^_`|~0-9A-Za-z]+) ([^ \t\r\n]+) HTTP\/1\.[01]$/;
const STATUS_LINE = /^HTTP\/1\.([01]) ([1-9][0-9]{2})(?: (.*))?$/;

/** Reads a request's head (without its last empty line). Bytes beyond ASCII come out as Latin-1. */
export function parseRequestHead(text: string): Parsed<RequestHead> {
  const match = REQUEST_LINE.exec(firstLine(text));
  if (match === null) return { ok: false, why: "no HTTP/1 request line" };
  const fields = parseFields(text, afterFirstLine(text));
  if (!fields.ok) return fields;
  const [, method = "", target = ""] = match;
  const headers = fields.value;
  const framing = declaredFraming(headers) ?? { kind: "none" };
  return { ok: true, value: { kind: "request", method, target, headers, framing } };
}

/** Reads a response's head (without its last empty line). */
export function parseResponseHead(text: string): Parsed<ResponseHead> {
  const match = STATUS_LINE.exec(firstLine(text));
  if (match === null) return { ok: false, why: "no HTTP/1 status line" };
  const fields = parseFields(text, afterFirstLine(text));
  if (!fields.ok) return fields;
  const [, minor, status, reason = ""] = match;
  const headers = fields.value;
  const declared = declaredFraming(headers);
  return {
    ok: true,
    value: { kind: "response", status: Number(status), reason, minor: Number(minor), headers, declared },
  };
}

/** A response to `method`; one without length goes on until the connection ends. */
export function responseFraming({ status, declared }: ResponseHead, method: string): Framing {
  const isEmpty = method === "HEAD" || status < 200 || status === 204 || status === 304;
  if (isEmpty) return { kind: "none" };
  return declared ?? { kind: "until-close" };
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

/**
 * Reads the lines of headers or trailers that begin at `from`; a folded line (RFC 9112 section 5.2) continues the one
 * before, an empty one is none. Hot: looks at each character once, in place.
 */
export function parseFields(text: string, from = 0): Parsed<RawHeaders> {
  const headers: [string, string][] = [];
  for (let start = from, end = 0; start < text.length; start = afterLine(text, end)) {
    end = lineEnd(text, start);
    if (end === start) continue;
    const last = isBlank(text.charCodeAt(start)) ? headers.at(-1) : undefined;
    if (last !== undefined) {
      last[1] = `${last[1]} ${unblanked(text, start, end)}`;
      continue;
    }
    const colon = text.indexOf(":", start);
    // White space before the colon is the classic way to make two parsers disagree (RFC 9112 section 5.1).
    if (colon <= start || colon >= end || hasWhiteSpace(text, start, colon))
      return { ok: false, why: `malformed header line ${JSON.stringify(text.slice(start, end))}` };
    headers.push([text.slice(start, colon), unblanked(text, colon + 1, end)]);
  }
  return { ok: true, value: headers };
}

function firstLine(text: string): string {
  return text.slice(0, lineEnd(text, 0));
}

function afterFirstLine(text: string): number {
  return afterLine(text, lineEnd(text, 0));
}

/** Index of the end of the line that begins at `start`: its line feed, the carriage return before that, or the text's end. */
function lineEnd(text: string, start: number): number {
  const feed = text.indexOf("\n", start);
  if (feed < 0) return text.length;
  return feed > start && text.charCodeAt(feed - 1) === CR ? feed - 1 : feed;
}

/** Index of the line after the one that ends at `end`. */
function afterLine(text: string, end: number): number {
  return text.charCodeAt(end) === CR ? end + 2 : end + 1;
}

/** Without the blanks around it, which are no part of a field's value (RFC 9110 section 5.5). */
function unblanked(text: string, start: number, end: number): string {
  let first = start;
  let last = end;
  while (first < last && isBlank(text.charCodeAt(first))) first += 1;
  while (last > first && isBlank(text.charCodeAt(last - 1))) last -= 1;
  return text.slice(first, last);
}

function isBlank(code: number): boolean {
  return code === SPACE || code === TAB;
}

function hasWhiteSpace(text: string, start: number, end: number): boolean {
  for (let at = start; at < end; at += 1) {
    const code = text.charCodeAt(at);
    if (code === SPACE || code === NO_BREAK_SPACE || (code >= TAB && code <= CR)) return true;
  }
  return false;
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
