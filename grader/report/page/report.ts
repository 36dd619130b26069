import { basename, extname } from "node:path";
import type { Store } from "../../store/store.ts";
import type { Trial } from "../../trials/trial.ts";
import { type Collected, collect } from "./collect.ts";
import type { PageData } from "./data.ts";
import { historyOf } from "./history.ts";
import { pageDataOf } from "./page-data.ts";
import { scenarioTexts } from "./scenario-texts.ts";

export interface ReportOptions {
  /** Where the page will stand; heavy files go into a folder beside it. */
  readonly file: string;
  /** Most bytes of video and screenshots inside the page. */
  readonly embedLimit: number;
  readonly title?: string;
  /** ISO time. */
  readonly madeAt: string;
  /** The gate's rule, when it is known; else the batch in the database says it. */
  readonly gate?: string;
  /** Where earlier batches and the numbers of runs come from. */
  readonly store?: Store;
}

export interface Report {
  readonly data: PageData;
  readonly collected: Collected;
}

/** Most packed bytes of events in a page: with base64, a page of about 27 MB. */
const EVENTS_LIMIT = 20_000_000;

/** Gathers everything that a page of these runs shows, from their folders, the scenario files and the database. */
export async function prepareReport(trials: readonly Trial[], options: ReportOptions): Promise<Report> {
  const { file, embedLimit, title, madeAt, store } = options;
  const folder = `${basename(file, extname(file))}-files`;
  const [collected, scenarios] = await Promise.all([
    collect(trials, folder, { embedLimit, eventsLimit: EVENTS_LIMIT }),
    scenarioTexts(trials, store?.file),
  ]);
  const gate = options.gate ?? (store === undefined ? undefined : gateOf(trials, store));
  const data = pageDataOf({
    trials,
    madeAt,
    ...(title === undefined ? {} : { title }),
    ...(gate === undefined ? {} : { gate }),
    scenarios,
    attachments: collected.attachments,
    ...(store === undefined ? {} : { history: historyOf(trials, store), numbers: numbersOf(trials, store) }),
    notes: collected.notes,
  });
  return { data, collected };
}

/** The gate of the batch that all the runs are of, as its document has it. */
export function gateOf(trials: readonly Trial[], store: Store): string | undefined {
  const [batch, ...others] = new Set(trials.map(({ manifest }) => manifest.batch));
  if (batch === undefined || others.length > 0) return undefined;
  const document: unknown = JSON.parse(store.getBatch(batch)?.document ?? "null");
  const rule = (document as { gate?: { rule?: unknown } } | null)?.gate?.rule;
  return typeof rule === "string" ? rule : undefined;
}

/** The numbers of runs (`#12`), by the id of the launch. */
export function numbersOf(trials: readonly Trial[], store: Store): ReadonlyMap<string, number> {
  const ids = new Map(trials.flatMap(({ manifest, results }) => results.map(({ run }) => [run, manifest.id] as const)));
  const numbers = new Map<string, number>();
  for (const { id, number } of store.listRuns({ limit: 1_000_000 })) {
    const trial = ids.get(id);
    if (trial !== undefined) numbers.set(trial, number);
  }
  return numbers;
}
