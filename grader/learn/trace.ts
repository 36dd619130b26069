import type { JsonValue } from "../../proxy/record/json.ts";
import type { Picture } from "./pictures/compare.ts";
import type { Ruling } from "./pictures/looks.ts";

/** One scalar of an event, or one list of scalars, as facts are made of them. */
export interface Leaf {
  /** Where it stands, as a scenario writes it; inside a text that holds JSON, the way goes on into what it holds. */
  readonly path: string;
  /** Two leaves spell one value exactly when their keys are equal. */
  readonly key: string;
  readonly value: JsonValue;
  /** Path of the text that holds it and the keys from there on, when it stands inside a text. */
  readonly within?: { readonly path: string; readonly keys: readonly string[] };
}

/** One kind of event: all events of runs that are equal but for what varies without end (ids, times). */
export interface Item {
  readonly name: string;
  /** Sorted by path. */
  readonly leaves: readonly Leaf[];
  /** The event says that what it tells of did not work. */
  readonly failed: boolean;
  /** The event says whether it failed. */
  readonly tells: boolean;
  /** What came out of it, when it is a call with an answer. */
  readonly outcome: Leaf | undefined;
  /** It looks like a call: it has arguments or an answer. */
  readonly isCall: boolean;
  /** Whether the event itself says that it changes something. */
  readonly writes: boolean | undefined;
}

/** A run, distilled to what is learned from. */
export interface Trace {
  /** Index into the corpus's items, in the order of the events. */
  readonly items: readonly number[] | Int32Array;
  /** Event times in milliseconds; absent when the events carry no real time. */
  readonly times?: Float64Array;
  readonly params: ReadonlyMap<string, JsonValue>;
  /** Digest of the screenshot that shows the state an event led into, by the event's place; absent without screenshots. */
  readonly pictures?: ReadonlyMap<number, string>;
}

/** Runs, in an order that does not depend on how they were given. */
export interface Corpus {
  readonly items: readonly Item[];
  readonly traces: readonly Trace[];
  /** The screenshots of the runs, by digest, and what a judge said of them; absent when there are none. */
  readonly pictures?: readonly Picture[];
  readonly rulings?: readonly Ruling[];
}
