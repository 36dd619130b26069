import type { DecodedEvent, Decoder } from "../decoders/decoder.ts";
import { clearReserved } from "../decoders/lift.ts";
import { rawEvent } from "../decoders/raw.ts";
import type { Exchange } from "../record/exchange.ts";
import { type JsonObject, stringifyJson } from "../record/json.ts";
import { describe, type Prepared, sharedMeta, type UnnumberedRecord } from "./description.ts";
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

export type { UnnumberedRecord } from "./description.ts";

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
      const retried = ledger === undefined ? [] : sentBefore(prepared, reading, ledger);
      const shared = sharedMeta(reading);
      return prepared.map((event, index) =>
        describe(event, { shared, index, retry: retried[index] === true || event.retry === true }),
      );
    },
  };
}

/**
 * Of each event whether it was sent before, as `ledger` knows. Of a body that was cut the broken event stays out of the
 * ledger: what is missing could be all in which two of them differ.
 */
function sentBefore(events: readonly Prepared[], { exchange, isCut }: Reading, ledger: RetryLedger): boolean[] {
  const whole = isCut ? events.filter(isDecoded) : events;
  const known = ledger.seen(exchange.id, ofRun(whole, exchange));
  if (whole.length === events.length) return known;
  let next = 0;
  return events.map((event) => isDecoded(event) && known[next++] === true);
}

function isDecoded({ undecoded }: Prepared): boolean {
  return undecoded === undefined;
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
