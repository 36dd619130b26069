import { readdirSync, statSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import { type Fault, WaymarkError } from "../../proxy/record/fault.ts";
import { addCounts, countNames } from "./count-names.ts";
import { Distiller } from "./distil.ts";
import { timeOf } from "./event-time.ts";
import { ShotBook } from "./pictures/of-run.ts";
import type { PictureReader } from "./pictures/read.ts";
import { type LocatedRun, type PartlyRead, readRun } from "./read-runs.ts";
import type { LearnState } from "./state.ts";

/** A run and its place among those that were named. */
export interface NumberedRun {
  readonly run: LocatedRun;
  readonly index: number;
}

/** What a thread makes of its runs: the same as is kept beside a learned scenario, and what it could not read of them. */
export type Distilled = Pick<LearnState, "corpus" | "endless" | "words"> & { readonly partly: readonly NumberedPart[] };

/** A run that was not read whole, and its place among those that were named. */
export interface NumberedPart {
  readonly index: number;
  readonly part: PartlyRead;
}

/** What a thread says: the names in its runs, then what came of them; an error is told with the place of its run. */
export type FromThread =
  | { readonly kind: "counted"; readonly counts: ReadonlyMap<string, number> }
  | { readonly kind: "done"; readonly distilled: Distilled }
  | { readonly kind: "failed"; readonly index: number; readonly message: string; readonly faults?: readonly unknown[] };

/** Reading stopped at a run. */
export interface Stopped {
  readonly index: number;
  readonly error: unknown;
}

/** How far reading came. */
export interface RunsRead {
  readonly stopped?: Stopped;
  readonly partly: readonly NumberedPart[];
}

/**
 * Reads runs into the distiller; memory does not hold their events. Half of long runs are distilled in a second thread,
 * which changes nothing in what is learned: the halves join as a run joins that is added later. Resolves with the runs
 * that were not read whole, in the order given. Throws what reading the first run (in that order) that cannot be read throws.
 */
export async function takeRuns(
  distiller: Distiller,
  runs: readonly LocatedRun[],
  reader?: PictureReader,
): Promise<readonly PartlyRead[]> {
  const shares = shareOut(runs, reader !== undefined);
  if (shares.away.length === 0) {
    const { stopped, partly } = await distilRuns(distiller, shares.here, reader);
    throwFirst([stopped]);
    return partly.map(({ part }) => part);
  }
  const guessed = await distilTogether(shares, reader, true);
  const whole = guessed.isAsExpected ? guessed : await distilTogether(shares, reader, false);
  distiller.restore(whole.corpus, whole.endless, whole.words);
  return [...whole.partly].sort((a, b) => a.index - b.index).map(({ part }) => part);
}

type Shares = Record<"here" | "away", readonly NumberedRun[]>;

/**
 * Distils in two threads. When it counts first, it goes by the numbers of events from the start: of names that come often
 * little has to be held until their number is known (ten runs of 100,000 events that vary: half the time and memory).
 */
async function distilTogether(
  { here, away }: Shares,
  reader: PictureReader | undefined,
  countsFirst: boolean,
): Promise<Distilled & { readonly isAsExpected: boolean }> {
  const distiller = new Distiller();
  const thread = startThread(away, countsFirst);
  if (countsFirst) {
    const counts = addCounts(countRuns(here), await thread.counted);
    thread.expect(counts);
    distiller.expect(counts);
  }
  const own = await distilRuns(distiller, here, reader);
  const answer = await thread.answer;
  throwFirst([own.stopped, "index" in answer ? answer : undefined]);
  if (!("index" in answer)) distiller.restore(answer.corpus, answer.endless, answer.words);
  const { endless, words, isAsExpected } = distiller;
  const partly = "index" in answer ? own.partly : [...own.partly, ...answer.partly];
  return { corpus: distiller.corpus(), endless, words, isAsExpected, partly };
}

function throwFirst(stops: readonly (Stopped | undefined)[]): void {
  const [first] = stops.flatMap((stop) => stop ?? []).sort((a, b) => a.index - b.index);
  if (first !== undefined) throw first.error;
}

/** Names in the logs of runs, as far as they are plain files. */
export function countRuns(runs: readonly NumberedRun[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const { run } of runs) {
    if (statSync(run.log, { throwIfNoEntry: false })?.isFile() === true) countNames(run.log, counts);
  }
  return counts;
}

/** Distils one run after the other, until one cannot be read. */
export async function distilRuns(
  distiller: Distiller,
  runs: readonly NumberedRun[],
  reader?: PictureReader,
): Promise<RunsRead> {
  const partly: NumberedPart[] = [];
  for (const { run, index } of runs) {
    const open = distiller.open();
    const hasShots = reader !== undefined && run.shots.length > 0;
    const book = new ShotBook(hasShots ? run.shots : []);
    try {
      const part = await readRun(run, (event) => {
        open.event(event);
        if (hasShots && typeof event["name"] === "string") book.event(event, timeOf(event));
      });
      if (part !== undefined) partly.push({ index, part });
      open.end(run.params, hasShots ? await book.read(reader) : undefined);
    } catch (error) {
      return { stopped: { index, error }, partly };
    }
  }
  return { partly };
}

/** Below this a second thread costs more than it saves. */
const LONG_BYTES = 32e6;

/** Halves by size, the longest first; runs with screenshots and what is no plain file or folder (stdin) stay here. */
function shareOut(runs: readonly LocatedRun[], hasReader: boolean): Shares {
  const sized = runs.map((run, index) => ({ run, index, bytes: sizeOf(run.log) }));
  const total = sized.reduce((sum, { bytes = 0 }) => sum + bytes, 0);
  if (total < LONG_BYTES || availableParallelism() < 2) return { here: sized, away: [] };
  const [here, away]: [NumberedRun[], NumberedRun[]] = [[], []];
  let ahead = 0;
  for (const one of [...sized].sort((a, b) => (b.bytes ?? 0) - (a.bytes ?? 0) || a.index - b.index)) {
    const { run, bytes } = one;
    const mustStay = bytes === undefined || (hasReader && run.shots.length > 0);
    const stays = mustStay || ahead <= 0;
    (stays ? here : away).push(one);
    ahead += (stays ? 1 : -1) * (bytes ?? 0);
  }
  const inOrder = (list: NumberedRun[]) => list.sort((a, b) => a.index - b.index);
  return { here: inOrder(here), away: inOrder(away) };
}

/** Bytes of a log, or of the files of a folder; undefined for what is neither. */
function sizeOf(log: string): number | undefined {
  const stat = statSync(log, { throwIfNoEntry: false });
  if (stat?.isFile() === true) return stat.size;
  if (stat?.isDirectory() !== true) return undefined;
  return readdirSync(log).reduce((sum, name) => {
    const inner = statSync(join(log, name), { throwIfNoEntry: false });
    return sum + (inner?.isFile() === true ? inner.size : 0);
  }, 0);
}

/** What is read dies young; a small nursery is as fast and keeps both threads together small. */
const YOUNG_MB = 16;

/** What the second thread is given. */
export interface ThreadOrder {
  readonly runs: readonly NumberedRun[];
  /** It tells the names in its runs, and waits for the numbers of all, before it begins. */
  readonly countsFirst: boolean;
}

interface Thread {
  readonly counted: Promise<ReadonlyMap<string, number>>;
  readonly answer: Promise<Distilled | Stopped>;
  expect(counts: ReadonlyMap<string, number>): void;
}

/** Its promises never reject: an error of the thread itself counts as one of its first run. */
function startThread(runs: readonly NumberedRun[], countsFirst: boolean): Thread {
  const script = new URL(import.meta.url.endsWith(".ts") ? "./run-thread.ts" : "./run-thread.js", import.meta.url);
  const plain = runs.map(({ run: { name, log, params }, index }) => ({ run: { name, log, params, shots: [] }, index }));
  const workerData: ThreadOrder = { runs: plain, countsFirst };
  const worker = new Worker(script, { workerData, resourceLimits: { maxYoungGenerationSizeMb: YOUNG_MB } });
  let tellCounts: (counts: ReadonlyMap<string, number>) => void = () => undefined;
  const counted = new Promise<ReadonlyMap<string, number>>((resolve) => {
    tellCounts = resolve;
  });
  const answer = new Promise<Distilled | Stopped>((resolve) => {
    const die = (error: unknown): void => {
      tellCounts(new Map());
      resolve({ index: runs[0]?.index ?? 0, error });
    };
    worker.on("message", (message: FromThread) => {
      if (message.kind === "counted") tellCounts(message.counts);
      else if (message.kind === "done") resolve(message.distilled);
      else resolve({ index: message.index, error: errorOf(message) });
    });
    worker.once("error", die);
    worker.once("exit", (code) => die(new Error(`the thread that reads runs ended (${code})`)));
  });
  return { counted, answer, expect: (counts) => worker.postMessage(counts) };
}

function errorOf({ message, faults }: Extract<FromThread, { kind: "failed" }>): Error {
  return faults === undefined ? new Error(message) : new WaymarkError(faults as readonly Fault[]);
}
