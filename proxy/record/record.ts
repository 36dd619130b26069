import type { JsonObject, JsonValue } from "./json.ts";

/** What the proxy knows about one event, kept under `$capture` beside the event's own fields (docs/record-format.md). */
export interface CaptureMeta {
  /** 1, 2, 3... within the capture, no gap, no repeat. */
  readonly seq: number;
  /** When the request arrived, ISO 8601 with milliseconds. */
  readonly at: string;
  readonly host: string;
  /** Path without its query. */
  readonly path: string;
  /** Name of the decoder that read the event. */
  readonly format: string;
  /** Id of the request that carried the event; the events of one request share it. */
  readonly request: string;
  /** Place of the event in its request, from 0. */
  readonly index: number;
  /** The format's own session or trace id, when it has one. */
  readonly session?: string;
  /** The run this event belongs to, when one proxy serves several. */
  readonly run?: string;
  /** The upstream's answer, when it was no success. */
  readonly status?: number;
  /** The same event was seen before: an SDK sent it again. */
  readonly retry?: true;
  /** Why no decoder could read the body. */
  readonly undecoded?: string;
  /** The body was cut: it was over a cap, or its sender went away. */
  readonly truncated?: true;
  /** How many values were redacted before writing. */
  readonly redacted?: number;
  /** What was odd about the body although it could be read, such as a wrong Content-Encoding. */
  readonly note?: string;
}

/** One application event as one NDJSON line. */
export interface TelemetryRecord extends JsonObject {
  readonly name: string | null;
  readonly $capture: CaptureMeta & JsonObject;
}

export type ControlKind = "start" | "stop" | "loss" | "tick";

/** A line about the capture itself; it is no event, has no `seq` and never matches. */
export interface ControlRecord {
  readonly name: null;
  readonly $capture: { readonly control: ControlKind; readonly at: string } & JsonObject;
}

/** Version of the record format, written into every `start` line. Readers accept this and older ones. */
export const RECORD_FORMAT = 1;

/** What kind of line a parsed value is. `other` is valid JSON that is no object: counted, never an event. */
export type LineKind = "event" | "control" | "undecoded" | "other";

const CONTROLS: ReadonlySet<unknown> = new Set<ControlKind>(["start", "stop", "loss", "tick"]);

/**
 * Tells events from control lines and from bodies nobody could decode. A control line has the name null and one of the
 * four control words; an undecoded one says why in words. Every other object is an event, whatever `$capture` it has.
 */
export function kindOf(value: JsonValue): LineKind {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return "other";
  const meta = (value as JsonObject)["$capture"];
  if (typeof meta !== "object" || meta === null || Array.isArray(meta)) return "event";
  const fields = meta as JsonObject;
  if ((value as JsonObject)["name"] === null && CONTROLS.has(fields["control"])) return "control";
  const why = fields["undecoded"];
  return typeof why === "string" && why !== "" ? "undecoded" : "event";
}
