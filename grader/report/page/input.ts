import type { Trial } from "../../trials/trial.ts";
import type { PageBatch, PageMedia } from "./data.ts";

/** What `pageDataOf` makes a page of; files have been looked at before, so that it is a pure function. */
export interface PageInput {
  /** In any order. */
  readonly trials: readonly Trial[];
  /** ISO time. */
  readonly madeAt: string;
  readonly title?: string;
  /** The gate the runs were held against, as written: `all`, `4/5`; without one the page shows none. */
  readonly gate?: string;
  /** Texts of the scenarios, as far as they could be read. */
  readonly scenarios?: readonly ScenarioText[];
  /** Numbers of runs (`#12`), by the id of the launch. */
  readonly numbers?: ReadonlyMap<string, number>;
  readonly history?: readonly PageBatch[];
  /** What was found in the folders of runs, by the id of the launch. */
  readonly attachments?: ReadonlyMap<string, Attachments>;
  readonly notes?: readonly string[];
}

/** A scenario as its file has it now. */
export interface ScenarioText {
  readonly name: string;
  /** Of the file as it is now; runs may have been graded by another. */
  readonly sha256: string;
  readonly title?: string;
  readonly description?: string;
  readonly text: string;
  /** By marker name. */
  readonly withinMs: ReadonlyMap<string, number>;
  readonly optional: ReadonlySet<string>;
  readonly mutation?: ReadonlyMap<string, { readonly noticed: number; readonly of: number }>;
}

/** What a run's folder adds to its page. */
export interface Attachments {
  /** Names of the log's files, in order; the positions the chunk uses. */
  readonly files: readonly string[];
  readonly eventsChunk?: string;
  readonly eventsWhy?: string;
  readonly processChunk?: string;
  readonly media: readonly (Omit<PageMedia, "at_ms"> & { readonly at?: string })[];
  /** ISO times of events by `FILE:LINE`, the file as its position in `files`. */
  readonly times: ReadonlyMap<string, string>;
  /** Values redacted in the log; absent when nobody counted. */
  readonly redacted?: number;
}
