import type { JsonValue } from "../record/json.ts";

/** Codings that can be taken off a value, in the order in which they are named. */
export type Coding = "base64" | "gzip" | "url" | "json";
/** Unit of an epoch time; without one it is told by its size. */
export type TimeUnit = "s" | "ms" | "us" | "ns";

/** Where a value stands. */
export type Source =
  /** A JSONPath from the event, or from the whole body (of NDJSON: from the line). */
  | { readonly kind: "event" | "body"; readonly path: string }
  | { readonly kind: "query" | "form" | "header"; readonly name: string }
  /** The body's own text. */
  | { readonly kind: "text" }
  | { readonly kind: "value"; readonly value: JsonValue };

export interface ValuePlace {
  readonly from: Source;
  readonly decode: readonly Coding[];
  readonly unit?: TimeUnit;
}

/** What a place of the body has to hold: a kind of value, or just this one. */
export type Shape =
  | { readonly kind: "type"; readonly type: ShapeType }
  | { readonly kind: "is"; readonly value: JsonValue };
export type ShapeType = "object" | "list" | "text" | "number" | "boolean" | "any";

/** What a request has to be like; all that is given has to hold, of a list one. */
export interface FormatMatch {
  readonly hosts: readonly string[];
  readonly paths: readonly string[];
  /** RE2 syntax, found anywhere in the path. */
  readonly pathExpression?: string;
  readonly methods: readonly string[];
  readonly contentTypes: readonly string[];
  readonly query: readonly (readonly [name: string, glob: string])[];
  readonly headers: readonly (readonly [name: string, glob: string])[];
  readonly shape: readonly (readonly [path: string, shape: Shape])[];
}

export interface FormatSink {
  readonly status: number;
  readonly contentType: string;
  /** `{events}` in it stands for how many events were read. */
  readonly body: string;
}

/** One format as a user describes it. Plain data, so that it can be sent to another thread. */
export interface FormatSpec {
  readonly name: string;
  readonly file: string;
  readonly match: FormatMatch;
  readonly body:
    | { readonly kind: "json" }
    | { readonly kind: "ndjson" }
    | { readonly kind: "form" }
    | { readonly kind: "query" }
    | { readonly kind: "from"; readonly place: ValuePlace; readonly isLines: boolean };
  /** JSONPath to the events in the body; absent: its items when it is a list, else itself. */
  readonly events?: string;
  readonly eventName: ValuePlace;
  readonly time?: ValuePlace;
  readonly data?: ValuePlace;
  readonly session?: ValuePlace;
  readonly id?: ValuePlace;
  readonly fields: readonly (readonly [name: string, place: ValuePlace])[];
  readonly redact: readonly string[];
  readonly sink?: FormatSink;
}
