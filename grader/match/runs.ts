import type { Bindings } from "../operators/where.ts";
import { advance, isTimeOver, type Step, survives } from "./advance.ts";
import { bindingsKey } from "./keys.ts";
import type { Matcher, Progress } from "./matcher.ts";
import { compareLines, covers, hasSmallerLines, lineVector, type Rank, rankOf } from "./merge.ts";
import type { Occurrence } from "./occurrence.ts";
import { NO_BINDINGS } from "./pattern.ts";
import { canSkip, type LeafPlan, leavesOf, type MarkerPlan } from "./plan.ts";
import { progressOf } from "./progress.ts";
import { RunTable } from "./run-table.ts";
import { type BlockState, enterRound, listUses, type NodeState, type Uses } from "./state.ts";

/** One way through the markers that is still open. */
export interface Run {
  readonly state: BlockState;
  readonly bindings: Bindings;
  /** It rests on a limit that could not be checked. */
  readonly unsure: boolean;
  readonly rank: Rank;
  /** For the oldest to go first when there are too many. */
  readonly born: number;
}

/** The runs that wait for the first marker are the source of all others: they never go for being old. */
const NEVER_OLD = Number.POSITIVE_INFINITY;

/** Number of runs from which on it is worth looking for those whose time is over. */
const FIRST_SWEEP = 64;

/** The matcher for every list of markers: a bounded set of runs, all advanced together (LANGUAGE.md section 8.2). */
export class RunSetMatcher implements Matcher {
  found: readonly Uses[] | undefined;
  foundUnsure = false;
  readonly limitsHit: string[] = [];
  readonly #plan: MarkerPlan;
  readonly #maxRuns: number;
  readonly #table: RunTable;
  #started = false;
  #sweepAt = FIRST_SWEEP;
  /** The sure run that has come furthest into the part where nothing looks back. */
  #leader: Run | undefined;
  #progress: Progress = { position: 0, part: 0, uses: [], waiting: undefined };

  constructor(plan: MarkerPlan, maxRuns: number) {
    this.#plan = plan;
    this.#maxRuns = maxRuns;
    this.#table = new RunTable((a, b) => this.#drops(a, b));
    if (plan.markers.every(canSkip)) this.found = [];
  }

  get progress(): Progress {
    return this.#progress;
  }

  /** How many runs are open; for tests and for the bench. */
  get size(): number {
    return this.#table.size;
  }

  begin(at: number): void {
    if (this.#started) return;
    this.#started = true;
    const entry = { index: -1, at };
    const fresh = {
      kind: "block",
      plan: this.#plan.root,
      entry,
      start: undefined,
      rounds: 0,
      chains: [],
      uses: undefined,
      same: undefined,
      values: [],
    } as const;
    for (const state of enterRound(fresh, entry)) this.#table.insert(this.#make(state, NO_BINDINGS, false, NEVER_OLD));
  }

  event(event: Occurrence): void {
    if (this.found !== undefined) return;
    this.begin(event.at);
    const made: Run[] = [];
    const ends: Step<NodeState>[] = [];
    for (const run of this.#table.touchedBy(event)) {
      if (this.#move(run, event, { made, ends })) this.#table.delete(run);
    }
    if (ends.length > 0) this.#finish(ends);
    for (const run of made) this.#insert(run);
    if (this.#table.size >= this.#sweepAt) this.#sweep(event.clock);
    if (this.#table.size > this.#maxRuns) this.#shrink();
  }

  open(name: string): readonly LeafPlan[] {
    return this.#plan.markers.flatMap(leavesOf).filter(({ pattern }) => pattern.names?.includes(name) !== false);
  }

  /** Runs whose time is over are found by the events that concern them; the others go here, from time to time. */
  #sweep(clock: number): void {
    if (this.#plan.timed) this.#table.deleteWhere(({ state }) => isTimeOver(state, clock));
    this.#sweepAt = Math.max(FIRST_SWEEP, 2 * this.#table.size);
  }

  #insert(run: Run): void {
    const leader = this.#leader;
    if (leader !== undefined && this.#isBehind(run, leader)) return;
    this.#table.insert(run);
    if (run.unsure || positionOf(run) < this.#plan.freeFrom || !isFresh(run)) return;
    if (leader !== undefined && positionOf(leader) >= positionOf(run)) return;
    this.#leader = run;
    this.#table.deleteWhere((other) => this.#isBehind(other, run));
  }

  /**
   * A run that waits at a marker from which on nothing looks back can use whatever a run behind it could use later; it
   * makes that run needless, if its lines are smaller or do not matter.
   */
  #isBehind(run: Run, leader: Run): boolean {
    if (positionOf(run) >= positionOf(leader)) return false;
    return this.#plan.timed || compareLines(lineVector(leader.state), lineVector(run.state, true)) < 0;
  }

  /** Moves one run on; true when the run as it stands is over. */
  #move(run: Run, event: Occurrence, out: { made: Run[]; ends: Step<NodeState>[] }): boolean {
    let replaced = false;
    for (const step of advance(run.state, event, run.bindings)) {
      replaced ||= step.replaces;
      const unsure = run.unsure || step.unsure;
      if (step.state?.kind === "block") out.made.push(this.#make(step.state, step.bindings, unsure, event.index));
      else out.ends.push({ ...step, unsure });
    }
    return replaced || !survives(run.state, event, run.bindings);
  }

  #make(state: BlockState, bindings: Bindings, unsure: boolean, born: number): Run {
    const position = state.chains[0]?.position ?? 0;
    const live = this.#plan.live[position];
    const kept = live === undefined ? bindings : onlyLive(bindings, live);
    const rank = rankOf(state, `${unsure ? "?" : ""}${bindingsKey(kept)}`);
    this.#note(state, kept, position);
    return { state, bindings: kept, unsure, rank, born };
  }

  #note(state: BlockState, bindings: Bindings, position: number): void {
    const best = this.#progress;
    if (position < best.position) return;
    const progress = progressOf(state, bindings);
    const isFurther = position > best.position || best.waiting === undefined || progress.part > best.part;
    // With time limits the latest way is the one that an event may still be in time for.
    if (isFurther || (this.#plan.timed && progress.part === best.part)) this.#progress = progress;
  }

  #drops(a: Run, b: Run): boolean {
    if (!covers(a.rank, b.rank, a.unsure)) return false;
    if (!this.#plan.timed) return hasSmallerLines(a.state, b.state, { a: a.rank, b: b.rank });
    return !covers(b.rank, a.rank, b.unsure) || compareLines(lineVector(a.state), lineVector(b.state)) <= 0;
  }

  #finish(ends: readonly Step<NodeState>[]): void {
    const sure = ends.filter(({ unsure }) => !unsure);
    if (sure.length === 0) {
      this.foundUnsure = true;
      return;
    }
    const lists = sure.map(({ uses }) => listUses(uses));
    const lines = (list: readonly Uses[]): number[] => list.map(({ event }) => event.index);
    this.found = lists.reduce((best, list) => (compareLines(lines(list), lines(best)) < 0 ? list : best));
    this.#table.clear();
  }

  #shrink(): void {
    this.#table.dropOldest(this.#maxRuns);
    if (!this.limitsHit.includes("runs")) this.limitsHit.push("runs");
  }
}

function positionOf({ state }: Run): number {
  return state.chains[0]?.position ?? 0;
}

/** At its position nothing is used yet, so that no limit of a block runs. */
function isFresh({ state }: Run): boolean {
  const node = state.chains[0]?.node;
  return node?.kind !== "block" || (node.start === undefined && node.rounds === 0);
}

function onlyLive(bindings: Bindings, live: ReadonlySet<string>): Bindings {
  for (const name of bindings.keys()) {
    if (!live.has(name)) return new Map([...bindings].filter(([key]) => live.has(key)));
  }
  return bindings;
}
