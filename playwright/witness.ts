import { upTo } from "../grader/evaluator/runs/markers.ts";
import { openShelf, type ScenarioShelf, type Selected } from "../grader/evaluator/scenarios.ts";
import { sayResult } from "../grader/evaluator/words.ts";
import { gradeLogs } from "../grader/grade.ts";
import type { LoadedScenario } from "../grader/scenario/load.ts";
import type { ResultDocument, ScenarioResult } from "../grader/verdict.ts";
import { WaymarkError } from "../proxy/record/fault.ts";
import type { Capture } from "./capture.ts";

export interface WitnessOptions {
  readonly capture: Pick<Capture, "log" | "flush">;
  readonly markers: string;
  /** What `marker` looks in; every scenario of the folder when empty. */
  readonly scenarios: readonly string[];
  /** ISO time: what arrived before is another test's. */
  readonly since: string;
  readonly timeoutMs: number;
}

/** What a test asks about the telemetry that its app sent. */
export interface Waymark {
  /** Waits until the app has reached a marker, and what must come before it. Throws with the nearest miss. */
  marker(name: string, options?: { readonly scenario?: string; readonly timeout?: number }): Promise<void>;
  /** Grades a scenario, waiting for late events; resolves as soon as its verdict is final. */
  grade(scenario: string, options?: { readonly timeout?: number }): Promise<ScenarioResult>;
  /** Results of every grading so far, the newest last. */
  readonly graded: readonly ScenarioResult[];
  readonly log: string;
  readonly since: string;
}

export function createWitness({ capture, markers, scenarios, since, timeoutMs }: WitnessOptions): Waymark {
  const shelf: ScenarioShelf = openShelf(markers);
  const graded: ScenarioResult[] = [];
  const select = async (names: readonly string[]): Promise<readonly LoadedScenario[]> =>
    loaded(await shelf.select(names, []));
  const gradeNow = async (chosen: readonly LoadedScenario[], waitMs: number): Promise<ResultDocument> => {
    await capture.flush();
    const { document } = await gradeLogs({ logs: [capture.log], scenarios: chosen, since, waitMs });
    return document;
  };
  return {
    log: capture.log,
    since,
    graded,
    async marker(name, { scenario, timeout = timeoutMs } = {}) {
      const chosen = await select(scenario === undefined ? scenarios : [scenario]);
      const cut = loaded(upTo({ kind: "loaded", scenarios: chosen }, name));
      const { results } = await gradeNow(cut, timeout);
      if (results.some(({ verdict }) => verdict === "pass")) return;
      graded.push(...results);
      throw new Error(`marker "${name}" was not reached within ${timeout} ms: ${results.map(sayResult).join("; ")}`);
    },
    async grade(scenario, { timeout = timeoutMs } = {}) {
      const { results } = await gradeNow(await select([scenario]), timeout);
      graded.push(...results);
      const [first] = results;
      if (first === undefined) throw new Error(`${capture.log} holds nothing to grade`);
      return results.find(({ verdict }) => verdict !== "pass") ?? first;
    },
  };
}

function loaded(selected: Selected): readonly LoadedScenario[] {
  if (selected.kind === "loaded") return selected.scenarios;
  throw new WaymarkError(selected.faults);
}
