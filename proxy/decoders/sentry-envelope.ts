import { isObject, type JsonObject, parseJson } from "../record/json.ts";

/** One item of an envelope: its header, the bytes of its payload, and what was wrong with it. */
export interface EnvelopeItem {
  readonly header: JsonObject;
  readonly payload: Uint8Array;
  readonly note?: string;
  /** The payload ends before its declared length. */
  readonly isShort?: true;
}

export interface Envelope {
  readonly header: JsonObject;
  readonly items: readonly EnvelopeItem[];
  /** From the first place on that is no item header. */
  readonly bad?: Uint8Array;
}

const NEWLINE = 0x0a;

/**
 * Takes a Sentry envelope apart (develop.sentry.dev, "Envelopes"): a header line, then for each item a header line and a
 * payload, which is `length` bytes long or else goes on to the next newline; the newline at the very end may be missing.
 * A declared length that ends inside a line of JSON is taken to be wrong. Throws when the first line is no JSON object.
 */
export function splitEnvelope(body: Uint8Array): Envelope {
  const head = lineAt(body, 0);
  const header = parseJson(textOf(head.bytes));
  if (!isObject(header)) throw new SyntaxError("the envelope header is no JSON object");
  const items: EnvelopeItem[] = [];
  for (let at = head.next; at < body.length; ) {
    if (body[at] === NEWLINE || body[at] === 0x0d) {
      at++;
      continue;
    }
    const line = lineAt(body, at);
    const itemHeader = objectIn(line.bytes);
    if (itemHeader === undefined) return { header, items, bad: body.subarray(at) };
    const { item, next } = itemAt(body, line.next, itemHeader);
    items.push(item);
    at = next;
  }
  return { header, items };
}

/** Whether text begins like an envelope: a header line with Sentry's words, then an item header with a type. */
export function looksLikeEnvelope(text: string): boolean {
  if (!text.startsWith("{")) return false;
  const end = text.indexOf("\n");
  if (end < 0 || end > 16_384) return false;
  const second = text.slice(end + 1, text.indexOf("\n", end + 1) < 0 ? undefined : text.indexOf("\n", end + 1));
  if (second.length > 4096) return false;
  const header = objectIn(Buffer.from(text.slice(0, end)));
  const item = objectIn(Buffer.from(second));
  const isHeader =
    header !== undefined && ["sdk", "sent_at", "dsn", "event_id"].some((key) => Object.hasOwn(header, key));
  return isHeader && typeof item?.["type"] === "string";
}

function itemAt(body: Uint8Array, from: number, header: JsonObject): { item: EnvelopeItem; next: number } {
  const length = header["length"];
  const line = lineAt(body, from);
  if (typeof length !== "number" || !Number.isInteger(length) || length < 0) {
    return { item: { header, payload: line.bytes }, next: line.next };
  }
  const end = from + length;
  const payload = body.subarray(from, end);
  if (payload.length < length) {
    const isWhole = objectIn(line.bytes) !== undefined;
    const note = `an item says ${length} bytes and has ${payload.length}`;
    if (isWhole) return { item: { header, payload: line.bytes, note }, next: line.next };
    return { item: { header, payload, isShort: true }, next: body.length };
  }
  const endsAtLine = end === body.length || body[end] === NEWLINE;
  if (!endsAtLine && objectIn(payload) === undefined && objectIn(line.bytes) !== undefined) {
    const note = `an item says ${length} bytes and has ${line.bytes.length}`;
    return { item: { header, payload: line.bytes, note }, next: line.next };
  }
  return { item: { header, payload }, next: end + (body[end] === NEWLINE ? 1 : 0) };
}

function lineAt(body: Uint8Array, from: number): { bytes: Uint8Array; next: number } {
  const newline = body.indexOf(NEWLINE, from);
  const end = newline < 0 ? body.length : newline;
  return { bytes: body.subarray(from, end), next: end + 1 };
}

function objectIn(bytes: Uint8Array): JsonObject | undefined {
  try {
    const value = parseJson(textOf(bytes));
    return isObject(value) ? value : undefined;
  } catch {
    return undefined; // bytes that do not parse are the answer, not a failure
  }
}

function textOf(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString("utf8");
}
