import { closeSync, existsSync, openSync, readFileSync, readSync, statSync } from "node:fs";
import { join } from "node:path";
import { waymarkError } from "../../proxy/record/fault.ts";
import { isObject, type JsonObject, type JsonValue, parseJson } from "../../proxy/record/json.ts";
import { findLogs, readSeries } from "../index.ts";
import type { LinePlace } from "../read/range-sink.ts";
import type { RangeSummary } from "../read/tally.ts";
import { DEFAULT_LIMITS } from "../scenario/ast.ts";
import { placesIn } from "../trials/folder.ts";
import { selectTrials, type TrialSources } from "../trials/select.ts";
import { timeOf } from "./event-time.ts";
import { type Shot, ShotBook, shotsBeside, shotsOfManifest } from "./pictures/of-run.ts";
import type { PictureReader } from "./pictures/read.ts";
import type { HeldRun } from "./predict.ts";

/** A run that can be read: its log (a file, or the folder of a series) and the parameters of its goal. */
export interface LocatedRun {
  readonly name: string;
  /** Its id, when it was found in the store and can be named, labelled and left out. */
  readonly id?: string;
  readonly log: string;
  readonly params: ReadonlyMap<string, JsonValue>;
  /** Its screenshots: those its manifest names, or the pictures beside a log. */
  readonly shots: readonly Shot[];
}

/**
 * The runs that words name: logs and folders of logs, folders of runs, or stored runs (`good`, `latest`, `batch:ID`, an
 * id; see `selectTrials`) when there is a store. Throws `WM_RUN_NOT_FOUND` for a word that leads nowhere.
 */
export async function locateRuns(words: readonly string[], sources?: TrialSources): Promise<readonly LocatedRun[]> {
  const located: LocatedRun[] = [];
  for (const word of words) {
    if (word === "-") located.push(...(await inLogs(word)));
    else if (isRunFolder(word)) located.push(inFolder(word));
    else if (existsSync(word) || /[*?{]/.test(word)) located.push(...(await inLogs(word)));
    else located.push(...(await stored(word, sources)));
  }
  const seen = new Set<string>();
  return located.filter(({ log }) => !seen.has(log) && seen.add(log));
}

function isRunFolder(path: string): boolean {
  return existsSync(placesIn(path).manifest);
}

function inFolder(folder: string): LocatedRun {
  const { manifest, telemetry } = placesIn(folder);
  const body = parseJson(readFileSync(manifest, "utf8"));
  const params = isObject(body) && isObject(body["params"]) ? body["params"] : {};
  const shots = isObject(body) ? shotsOfManifest(folder, body) : [];
  return { name: folder, log: telemetry, params: new Map(Object.entries(params)), shots };
}

/** A file is a run; of a folder or a glob each series is one. */
async function inLogs(word: string): Promise<readonly LocatedRun[]> {
  const { series } = await findLogs([word]);
  return series.map(({ label, segments }) => {
    const log = series.length === 1 && !/[*?{]/.test(word) ? word : (segments[0]?.file ?? label);
    return { name: label, log, params: headerParams(segments[0]?.file), shots: shotsBeside(log) };
  });
}

async function stored(word: string, sources: TrialSources | undefined): Promise<readonly LocatedRun[]> {
  if (sources === undefined)
    throw waymarkError("WM_RUN_NOT_FOUND", `"${word}" is neither a log nor a run's folder, and no run is stored here`);
  const trials = await selectTrials([word], sources);
  return trials.map(({ manifest, folder, results }) => {
    if (folder !== undefined) return { ...inFolder(folder), name: manifest.id, id: manifest.id };
    const log = results[0]?.log;
    if (log === undefined)
      throw waymarkError("WM_RUN_NOT_FOUND", `the log of run ${manifest.id} is not known any more`);
    return { name: manifest.id, id: manifest.id, log, params: headerParams(log), shots: [] };
  });
}

const HEADER_BYTES = 65_536;

/** Parameters that the first line of a log declares: a control line with `params`, or an object of nothing else. */
function headerParams(file: string | undefined): ReadonlyMap<string, JsonValue> {
  if (file === undefined || statSync(file, { throwIfNoEntry: false })?.isFile() !== true) return new Map();
  const handle = openSync(file, "r");
  try {
    const bytes = Buffer.alloc(HEADER_BYTES);
    const [line = ""] = bytes.subarray(0, readSync(handle, bytes)).toString("utf8").split("\n", 1);
    return paramsIn(line);
  } finally {
    closeSync(handle);
  }
}

/** Parameters in the text of a header line; none when it is an event, or no header. */
export function paramsIn(line: string): ReadonlyMap<string, JsonValue> {
  try {
    const header = parseJson(line);
    if (!isObject(header) || typeof header["name"] === "string") return new Map();
    const capture = isObject(header["$capture"]) ? header["$capture"] : {};
    const params = capture["params"] ?? header["params"];
    return new Map(isObject(params) ? Object.entries(params) : []);
  } catch {
    return new Map();
  }
}

/** A run whose log does not show all that happened. */
export interface PartlyRead {
  readonly run: string;
  /** Places at which something is missing: lines and bodies that cannot be read, records that were lost. */
  readonly gaps: number;
  readonly first?: { readonly file: string; readonly line: number; readonly why: string };
  /** Why its log is not whole, as a grade says it. */
  readonly cut?: string;
}

/**
 * Reads the events of a run, as grading would: the newest capture of a series, the capture a named file begins with.
 * Resolves with what of its log could not be read; undefined when all could. Throws what reading throws, and
 * `WM_LEARN_NO_RUNS` for a run without a single event that has a name.
 */
export async function readRun(
  { name, id, log }: LocatedRun,
  take: (event: JsonObject) => void,
): Promise<PartlyRead | undefined> {
  const { series } = await findLogs([log]);
  let events = 0;
  const missing = new Missing(name);
  for (const one of series) {
    const summary = await readSeries(one, {
      rule: one.isNamedFile ? { kind: "from file" } : { kind: "newest" },
      lineBytes: DEFAULT_LIMITS.lineBytes,
      sink: {
        restart: () => missing.restart(),
        tick: () => undefined,
        gap: (place, why) => missing.gap(place, why),
        event(event) {
          if (typeof event["name"] === "string") events++;
          take(event);
        },
      },
    });
    missing.end(summary);
  }
  if (events > 0) return missing.found();
  const isStream = series.some(({ kind }) => kind === "stream");
  const fix = isStream
    ? "A stream can be read only once: keep it in a file."
    : id === undefined
      ? undefined
      : leaveOut(id);
  const details = fix === undefined ? {} : { fix };
  throw waymarkError("WM_LEARN_NO_RUNS", `the run ${name} holds no event with a name`, details);
}

/** Gathers what is missing of one run, over all of its series. */
class Missing {
  readonly #run: string;
  #gaps = 0;
  #first: PartlyRead["first"];
  #cut: string | undefined;
  /** Of series before. */
  #before: Pick<PartlyRead, "gaps" | "first"> = { gaps: 0 };

  constructor(run: string) {
    this.#run = run;
  }

  gap({ file, line }: LinePlace, why: string): void {
    this.#gaps += 1;
    this.#first ??= { file, line, why };
  }

  /** What stood before belongs to an older capture. */
  restart(): void {
    this.#gaps = this.#before.gaps;
    this.#first = this.#before.first;
  }

  end({ cut }: RangeSummary): void {
    this.#cut ??= cut;
    this.#before = { gaps: this.#gaps, ...(this.#first === undefined ? {} : { first: this.#first }) };
  }

  found(): PartlyRead | undefined {
    const { gaps, first } = this.#before;
    if (gaps === 0 && this.#cut === undefined) return undefined;
    const cut = this.#cut === undefined ? {} : { cut: this.#cut };
    return { run: this.#run, gaps, ...(first === undefined ? {} : { first }), ...cut };
  }
}

/** A label often hangs on a first attempt that captured nothing, too. */
function leaveOut(id: string): string {
  return `Leave it out: name the runs that count (\`waymark runs list\`; 4..6, batch:ID), or take its label off: \`waymark runs label ${id} NAME --remove\`.`;
}

/** Reads runs into memory, for what has to go over them more than once. */
export async function holdRuns(runs: readonly LocatedRun[], reader?: PictureReader): Promise<readonly HeldRun[]> {
  const held: HeldRun[] = [];
  for (const run of runs) {
    const events: JsonObject[] = [];
    const book = new ShotBook(reader === undefined ? [] : run.shots);
    await readRun(run, (event) => {
      events.push(event);
      if (typeof event["name"] === "string") book.event(event, timeOf(event));
    });
    const shots = reader === undefined ? undefined : await book.read(reader);
    held.push({ name: run.name, params: run.params, events, ...(shots === undefined ? {} : { shots }) });
  }
  return held;
}

/** Where runs are stored below a folder, as `waymark run` stores them. */
export function defaultRunsFolder(base = "."): string {
  return join(base, ".waymark", "runs");
}
