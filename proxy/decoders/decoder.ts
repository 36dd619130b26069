import type { Exchange } from "../record/exchange.ts";
import type { JsonObject } from "../record/json.ts";

/** A request whose body, and whose answer's body when there is one, has been inflated; what decoders look at. */
export interface DecodableExchange extends Omit<Exchange, "body"> {
  /** The body without its content coding. */
  readonly body: Uint8Array;
  /** Bytes are missing at the body's end, on the wire or inside its content coding. */
  readonly truncated: boolean;
  /** The body as text (UTF-8), made once and shared by all decoders. */
  readonly text: string;
}

/** What is known of a request before its body is looked at. */
export type RequestHead = Pick<Exchange, "method" | "host" | "port" | "target" | "headers">;

/** A JSON text and the object that was parsed from it. */
export interface ParsedText {
  readonly text: string;
  readonly value: JsonObject;
}

/** One application event, lifted out of a request. The fields become the record's own, beside `$capture`. */
export interface DecodedEvent {
  readonly name: string | null;
  /** ISO 8601, when the format carries an event time that can be read. */
  readonly time?: string;
  /** All of the event's own fields except `name` and `time`; `data` among them when the event has properties. */
  readonly fields: JsonObject;
  /** The format's own session or trace id. */
  readonly session?: string;
  /**
   * The event's own id, when the format promises that it stays the same when the event is sent again and that no other
   * event has it. An id seen before marks the record as a retry; without one, equal bytes after a failed delivery do.
   */
  readonly id?: string;
  /** The request says itself that it is sent again (a retry count in its headers). */
  readonly retry?: true;
  /** Set for a part of the body that is no readable event; the record then says why. */
  readonly undecoded?: string;
  /**
   * What the event was parsed from, when its record has just those members: `name`, `time` where it has one, and `fields`.
   * The record can then be cut from the text instead of being written anew.
   */
  readonly ownShape?: ParsedText;
}

export interface Decoded {
  readonly events: readonly DecodedEvent[];
  /** What was odd although the body could be read. */
  readonly note?: string;
  /** The body's own framing shows that its end is there; otherwise a cut body is taken to miss events. */
  readonly complete?: true;
}

/** What `--sink` answers an SDK. */
export interface SinkContent {
  readonly status: number;
  readonly contentType: string;
  readonly body: string;
  /** The connection is kept open behind the body, as that of an event stream is. */
  readonly stays?: true;
}

/**
 * Reads one telemetry format. To add one: a file beside this one and a line in index.ts; the contract suite in
 * test/contract covers it from then on. Pure: no clock, no file, no network.
 */
export interface Decoder {
  /** Written into `$capture.format`. */
  readonly name: string;
  /** Hosts known to carry this format, such as `*.events.data.microsoft.com`; they are intercepted by default. */
  readonly hosts: readonly string[];
  /** The file it came from, when it is a user's own; whatever such a one throws is counted. */
  readonly origin?: string;
  /** From 0 (not mine) to 1 (certain), from path and shape, never from the content type alone. */
  score(exchange: DecodableExchange): number;
  /** Reads the events in wire order. May throw on a body it does not understand; the pipeline then records it raw. */
  decode(exchange: DecodableExchange): Decoded;
  /**
   * True when events stand in the answer to this request: its body is then kept, within bounds, and handed to `decode` as
   * `exchange.response`, and the exchange is recorded when the answer has ended. Asked for every request, so it has to be
   * quick; all other answers are never held.
   */
  wantsAnswer?(request: RequestHead): boolean;
  /** Reads bodies of any kind; not asked where a decoder of a format is sure, unless that fails. */
  readonly isGeneric?: true;
  /** Further places to redact in this format's records, as `--redact` takes them. */
  readonly redact?: readonly string[];
  /** The body and status that keep the format's SDK content in `--sink` mode; undefined for a plain 200. */
  sinkAnswer?(exchange: DecodableExchange, eventCount: number): SinkContent;
}
