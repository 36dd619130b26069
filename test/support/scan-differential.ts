import assert from "node:assert/strict";
import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Readable } from "node:stream";
import { isMainThread, parentPort, Worker, workerData } from "node:worker_threads";
import { Panel, type Seat, type SeatOutcome, seatScenarios } from "../../grader/panel.ts";
import { Intake, type RangeSink } from "../../grader/read/intake.ts";
import { type OpenFile, openFile } from "../../grader/read/open-file.ts";
import { parseLine } from "../../grader/read/parse.ts";
import type { RangeRule } from "../../grader/read/range.ts";
import { SeriesReader } from "../../grader/read/reader.ts";
import { ScanAhead } from "../../grader/read/scan-ahead.ts";
import { StreamFile } from "../../grader/read/stream-file.ts";
import type { RangeSummary } from "../../grader/read/tally.ts";
import { type HostileCase, hostileCase } from "./hostile-logs.ts";
import { longCase } from "./long-logs.ts";
import { type ScenarioJson, scenarioFrom } from "./scenario-from-json.ts";

/** What grading one log gave, and how many events were passed without being parsed. */
export interface Graded {
  readonly outcome: { readonly summary: RangeSummary; readonly outcomes: readonly SeatOutcome[] };
  readonly passed: number;
  /** Blocks that the grading thread read itself. */
  readonly reads: number;
}

export type Gradable = Pick<HostileCase, "blockBytes" | "lineBytes"> & { readonly seats: readonly Seat[] };

/** The scenarios, compiled. */
export function seated(scenarios: readonly ScenarioJson[]): readonly Seat[] {
  return seatScenarios(
    scenarios.map((json) => ({ scenario: scenarioFrom(json) })),
    new Map(),
  );
}

export interface GradeOptions {
  /** In mode `plain` every line is parsed. */
  readonly mode: "plain" | "scan" | "quick";
  readonly rule: RangeRule;
  readonly helpers?: number;
  /** The bytes come as from a pipe, in chunks of these lengths by turns. */
  readonly chunks?: readonly number[];
}

/** Grades the log in the file, or in files that follow each other. */
export async function gradeLog(
  files: string | readonly string[],
  one: Gradable,
  options: GradeOptions,
): Promise<Graded> {
  const panel = new Panel(one.seats);
  let passed = 0;
  let reads = 0;
  const { helpers = 0 } = options;
  const { selection } = panel;
  const sink: RangeSink = {
    restart: () => panel.restart(),
    event: (event, place) => panel.event(event, place),
    tick: (atMs) => panel.tick(atMs),
    gap: (place, why) => panel.gap(place, why),
    ...(selection === undefined || options.mode === "plain"
      ? {}
      : {
          selection: {
            keys: selection.keys,
            interests: (name, isLarge) => selection.interests(name, isLarge),
            get generation() {
              return selection.generation;
            },
            get numberTimes() {
              return selection.numberTimes;
            },
            pass: (event, place) => {
              passed += 1;
              selection.pass(event, place);
            },
            passRun: (run, last) => {
              passed += run.events;
              selection.passRun(run, last);
            },
          },
        }),
  };
  const intake = new Intake({ rule: options.rule, sink });
  const reader = new SeriesReader(intake, {
    lineBytes: one.lineBytes,
    blockBytes: one.blockBytes,
    isQuick: options.mode === "quick",
    startAhead: helpers === 0 ? undefined : (wish) => ScanAhead.start(helpers, wish),
    open: async (name) => {
      if (options.chunks !== undefined)
        return new StreamFile(Readable.from(inChunks(readFileSync(name), options.chunks)), name);
      const file = await openFile(name);
      // These files are small and read in tiny blocks: the threads that Node reads with would take longer.
      const readNow: OpenFile["readNow"] = (into, position) => {
        reads += 1;
        return file.readNow(into, position);
      };
      return { ...file, readNow, read: async (into, position) => readNow(into, position) };
    },
  });
  reader.extend(typeof files === "string" ? [{ file: files }] : files.map((file, index) => ({ file, index })));
  await reader.drain();
  await reader.close();
  const summary = intake.finish();
  const end = summary.cut === undefined ? { kind: "complete" as const } : { kind: "cut" as const, why: summary.cut };
  return { outcome: { summary, outcomes: panel.finish(end) }, passed, reads };
}

function* inChunks(bytes: Buffer, lengths: readonly number[]): Generator<Buffer> {
  for (let at = 0, turn = 0; at < bytes.length; turn++) {
    const end = at + (lengths[turn % lengths.length] ?? 1);
    yield bytes.subarray(at, end);
    at = end;
  }
}

const RULES: readonly RangeRule[] = [
  { kind: "all" },
  { kind: "newest" },
  { kind: "since", sinceMs: Date.parse("2026-01-01T00:00:05Z") },
];

/** The outcome without the number of lines that were taken for readable. */
export function withoutUnchecked({ summary, outcomes }: Graded["outcome"]): Graded["outcome"] {
  const { linesUnchecked: _, ...known } = summary;
  return { summary: known, outcomes };
}

/** The lines of a log that can be read; each line break stays. */
function readable(log: Buffer, lineBytes: number): Buffer {
  const kept: Buffer[] = [];
  for (let start = 0; start < log.length; ) {
    const end = log.indexOf(10, start) === -1 ? log.length : log.indexOf(10, start) + 1;
    const isBom = start === 0 && log.subarray(0, 3).equals(Buffer.from("\ufeff"));
    const last = log[end - 1] === 10 ? end - 1 : end;
    const isBad = parseLine(log, isBom ? 3 : start, last).kind === "bad" || last - start > lineBytes;
    if (!isBad) kept.push(log.subarray(start, end));
    start = end;
  }
  return Buffer.concat(kept);
}

/** Which logs to compare, and a folder for them. */
export interface Seeds {
  readonly first: number;
  readonly count: number;
  readonly folder: string;
  /** Logs with a few very long lines. */
  readonly areLong?: boolean;
}

/** How many events were passed, and how many lines were taken for readable, in all. */
export interface Compared {
  readonly passed: number;
  readonly unchecked: number;
}

/**
 * Grades the hostile log of each seed by scan and by parsing every line, and its readable lines quickly too. Rejects where
 * they differ. Runs in a thread of its own, where nothing follows each promise as the test runner does.
 */
export async function compareScans(seeds: Seeds): Promise<Compared> {
  const worker = new Worker(new URL(import.meta.url), { workerData: { compareScans: seeds } });
  const [compared] = (await once(worker, "message")) as [Compared];
  return compared;
}

async function compareAll({ first, count, folder, areLong }: Seeds): Promise<Compared> {
  const totals = { passed: 0, unchecked: 0 };
  for (let seed = first; seed < first + count; seed++) {
    const { passed, unchecked } = await compareOne(seed, join(folder, "hostile.log"), areLong ? longCase : hostileCase);
    totals.passed += passed;
    totals.unchecked += unchecked;
  }
  return totals;
}

/** One log in so many is also read by several threads, whose start takes longer than all the rest. */
const THREADED = 25;
/** One in so many comes from a stream too. */
const STREAMED = 5;

async function compareOne(seed: number, file: string, caseOf: typeof hostileCase): Promise<Compared> {
  const { log, scenarios, blockBytes, lineBytes } = caseOf(seed);
  const one: Gradable = { seats: seated(scenarios), blockBytes, lineBytes };
  const rule = RULES[seed % RULES.length] ?? { kind: "all" };
  writeFileSync(file, log);
  const fast = await gradeLog(file, one, { mode: "scan", rule });
  const plain = await gradeLog(file, one, { mode: "plain", rule });
  assert.deepEqual(fast.outcome, plain.outcome, `seed ${seed}: ${JSON.stringify(scenarios)}`);
  if (seed % THREADED === 0) {
    const shared = await gradeLog(file, one, { mode: "scan", rule, helpers: 2 });
    assert.deepEqual(shared.outcome, plain.outcome, `seed ${seed} by three threads`);
  }
  if (seed % STREAMED === 0) {
    const chunks = [1 + (seed % 97), blockBytes, 1 + (seed % (3 * blockBytes))];
    const streamed = await gradeLog(file, one, { mode: "scan", rule, chunks });
    assert.deepEqual(streamed.outcome, plain.outcome, `seed ${seed} from a stream in chunks of ${chunks.join(", ")}`);
  }
  const clean = readable(log, lineBytes);
  if (!clean.equals(log)) writeFileSync(file, clean);
  const quick = await gradeLog(file, one, { mode: "quick", rule });
  const whole = clean.equals(log) ? plain : await gradeLog(file, one, { mode: "plain", rule });
  assert.deepEqual(withoutUnchecked(quick.outcome), whole.outcome, `readable lines of seed ${seed}`);
  if (seed % THREADED === 0) {
    const shared = await gradeLog(file, one, { mode: "quick", rule, helpers: 2 });
    assert.deepEqual(shared.outcome, quick.outcome, `readable lines of seed ${seed} by three threads`);
  }
  return { passed: fast.passed, unchecked: quick.outcome.summary.linesUnchecked ?? 0 };
}

const { compareScans: asked } = (isMainThread ? {} : (workerData ?? {})) as { readonly compareScans?: Seeds };
if (asked !== undefined) parentPort?.postMessage(await compareAll(asked));
