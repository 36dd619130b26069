import type { JsonObject, JsonValue } from "../proxy/record/json.ts";
import type { ClauseResult } from "./match/outcome.ts";
import { compileWhere, type FieldCheck } from "./operators/where.ts";
import type { LinePlace, RangeSink } from "./read/intake.ts";
import { arrivalMs } from "./read/range.ts";
import { readSeries } from "./read/read.ts";
import { findLogs } from "./read/series.ts";
import type { EventMarker, MarkerNode, Scenario } from "./scenario/ast.ts";
import { bindParams } from "./scenario/params.ts";
import type { MarkerResult, ScenarioResult } from "./verdict.ts";

/** An event that came near to a marker, field test by field test. */
export interface NearEvent {
  /** The marker it came near to: the one asked for, or one inside its block. */
  readonly marker: string;
  readonly file: string;
  readonly line: number;
  readonly at?: string;
  /** Where it stands to the marker found before: only `after` could have counted. */
  readonly stands: "after" | "before";
  readonly passed: readonly ClauseResult[];
  readonly failed: readonly ClauseResult[];
}

/** Why a marker was not found, or where it was. */
export interface Explanation {
  readonly marker: string;
  readonly status: MarkerResult["status"];
  /** What its event must look like, in words; several for a block. */
  readonly wants: readonly string[];
  readonly source: MarkerResult["source"];
  /** The marker found last before it, after which it was expected. */
  readonly after?: MarkerResult;
  /** Best first. */
  readonly nearest: readonly NearEvent[];
  /** Why no event could be looked at: the log is gone, or was a stream. */
  readonly unread?: string;
}

export interface ExplainRequest {
  readonly result: ScenarioResult;
  readonly scenario: Scenario;
  /** Name of a marker of the ordered list, or of one inside a block. */
  readonly marker: string;
  readonly params?: ReadonlyMap<string, JsonValue>;
  /** How many near events to keep. */
  readonly count: number;
}

/**
 * Explains one marker of a graded run: reads the run's log once more and keeps the events that satisfy most of the
 * marker's field tests. A log that is gone, or can be read only once, gives none and says so. Throws what reading and parameters throw.
 */
export async function explainMarker({ result, scenario, marker, params, count }: ExplainRequest): Promise<Explanation> {
  const place = placeIn(result, scenario, marker);
  const values = bindParams(scenario, Object.fromEntries(params ?? new Map()));
  const checks = place.patterns.map((node) => ({
    name: node.name,
    check: compileWhere(node.where, { eventName: scenario.events.name, params: values, fault: () => undefined }),
  }));
  const collector = new NearEvents(checks, { after: place.after, count });
  const unread = await readAgain(result, scenario, collector);
  return {
    marker,
    status: place.status,
    wants: checks.map(({ check }) => check.describe()),
    source: place.source,
    ...(place.after === undefined ? {} : { after: place.after }),
    nearest: collector.best(),
    ...(unread === undefined ? {} : { unread }),
  };
}

/** Names `explainMarker` knows for a scenario: its markers and those inside blocks. */
export function explainableMarkers(scenario: Scenario): readonly string[] {
  return scenario.markers.flatMap((node) => [node.name, ...inside(node).map(({ name }) => name)]);
}

interface MarkerPlace {
  readonly status: MarkerResult["status"];
  readonly source: MarkerResult["source"];
  readonly after: MarkerResult | undefined;
  readonly patterns: readonly EventMarker[];
}

function placeIn(result: ScenarioResult, scenario: Scenario, name: string): MarkerPlace {
  const index = scenario.markers.findIndex(
    (node) => node.name === name || inside(node).some((part) => part.name === name),
  );
  const node = scenario.markers[index];
  if (node === undefined) return { status: "undecided", source: scenario.place, after: undefined, patterns: [] };
  const graded = result.markers[index];
  const earlier = result.markers.slice(0, index).filter(({ status }) => status === "found");
  const patterns = inside(node).filter((part) => node.name === name || part.name === name);
  const { file, line, column } = (patterns.length === 1 ? patterns[0] : node)?.place ?? node.place;
  return { status: graded?.status ?? "undecided", source: { file, line, column }, after: earlier.at(-1), patterns };
}

/** The event markers of a node: itself, or those inside its block. */
function inside(node: MarkerNode): readonly EventMarker[] {
  return node.kind === "marker" ? [node] : node.lists.flat().flatMap(inside);
}

/** Resolves with the reason when nothing could be read. */
async function readAgain(result: ScenarioResult, scenario: Scenario, sink: RangeSink): Promise<string | undefined> {
  const { series, missing } = await findLogs([result.log]);
  const files = series.filter(({ kind }) => kind === "files");
  for (const one of files) {
    const rule = one.isNamedFile ? ({ kind: "from file" } as const) : ({ kind: "newest" } as const);
    await readSeries(one, { rule, sink, lineBytes: scenario.limits.lineBytes });
  }
  if (files.length > 0) return undefined;
  return missing[0]?.why ?? `${result.log} was a stream, which can be read only once: keep it in a file and grade that`;
}

interface Pattern {
  readonly name: string;
  readonly check: FieldCheck;
}

const NO_BINDINGS: ReadonlyMap<string, JsonValue> = new Map();

/** Keeps the nearest events of a log; memory is the number kept. */
class NearEvents implements RangeSink {
  readonly #patterns: readonly Pattern[];
  readonly #after: MarkerResult | undefined;
  readonly #count: number;
  #kept: NearEvent[] = [];

  constructor(patterns: readonly Pattern[], { after, count }: { after: MarkerResult | undefined; count: number }) {
    this.#patterns = patterns;
    this.#after = after;
    this.#count = count;
  }

  restart(): void {
    this.#kept = [];
  }

  tick(): void {}

  gap(): void {}

  event(event: JsonObject, place: LinePlace): void {
    for (const { name, check } of this.#patterns) {
      const clauses = check.diagnose(event, NO_BINDINGS);
      const passed = clauses.filter(({ ok }) => ok);
      if (passed.length === 0) continue;
      this.#keep({ marker: name, ...this.#standing(event, place), passed, failed: clauses.filter(({ ok }) => !ok) });
    }
  }

  best(): readonly NearEvent[] {
    return this.#kept;
  }

  #standing(event: JsonObject, { file, line, record }: LinePlace): Pick<NearEvent, "file" | "line" | "at" | "stands"> {
    const at = occurredMs(event);
    const isLater = this.#after?.record === undefined || record > this.#after.record;
    return {
      file,
      line,
      ...(at === undefined ? {} : { at: new Date(at).toISOString() }),
      stands: isLater ? "after" : "before",
    };
  }

  #keep(near: NearEvent): void {
    this.#kept.push(near);
    this.#kept.sort(nearestFirst);
    if (this.#kept.length > this.#count) this.#kept.pop();
  }
}

/** The event's own time, else that of its arrival. */
function occurredMs(event: JsonObject): number | undefined {
  const own = typeof event["time"] === "string" ? Date.parse(event["time"]) : Number.NaN;
  return Number.isNaN(own) ? arrivalMs(event) : own;
}

/** Fewer failed tests first, then more passed ones, then those that could have counted, then the earlier line (sort is stable). */
function nearestFirst(a: NearEvent, b: NearEvent): number {
  return (
    a.failed.length - b.failed.length ||
    b.passed.length - a.passed.length ||
    Number(a.stands === "before") - Number(b.stands === "before")
  );
}
