import type { JsonObject } from "../../proxy/record/json.ts";
import type { RangeRule } from "./range.ts";
import type { Selection } from "./selection.ts";

/** Where a line stands: its file, its line there (from 1), its physical line in the series (from 0). */
export interface LinePlace {
  readonly file: string;
  readonly line: number;
  readonly record: number;
}

/** Takes what the graded range holds, in the order of its lines. */
export interface RangeSink {
  /** A newer capture begins: everything handed over so far is outside the range and forgotten. */
  restart(): void;
  event(event: JsonObject, place: LinePlace): void;
  tick(atMs: number): void;
  /** The writer says that its capture is over; a newer one, or records in spite of it, may still come. */
  stop?(): void;
  /** Something is missing or unreadable here. */
  gap(place: LinePlace, why: string): void;
  /** How events can be told that need not be handed over; absent when all are needed. */
  readonly selection?: Selection | undefined;
}

export interface IntakeOptions {
  readonly rule: RangeRule;
  readonly sink: RangeSink;
  /** The file that stands before the first one read and is not part of the range. */
  readonly fileBefore?: string;
  /** Physical lines of the series that stand before the first one read. */
  readonly recordsBefore?: number;
}

/** A place in words: `t-0.log:7`. */
export function whereIs({ file, line }: LinePlace): string {
  return `${file}:${line}`;
}
