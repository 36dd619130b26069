import { type SprtPlan, type SprtState, startSprt, stepSprt } from "../statistics/sprt.ts";

/** One of the commands of a batch, with what sets it apart: its variant, its task. Its runs are repeats of one thing. */
export interface Cell {
  readonly variant?: string;
  readonly task?: string;
  readonly command: readonly string[];
  /** Variables of the task, set for the command besides those of every run. */
  readonly env: Readonly<Record<string, string>>;
  /** The scenarios' parameters, the task's own among them. */
  readonly params: ReadonlyMap<string, string>;
}

/** What a batch is to run: each cell a number of times, or each until a sequential test of every scenario is settled. */
export type Design =
  | { readonly kind: "fixed"; readonly cells: readonly Cell[]; readonly runs: number }
  | { readonly kind: "sequential"; readonly cells: readonly Cell[]; readonly sprt: SprtPlan };

/** One run to be started. */
export interface Planned {
  readonly cell: Cell;
  /** From 1, over the whole batch. */
  readonly index: number;
  /** From 1, within its cell. */
  readonly round: number;
}

/** A run that was started; `passed` has one answer per scenario, undefined where it has no grade, once it is over. */
export interface Started {
  readonly planned: Planned;
  readonly passed?: readonly (boolean | undefined)[];
}

/**
 * The next run to start, or undefined when there is none any more. Cells take turns (A, B, A, B...), so that whatever
 * drifts while a batch runs touches all of them alike. Pure: the same history gives the same answer.
 */
export function nextRun(design: Design, started: readonly Started[]): Planned | undefined {
  let best: { readonly cell: Cell; readonly rounds: number } | undefined;
  for (const cell of design.cells) {
    const own = started.filter(({ planned }) => planned.cell === cell);
    if (own.length >= mostRuns(design) || isSettled(design, own)) continue;
    if (best === undefined || own.length < best.rounds) best = { cell, rounds: own.length };
  }
  return best && { cell: best.cell, index: started.length + 1, round: best.rounds + 1 };
}

/** How many runs a design makes at most. */
export function plannedRuns(design: Design): number {
  return design.cells.length * mostRuns(design);
}

function mostRuns(design: Design): number {
  return design.kind === "fixed" ? design.runs : design.sprt.maximum;
}

function isSettled(design: Design, own: readonly Started[]): boolean {
  if (design.kind === "fixed") return false;
  const scenarios = own.find(({ passed }) => passed !== undefined)?.passed?.length ?? 0;
  if (scenarios === 0) return false;
  const states = Array.from({ length: scenarios }, (_, scenario) => sprtOver(design.sprt, own, scenario));
  return states.every(({ decision }) => decision === "accept" || decision === "reject");
}

/**
 * Where the test of one scenario stands: its runs are taken in the order they were started, up to the first one that is
 * still under way, so that quick runs have no louder voice than slow ones.
 */
function sprtOver(plan: SprtPlan, own: readonly Started[], scenario: number): SprtState {
  let state = startSprt();
  for (const { passed } of own) {
    if (passed === undefined) break;
    const didPass = passed[scenario];
    if (didPass !== undefined) state = stepSprt(plan, state, didPass);
  }
  return state;
}
