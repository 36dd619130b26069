import type { JsonObject } from "../proxy/record/json.ts";
import type { TraceOutcome } from "./match/trace.ts";
import { Panel, type Seat } from "./panel.ts";
import { FIELD } from "./read/line-kernel.ts";
import type { LinePlace, RangeSink } from "./read/range-sink.ts";
import { ANY, type Selection } from "./read/selection.ts";
import type { Scenario } from "./scenario/ast.ts";

/** How a series stands while it is graded and grows. */
export interface SeriesStanding {
  /** Name of the log, as in its results. */
  readonly log: string;
  /** Which scenarios these are, when not all read the log together: "lines up to 5000 bytes". */
  readonly part?: string;
  /** Grows when a newer capture begins: what was said of the one before is over. */
  readonly life: number;
  readonly events: number;
  /** The latest event, and when it was read here; without a time when it stood there before anybody watched. */
  readonly last?: { readonly name: string; readonly seenAtMs?: number };
  /** Where the graded range begins. */
  readonly first?: LinePlace;
  /** The writer said that the capture is over. */
  readonly hasEnded: boolean;
  readonly scenarios: readonly ScenarioStanding[];
}

export interface ScenarioStanding {
  readonly scenario: Scenario;
  /** Nothing that comes could change the verdict. */
  readonly isDecided: boolean;
  /** One for each session; what is open is undecided. */
  readonly sessions: readonly TraceOutcome[];
  /** Why the scenario cannot be graded. */
  readonly error?: string;
}

/** What a series is graded by, which can be looked at while lines still come. The verdict is that of its panel. */
export class LiveSeries implements RangeSink {
  readonly panel: Panel;
  readonly selection: Selection | undefined;
  readonly #shown: Panel;
  readonly #seats: readonly Seat[];
  readonly #now: () => number;
  #isLive = false;
  #life = 1;
  #events = 0;
  #lastName = "";
  #seenAtMs: number | undefined;
  #first: LinePlace | undefined;
  hasEnded = false;

  constructor(seats: readonly Seat[], { session, now }: { readonly session?: string; readonly now: () => number }) {
    this.#seats = seats;
    this.#now = now;
    this.panel = new Panel(seats, session);
    // Events that are sorted by time wait for later ones; who watches wants to see them when they come.
    const isSorted = seats.some(({ scenario }) => scenario.events.order === "time");
    this.#shown = isSorted ? new Panel(seats.map(asTheyCome), session) : this.panel;
    this.selection = isSorted ? undefined : this.#heard(this.panel.selection);
  }

  /** What comes while somebody watches is all seen, since its name is shown; what stood there before is only counted. */
  #heard(selection: Selection | undefined): Selection | undefined {
    if (selection === undefined) return undefined;
    const isLive = (): boolean => this.#isLive;
    return {
      keys: selection.keys,
      get numberTimes() {
        return selection.numberTimes;
      },
      interests: (name, isLarge) => (isLive() ? [ANY] : selection.interests(name, isLarge)),
      get generation() {
        return isLive() ? -1 - selection.generation : selection.generation;
      },
      pass: (event, place) => {
        const name = event.value(FIELD.name);
        this.#note(typeof name === "string" ? name : "", place);
        selection.pass(event, place);
      },
      passRun: (run, last) => {
        const before = run.lastEvent - 1;
        this.#note("", { ...last, line: last.line - before, record: last.record - before });
        this.#events += run.events - 1;
        selection.passRun(run, last);
      },
    };
  }

  /** What stood there is read; what comes from now on happens now. */
  goLive(): void {
    this.#isLive = true;
  }

  restart(): void {
    this.#each((panel) => panel.restart());
    this.#life += 1;
    this.#events = 0;
    this.#lastName = "";
    this.#seenAtMs = undefined;
    this.#first = undefined;
    this.hasEnded = false;
  }

  event(event: JsonObject, place: LinePlace): void {
    const name = event[this.panel.selection?.keys.name ?? "name"];
    this.#note(typeof name === "string" ? name : "", place);
    this.#each((panel) => panel.event(event, place));
  }

  tick(atMs: number): void {
    this.#each((panel) => panel.tick(atMs));
  }

  gap(place: LinePlace, why: string): void {
    this.#first ??= place;
    this.#each((panel) => panel.gap(place, why));
  }

  stop(): void {
    this.hasEnded = true;
  }

  #note(name: string, place: LinePlace): void {
    this.#events += 1;
    this.#lastName = name;
    this.#first ??= place;
    this.hasEnded = false;
    if (this.#isLive) this.#seenAtMs = this.#now();
  }

  #each(action: (panel: Panel) => void): void {
    action(this.panel);
    if (this.#shown !== this.panel) action(this.#shown);
  }

  /** How everything stands now. */
  standing(log: string): SeriesStanding {
    const decided = this.panel.decided;
    const outcomes = this.#shown.standing();
    const seen = this.#seenAtMs === undefined ? {} : { seenAtMs: this.#seenAtMs };
    return {
      log,
      life: this.#life,
      events: this.#events,
      ...(this.#events === 0 ? {} : { last: { name: this.#lastName, ...seen } }),
      ...(this.#first === undefined ? {} : { first: this.#first }),
      hasEnded: this.hasEnded,
      scenarios: this.#seats.map(({ scenario }, at): ScenarioStanding => {
        const outcome = outcomes[at];
        const isDecided = decided[at] === true;
        if (outcome?.kind === "graded") return { scenario, isDecided, sessions: outcome.outcomes };
        return { scenario, isDecided, sessions: [], error: whyNot(outcome?.error) };
      }),
    };
  }
}

function asTheyCome(seat: Seat): Seat {
  const { scenario, program } = seat;
  const shown: Scenario = { ...scenario, events: { ...scenario.events, order: "line" } };
  return { ...seat, scenario: shown, program: program === undefined ? undefined : { ...program, scenario: shown } };
}

function whyNot(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
