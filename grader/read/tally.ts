import type { LinePlace } from "./intake.ts";
import { describeRange, type RangeRule } from "./range.ts";

/** What reading a range found, beside its events. */
export interface RangeSummary {
  /** The range in words, for every output. */
  readonly range: string;
  /** The files the range lies in, in order. */
  readonly files: readonly string[];
  readonly events: number;
  readonly undecoded: number;
  readonly linesBad: number;
  /** Lines taken for readable; absent when every line was read. */
  readonly linesUnchecked?: number;
  /** The first 100 bad lines; `linesBad` counts all. */
  readonly badLines: readonly { readonly file: string; readonly line: number; readonly why: string }[];
  /** Why the evidence is not whole; undefined when nothing says so. */
  readonly cut?: string;
}

const MAX_BAD_LISTED = 100;

/** Counts what a range holds, and keeps the first reason why its evidence is not whole. */
export class RangeTally {
  events = 0;
  undecoded = 0;
  unchecked = 0;
  /** `at` of the `start` line the range begins with. */
  startedAt: string | undefined;
  /** The last line that was no whole JSON, as long as nothing readable came after it. */
  tornAt: LinePlace | undefined;
  cut: string | undefined;
  readonly #files: string[] = [];
  readonly #firstLine: number;
  readonly #badLines: { file: string; line: number; why: string }[] = [];
  #linesBad = 0;

  /** `first`: the line the range begins with, when that is not the first of its file. */
  constructor(first?: LinePlace) {
    this.#firstLine = first?.line ?? 1;
    if (first !== undefined) this.#files.push(first.file);
  }

  addFile(file: string): void {
    this.#files.push(file);
  }

  /** The file opened last holds nothing of the range. */
  dropLastFile(): void {
    this.#files.pop();
  }

  bad(place: LinePlace, why: string): void {
    this.#linesBad++;
    if (this.#badLines.length < MAX_BAD_LISTED) this.#badLines.push({ file: place.file, line: place.line, why });
  }

  summary(rule: RangeRule): RangeSummary {
    const { events, undecoded, unchecked, tornAt, startedAt } = this;
    const torn = tornAt === undefined ? undefined : `${tornAt.file} ends inside a record (line ${tornAt.line})`;
    const cut = this.cut ?? torn;
    const facts = { rule, files: this.#files, firstLine: this.#firstLine };
    return {
      range: describeRange({ ...facts, ...(startedAt === undefined ? {} : { startedAt }) }),
      files: this.#files,
      events,
      undecoded,
      linesBad: this.#linesBad,
      ...(unchecked === 0 ? {} : { linesUnchecked: unchecked }),
      badLines: this.#badLines,
      ...(cut === undefined ? {} : { cut }),
    };
  }
}
