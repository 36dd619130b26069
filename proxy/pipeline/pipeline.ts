import type { DecodedEvent, Decoder } from "../decoders/decoder.ts";
import { clearReserved } from "../decoders/lift.ts";
import { rawEvent } from "../decoders/raw.ts";
import type { Exchange } from "../record/exchange.ts";
import { type JsonObject, stringifyJson } from "../record/json.ts";
import { type OpenText, ownText } from "./own-shape.ts";
import { type Reading, readExchange } from "./reading.ts";
import { redact } from "./redact.ts";
import { parseRedactPath, type RedactPath } from "./redact-path.ts";
import type { RetryLedger, SentEvent } from "./retries.ts";

export interface PipelineOptions {
  readonly decoders: readonly Decoder[];
  /** Bytes a body may inflate to. */
  readonly maxInflatedBytes: number;
  readonly redactPaths: readonly RedactPath[];
}

/** One record, ready but for its number: the line is `before`, the `seq`, `after`. */
export interface UnnumberedRecord {
  readonly before: string;
  readonly after: string;
  readonly undecoded: boolean;
  readonly redacted: number;
  readonly retry: boolean;
}

export interface Pipeline {
  /** What was understood of an exchange; asked twice in a row for the same one, it answers from memory. Never throws. */
  read(exchange: Exchange): Reading;
  /** The records of an exchange in wire order, redacted, with retries marked as `ledger` knows them. Never throws. */
  records(exchange: Exchange, ledger?: RetryLedger): UnnumberedRecord[];
}

/** Turns exchanges into records: inflate, decode, redact, describe (docs/record-format.md). Holds no sockets and no files. */
export function createPipeline({ decoders, maxInflatedBytes, redactPaths }: PipelineOptions): Pipeline {
  // The sink and the log ask for the same exchange one after the other; more than the last one is never held.
  const pathsOf = redactPathsBy(decoders, redactPaths);
  let last: { readonly asked: Exchange; readonly reading: Reading } | undefined;
  const read = (asked: Exchange): Reading => {
    if (last?.asked !== asked) last = { asked, reading: readExchange(asked, decoders, maxInflatedBytes) };
    return last.reading;
  };
  return {
    read,
    records(exchange, ledger) {
      const reading = read(exchange);
      last = undefined;
      const prepared = prepare(reading.events, {
        exchange,
        redactPaths: pathsOf(reading),
        mayCut: isMostlyEvents(reading),
      });
      const retried = ledger?.seen(exchange.id, ofRun(prepared, exchange)) ?? [];
      const shared = sharedMeta(reading);
      return prepared.map((event, index) =>
        describe(event, { shared, index, retry: retried[index] === true || event.retry === true }),
      );
    },
  };
}

/** Of two runs the same event is no retry. */
function ofRun(events: readonly SentEvent[], { run }: Exchange): readonly SentEvent[] {
  if (run === undefined) return events;
  return events.map(({ text, id }) => ({ text: run + text, id: id === undefined ? undefined : `${run} ${id}` }));
}

/** The places to redact in the records of a reading: those of all formats, and those of its own. */
function redactPathsBy(decoders: readonly Decoder[], all: readonly RedactPath[]) {
  const own = new Map<Decoder, readonly RedactPath[]>();
  for (const decoder of decoders) {
    const { redact: paths = [] } = decoder;
    if (paths.length > 0) own.set(decoder, [...all, ...paths.map(parseRedactPath)]);
  }
  return ({ decoder }: Reading): readonly RedactPath[] => (decoder === undefined ? all : (own.get(decoder) ?? all));
}

interface Prepared extends SentEvent {
  /** Without the brace that closes it. */
  readonly text: string;
  readonly session: string | undefined;
  readonly undecoded: string | undefined;
  readonly redacted: number;
  readonly note: string | undefined;
  readonly retry: true | undefined;
}

const SPOOFED = "the app's own $capture is kept as $capture_app";

interface Preparation {
  readonly exchange: Exchange;
  readonly redactPaths: readonly RedactPath[];
  readonly mayCut: boolean;
}

/** A text that is cut out of a body's keeps all of that in memory as long as it waits itself, so it should be most of it. */
function isMostlyEvents({ events, exchange: { text } }: Reading): boolean {
  let chars = 0;
  for (const { ownShape } of events) chars += ownShape?.text.length ?? 0;
  return chars > 0 && 2 * chars >= text.length;
}

/** Redacts and serialises events. One that cannot be (nested beyond the stack) becomes undecoded, with its reason. */
function prepare(events: readonly DecodedEvent[], { exchange, redactPaths, mayCut }: Preparation): Prepared[] {
  const prepared: Prepared[] = [];
  for (const event of events) {
    try {
      const cut = mayCut ? ownText(event, redactPaths) : undefined;
      prepared.push(cut === undefined ? serialised(event, redactPaths) : cutOut(event, cut));
    } catch (cause) {
      const why = `cannot be written: ${cause instanceof Error ? cause.message : String(cause)}`;
      for (const raw of rawEvent(exchange.body, why).events) prepared.push(serialised(raw, redactPaths));
    }
  }
  return prepared;
}

function cutOut({ session, id, undecoded, retry }: DecodedEvent, { open, redacted }: OpenText): Prepared {
  return { text: open, id, session, undecoded, redacted, note: undefined, retry };
}

function serialised(event: DecodedEvent, redactPaths: readonly RedactPath[]): Prepared {
  const { name, time, fields, session, id, undecoded, retry } = event;
  const own = clearReserved(fields);
  const whole: JsonObject = time === undefined ? { name, ...own } : { name, time, ...own };
  const { value, count } = redact(whole, redactPaths);
  const isSpoof = own !== fields && Object.hasOwn(fields, "$capture");
  return {
    text: stringifyJson(value).slice(0, -1),
    id,
    session,
    undecoded,
    redacted: count,
    note: isSpoof || Object.hasOwn(fields, "$capture_app") ? SPOOFED : undefined,
    retry,
  };
}

interface SharedMeta {
  /** From `at` to `request`, as JSON members. */
  readonly head: string;
  readonly exchange: Exchange;
  readonly note: string | undefined;
  readonly isCut: boolean;
}

/** What the records of one exchange have in common is written once. */
function sharedMeta({ exchange, format, note, isCut }: Reading): SharedMeta {
  const { id, arrivedAt, host, target } = exchange;
  const at = new Date(arrivedAt).toISOString();
  const head = `"at":"${at}","host":${quoted(host)},"path":${quoted(pathOf(target))},"format":${quoted(format)},"request":${quoted(id)}`;
  return { head, exchange, note, isCut };
}

interface Description {
  readonly shared: SharedMeta;
  readonly index: number;
  readonly retry: boolean;
}

function describe(event: Prepared, { shared, index, retry }: Description): UnnumberedRecord {
  return {
    before: `${event.text},"$capture":{"seq":`,
    after: `,${shared.head},"index":${index}${tailOf(event, shared, retry)}}}`,
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

function quoted(text: string): string {
  return JSON.stringify(text);
}

/** The path without its query; also of an absolute-form target. */
function pathOf(target: string): string {
  const path = target.startsWith("/") ? target : target.replace(/^[a-z][a-z0-9+.-]*:\/\/[^/?#]*/i, "");
  const end = path.search(/[?#]/);
  return (end < 0 ? path : path.slice(0, end)) || "/";
}
