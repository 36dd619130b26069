import type { Exchange } from "../record/exchange.ts";
import type { Reading } from "./reading.ts";
import type { SentEvent } from "./retries.ts";

/** One record, ready but for its number: the line is `before`, the `seq`, `after`. */
export interface UnnumberedRecord {
  readonly before: string;
  readonly after: string;
  readonly undecoded: boolean;
  readonly redacted: number;
  readonly retry: boolean;
}

/** An event without its secrets, and what is said of it beside its request. */
export interface Prepared extends SentEvent {
  /** Without the brace that closes it. */
  readonly text: string;
  readonly session: string | undefined;
  readonly undecoded: string | undefined;
  readonly redacted: number;
  readonly note: string | undefined;
  readonly retry: true | undefined;
}

/** What the records of one exchange have in common. */
export interface SharedMeta {
  /** Behind the `seq`, up to the `index`. */
  readonly head: string;
  readonly exchange: Exchange;
  readonly note: string | undefined;
  readonly isCut: boolean;
}

/** What the records of one exchange have in common, written once. */
export function sharedMeta({ exchange, format, note, isCut }: Reading): SharedMeta {
  const { id, arrivedAt } = exchange;
  const head = `,"at":"${isoOf(arrivedAt)}",${placeOf(exchange, format)},"request":${quoted(id)},"index":`;
  return { head, exchange, note, isCut };
}

/** Under load many requests arrive in one millisecond. */
let lastMoment = { at: Number.NaN, text: "" };

function isoOf(at: number): string {
  if (lastMoment.at !== at) lastMoment = { at, text: new Date(at).toISOString() };
  return lastMoment.text;
}

interface Place {
  readonly host: string;
  readonly format: string;
  readonly text: string;
}

/** By target, as written last: an app has few places it sends to, over and over. */
const PLACES = new Map<string, Place>();
const MAX_PLACES = 100;

/** From `host` to `format`, as JSON members. */
function placeOf({ host, target }: Exchange, format: string): string {
  const known = PLACES.get(target);
  if (known?.host === host && known.format === format) return known.text;
  const text = `"host":${quoted(host)},"path":${quoted(pathOf(target))},"format":${quoted(format)}`;
  if (PLACES.size >= MAX_PLACES) PLACES.clear(); // targets made of data would fill the memory
  PLACES.set(target, { host, format, text });
  return text;
}

export interface Description {
  readonly shared: SharedMeta;
  readonly index: number;
  readonly retry: boolean;
}

/** The record of an event, `index` being its place in its request. */
export function describe(event: Prepared, { shared, index, retry }: Description): UnnumberedRecord {
  return {
    before: `${event.text},"$capture":{"seq":`,
    after: `${shared.head}${index}${tailOf(event, shared, retry)}}}`,
    undecoded: event.undecoded !== undefined,
    redacted: event.redacted,
    retry,
  };
}

/** From `session` to `note`, as JSON members, each with the comma before it. */
function tailOf(event: Prepared, { exchange, note, isCut }: SharedMeta, retry: boolean): string {
  const { run, status } = exchange;
  let tail = "";
  if (event.session !== undefined) tail += `,"session":${quoted(event.session)}`;
  if (run !== undefined) tail += `,"run":${quoted(run)}`;
  if (status !== undefined && status >= 400) tail += `,"status":${status}`;
  if (retry) tail += ',"retry":true';
  if (event.undecoded !== undefined) tail += `,"undecoded":${quoted(event.undecoded)}`;
  if (isCut && event.undecoded !== undefined) tail += ',"truncated":true';
  if (event.redacted > 0) tail += `,"redacted":${event.redacted}`;
  const notes = note !== undefined && event.note !== undefined ? `${note}; ${event.note}` : (note ?? event.note ?? "");
  return notes === "" ? tail : `${tail},"note":${quoted(notes)}`;
}

/** Nothing in it is written otherwise in JSON. */
const PLAIN = /^[ !#-[\]-~]*$/;

function quoted(text: string): string {
  return PLAIN.test(text) ? `"${text}"` : JSON.stringify(text);
}

/** The path without its query; also of an absolute-form target. */
function pathOf(target: string): string {
  const path = target.startsWith("/") ? target : target.replace(/^[a-z][a-z0-9+.-]*:\/\/[^/?#]*/i, "");
  const end = path.search(/[?#]/);
  return (end < 0 ? path : path.slice(0, end)) || "/";
}
