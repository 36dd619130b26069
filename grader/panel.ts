import { isObject, type JsonObject, type JsonValue } from "../proxy/record/json.ts";
import type { CaptureEnd } from "./match/outcome.ts";
import { compileProgram, type Program } from "./match/program.ts";
import { createTraceGrader } from "./match/stream.ts";
import type { TraceGrader, TraceOutcome } from "./match/trace.ts";
import type { LinePlace, RangeSink } from "./read/intake.ts";
import { ANY, type Interest, type NumberTimes, type Selection } from "./read/selection.ts";
import type { Scenario } from "./scenario/ast.ts";

/** A scenario to grade, with the texts that give its faults their excerpts. A `LoadedScenario` is one. */
export interface GradableScenario {
  readonly scenario: Scenario;
  readonly texts?: ReadonlyMap<string, string>;
}

/** A scenario that is compiled, or the reason why it cannot be graded. */
export interface Seat {
  readonly scenario: Scenario;
  readonly program: Program | undefined;
  readonly error: unknown;
}

/** How one seat did: the outcomes of its sessions, or why there are none. */
export type SeatOutcome =
  | { readonly kind: "graded"; readonly outcomes: readonly TraceOutcome[] }
  | { readonly kind: "error"; readonly error: unknown };

/** Compiles each scenario with the parameters it knows. One that cannot be compiled has an error, the others go on. */
export function seatScenarios(
  scenarios: readonly GradableScenario[],
  params: ReadonlyMap<string, JsonValue>,
): readonly Seat[] {
  return scenarios.map(({ scenario, texts }) => {
    const own = new Map([...params].filter(([name]) => scenario.params.some((known) => known.name === name)));
    try {
      return { scenario, program: compileProgram(scenario, own, texts), error: undefined };
    } catch (error) {
      return { scenario, program: undefined, error };
    }
  });
}

interface Grading {
  readonly seat: Seat;
  grader: TraceGrader | undefined;
  error: unknown;
}

/**
 * Grades one series against every seat in one pass: each event is parsed once and given to all. A grader that throws
 * loses its own verdict and no other's.
 */
export class Panel implements RangeSink {
  readonly selection: Selection | undefined;
  readonly #seats: readonly Seat[];
  readonly #session: string | undefined;
  #gradings: Grading[];
  #generation = 1;
  /** The generations of the graders together, when they were last added up. */
  #progress = 0;

  /** `session`: only events of this session count, for scenarios that do not split sessions themselves. */
  constructor(seats: readonly Seat[], session?: string) {
    this.#seats = seats;
    this.#session = session;
    this.#gradings = seats.map(startGrading);
    this.selection = session === undefined ? this.#select() : undefined;
  }

  /** What the graders can do without; undefined when one of them has to see every event, or two read other keys. */
  #select(): Selection | undefined {
    const selective = this.#gradings.flatMap(({ grader }) => (grader === undefined ? [] : [grader.selective]));
    const keys = selective[0]?.keys;
    if (keys === undefined) return undefined;
    if (selective.some((one) => one?.keys.name !== keys.name || one.keys.time !== keys.time)) return undefined;
    const panel = this;
    return {
      keys,
      get generation() {
        return panel.#generation;
      },
      get numberTimes() {
        return panel.#numberTimes;
      },
      interests: (name, isLarge) => this.#interests(name, isLarge),
      pass: (event, place) => this.#each(({ selective }) => selective?.pass(event, place)),
      passRun: (run, last) => this.#each(({ selective }) => selective?.passRun(run, last)),
    };
  }

  /** The reasons of all graders; one that wants every event of the name leaves nothing to ask the others. */
  #interests(name: string, isLarge?: boolean): readonly Interest[] {
    const all: Interest[] = [];
    for (const { grader } of this.#gradings) {
      for (const interest of grader?.selective?.interests(name, isLarge) ?? []) {
        if (interest.least <= 0) return [ANY];
        all.push(interest);
      }
    }
    return all;
  }

  /** How all graders read times that are numbers; undefined when they differ, or one cannot tell yet. */
  get #numberTimes(): NumberTimes | undefined {
    let common: NumberTimes | undefined;
    for (const { grader } of this.#gradings) {
      if (grader === undefined) continue;
      const own = grader.selective?.numberTimes;
      if (own === undefined || (common !== undefined && own !== common)) return undefined;
      common = own;
    }
    return common;
  }

  /** True once nothing that comes could change a verdict. */
  get isDecided(): boolean {
    return this.#gradings.every(({ grader }) => grader === undefined || grader.decided);
  }

  /** The same seat by seat. */
  get decided(): readonly boolean[] {
    return this.#gradings.map(({ grader }) => grader === undefined || grader.decided);
  }

  restart(): void {
    this.#gradings = this.#seats.map(startGrading);
    this.#generation += 1;
  }

  event(event: JsonObject, place: LinePlace): void {
    for (const grading of this.#gradings) {
      if (this.#concerns(grading.seat.scenario, event)) attempt(grading, (grader) => grader.event(event, place));
    }
    if (this.selection !== undefined) this.#noteProgress();
  }

  #noteProgress(): void {
    let progress = 0;
    for (const { grader } of this.#gradings) progress += grader?.selective?.generation ?? 0;
    if (progress === this.#progress) return;
    this.#progress = progress;
    this.#generation += 1;
  }

  tick(atMs: number): void {
    this.#each((grader) => grader.tick(atMs));
  }

  gap(place: LinePlace, why: string): void {
    this.#each((grader) => grader.gap(place, why));
  }

  #each(action: (grader: TraceGrader) => void): void {
    for (const grading of this.#gradings) attempt(grading, action);
  }

  /** How every seat stands while lines still come, in the order they were given. Changes nothing. */
  standing(): readonly SeatOutcome[] {
    return this.#outcomes((grader) => grader.standing());
  }

  /** Settles every seat, in the order they were given. */
  finish(end: CaptureEnd): readonly SeatOutcome[] {
    return this.#outcomes((grader) => grader.finish(end));
  }

  #outcomes(ask: (grader: TraceGrader) => readonly TraceOutcome[]): readonly SeatOutcome[] {
    return this.#gradings.map((grading) => {
      const outcomes = attempt(grading, ask);
      if (outcomes === undefined) return { kind: "error", error: grading.error };
      return { kind: "graded", outcomes: outcomes.filter((outcome) => this.#isWanted(outcome)) };
    });
  }

  #concerns(scenario: Scenario, event: JsonObject): boolean {
    if (this.#session === undefined || scenario.events.session !== undefined) return true;
    const meta = event["$capture"];
    return isObject(meta) && String(meta["session"]) === this.#session;
  }

  #isWanted(outcome: TraceOutcome): boolean {
    return this.#session === undefined || outcome.session === undefined || outcome.session === this.#session;
  }
}

function startGrading(seat: Seat): Grading {
  const grading: Grading = { seat, grader: undefined, error: seat.error };
  try {
    if (seat.program !== undefined) grading.grader = createTraceGrader(seat.program);
  } catch (error) {
    grading.error = error;
  }
  return grading;
}

function attempt<T>(grading: Grading, action: (grader: TraceGrader) => T): T | undefined {
  if (grading.grader === undefined) return undefined;
  try {
    return action(grading.grader);
  } catch (error) {
    grading.grader = undefined;
    grading.error = error;
    return undefined;
  }
}
