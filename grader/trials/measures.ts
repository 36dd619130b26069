import type { JsonObject } from "../../proxy/record/json.ts";
import type { ScenarioResult } from "../verdict.ts";
import type { TrialPlaces } from "./folder.ts";
import { type Action, actionIn, eventAction, mergeActions } from "./measures-actions.ts";
import { watchFacts } from "./measures-facts.ts";
import { stepsAfterGoal, stoppedShort } from "./measures-goal.ts";
import {
  backtracks,
  duplicateCallRate,
  type Happening,
  safetyViolations,
  verificationActionRate,
  verifiedEffectRate,
} from "./measures-trace.ts";
import { readCosts, type SpendingOptions } from "./spending.ts";
import { readCapture } from "./spending-capture.ts";
import { markerSteps } from "./steps.ts";
import type { TrialManifest, TrialStep } from "./trial.ts";

/** What is known of a run beside its grade. */
export interface Measured {
  /** The stretches up to each marker, then the logged steps and captured calls; only the latter add up to the total. */
  readonly steps?: readonly TrialStep[];
  /** By the names of `MEASURES`; what cannot be told is absent. */
  readonly measures?: Readonly<Record<string, number>>;
}

/** App events that stand in for tool calls are remembered up to here; a longer trace has no measures made of them. */
const MAX_EVENTS = 100_000;
/** More steps than anybody reads; a run's manifest keeps the first. */
const MAX_STEPS = 2000;

/**
 * Measures a graded run: its steps with cost and time, and the process measures over its trace (docs/measures.md defines
 * each). With several scenarios, markers carry the scenario's name. Never rejects for what stands in the run's files.
 */
export async function measure(
  places: TrialPlaces,
  manifest: Pick<TrialManifest, "end" | "started_at">,
  results: readonly ScenarioResult[],
  options: SpendingOptions = {},
): Promise<Measured> {
  const { costs } = await readCosts(places, options);
  const stretches = results.flatMap((result) =>
    markerSteps(result, costs, manifest.started_at).map((step) =>
      results.length === 1 ? step : { ...step, name: `${result.scenario}: ${step.name}` },
    ),
  );
  const steps = [...stretches, ...costs.map(({ shown }) => shown)].slice(0, MAX_STEPS);
  const measures = await measureTrace(places.telemetry, {
    results,
    ...(manifest.end === undefined ? {} : { end: manifest.end }),
  });
  return {
    ...(steps.length === 0 ? {} : { steps }),
    ...(Object.keys(measures).length === 0 ? {} : { measures }),
  };
}

interface Graded {
  readonly results: readonly ScenarioResult[];
  readonly end?: NonNullable<TrialManifest["end"]>;
}

/** The process measures of the trace in a run's telemetry, held against its results. */
export async function measureTrace(telemetry: string, graded: Graded): Promise<Readonly<Record<string, number>>> {
  const trace = await readTrace(telemetry);
  return measuresOf(trace, graded);
}

/** What the measures look at. */
export interface Trace {
  readonly actions: readonly Action[];
  /** The actions are calls of tools; else the capture shows none, and the app's own events stand in for them. */
  readonly areCalls: boolean;
  readonly happenings: readonly Happening[];
  readonly recall: number | undefined;
}

/** The trace of events that are at hand, in order; line numbers count from 0. */
export function traceOf(events: readonly JsonObject[]): Trace {
  const taker = takeTrace();
  for (const [record, event] of events.entries()) taker.take(event, record);
  return taker.trace();
}

/** The measures of a trace, by name; what cannot be told is absent. */
export function measuresOf(trace: Trace, { results, end }: Graded): Readonly<Record<string, number>> {
  const { actions, areCalls, happenings, recall } = trace;
  const measures = {
    steps: actions.length === 0 ? undefined : actions.length,
    duplicate_call_rate: duplicateCallRate(actions),
    verification_action_rate: areCalls ? verificationActionRate(actions) : undefined,
    verified_effect_rate: areCalls ? verifiedEffectRate(actions) : undefined,
    backtracks:
      results.length === 0 || happenings.length === 0
        ? undefined
        : sum(results.map((result) => backtracks(result, happenings))),
    stopped_short: stoppedShort(results, end),
    steps_after_goal: stepsAfterGoal(results, actions),
    recall_of_earlier_facts: recall,
    safety_violations: results.length === 0 ? undefined : sum(results.map(safetyViolations)),
  };
  const known = Object.entries(measures).filter((entry): entry is [string, number] => entry[1] !== undefined);
  return Object.fromEntries(known);
}

async function readTrace(telemetry: string): Promise<Trace> {
  const taker = takeTrace();
  await readCapture(telemetry, (event, { record }) => taker.take(event, record));
  return taker.trace();
}

function takeTrace(): { take(event: JsonObject, record: number): void; trace(): Trace } {
  const tools: Action[] = [];
  const events: Action[] = [];
  const facts = watchFacts();
  let tooMany = false;
  return {
    take(event, record) {
      const tool = actionIn(event, record);
      const own = eventAction(event, record);
      if (tool !== undefined) tools.push(tool);
      tooMany ||= events.length >= MAX_EVENTS;
      if (own !== undefined && !tooMany) events.push(own);
      facts.record(event, tool);
    },
    trace() {
      const areCalls = tools.length > 0;
      const actions = areCalls ? mergeActions(tools) : tooMany ? [] : events;
      const counted = areCalls ? facts.count() : undefined;
      const recall = counted === undefined ? undefined : counted.recalled / counted.used;
      return {
        actions,
        areCalls,
        happenings: tooMany ? [] : [...tools, ...events].sort((a, b) => a.record - b.record),
        recall,
      };
    },
  };
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
