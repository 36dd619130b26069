import { isUtf8 } from "node:buffer";
import type { DecodableExchange, DecodedEvent } from "./decoder.ts";

/** One line of a body; `bytes` only when they are no UTF-8, so that nothing of them is lost. */
export interface BodyLine {
  readonly text: string;
  readonly bytes?: Uint8Array;
}

const NEWLINE = 0x0a;

/** The lines of a body that hold more than white space, split at `\n`, with a `\r` before it taken off. */
export function bodyLines({ body, text }: Pick<DecodableExchange, "body" | "text">): BodyLine[] {
  // bytes that are no UTF-8 became this character
  const isWhole = !text.includes("\ufffd") || isUtf8(body);
  return isWhole ? textLines(text) : byteLines(body).filter((line) => line.text !== "");
}

function textLines(text: string): BodyLine[] {
  const lines: BodyLine[] = [];
  for (let start = 0; start <= text.length; ) {
    const newline = text.indexOf("\n", start);
    const end = newline < 0 ? text.length : newline;
    const line = text.slice(start, end).trim();
    if (line !== "") lines.push({ text: line });
    start = end + 1;
  }
  return lines;
}

/** The event that stands for a line nobody could read; the line is kept whole, as text or as base64. */
export function brokenLine(line: BodyLine, why: string): DecodedEvent {
  const kept =
    line.bytes === undefined ? { body: line.text } : { body_base64: Buffer.from(line.bytes).toString("base64") };
  return { name: null, fields: kept, undecoded: why };
}

function byteLines(body: Uint8Array): BodyLine[] {
  const lines: BodyLine[] = [];
  for (let start = 0; start < body.length; ) {
    const newline = body.indexOf(NEWLINE, start);
    const end = newline < 0 ? body.length : newline;
    lines.push(lineOf(body.subarray(start, end)));
    start = end + 1;
  }
  return lines;
}

function lineOf(bytes: Uint8Array): BodyLine {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString("utf8").trim();
  return isUtf8(bytes) ? { text } : { text, bytes };
}
