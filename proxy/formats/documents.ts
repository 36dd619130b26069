import { type BodyLine, bodyLines } from "../decoders/body-lines.ts";
import type { DecodableExchange } from "../decoders/decoder.ts";
import { jsonBody } from "../decoders/json-body.ts";
import { isObject, type JsonValue, parseJson } from "../record/json.ts";
import type { FormatSpec } from "./format.ts";
import { compileValue, formParameters, queryParameters } from "./value.ts";

/** A body as values: one, or one for each line; a line that is none stands for itself. */
export type Document =
  | { readonly ok: true; readonly value: JsonValue }
  | { readonly ok: false; readonly line: BodyLine; readonly why: string };

/** Reads a body as a format says it is written; no documents when it is not. Never throws. */
export function compileDocuments(body: FormatSpec["body"]): (exchange: DecodableExchange) => readonly Document[] {
  if (body.kind === "json") return (exchange) => given(jsonBody(exchange));
  if (body.kind === "ndjson") return (exchange) => bodyLines(exchange).map(lineDocument);
  if (body.kind === "form")
    return (exchange) => given(exchange.body.length === 0 ? undefined : formParameters(exchange));
  if (body.kind === "query") return (exchange) => given(queryParameters(exchange));
  const read = compileValue(body.place);
  return (exchange) => {
    const value = read({ exchange, body: null, event: null });
    if (typeof value !== "string") return given(value);
    if (body.isLines) return linesOf(value).map((text) => lineDocument({ text }));
    const document = lineDocument({ text: value });
    return document.ok ? [document] : [];
  };
}

/** The events of a document: what a path names, else the items of a list, else the document itself. */
export function itemsOf(document: JsonValue, all: ((root: JsonValue) => readonly JsonValue[]) | undefined) {
  if (all !== undefined) return all(document);
  return Array.isArray(document) ? (document as readonly JsonValue[]) : [document];
}

function given(value: JsonValue | undefined): readonly Document[] {
  return value === undefined || (isObject(value) && Object.keys(value).length === 0) ? [] : [{ ok: true, value }];
}

function linesOf(text: string): string[] {
  return text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "");
}

function lineDocument(line: BodyLine): Document {
  try {
    return { ok: true, value: parseJson(line.text) };
  } catch (cause) {
    return { ok: false, line, why: `line is no JSON: ${cause instanceof Error ? cause.message : String(cause)}` };
  }
}
