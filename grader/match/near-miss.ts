import type { JsonValue } from "../../proxy/record/json.ts";
import type { PathAccess } from "../operators/where.ts";
import { isLargeEvent } from "../read/parse.ts";
import { ANY, type Interest } from "../read/selection.ts";
import { COUNTS, type Interests } from "./interest.ts";
import type { Waiting } from "./matcher.ts";
import type { Occurrence } from "./occurrence.ts";
import type { NearMiss } from "./outcome.ts";
import type { LeafPlan } from "./plan.ts";

/** Looks granted to events whose name cannot fit, per name: their other fields are alike anyway. */
const OTHER_NAME_LOOKS = 4;
/** Looks per name where a marker asks for no name, so that a near miss stays cheap on long logs. */
const ANY_NAME_LOOKS = 256;
/** Most names remembered per marker. */
const MOST_NAMES = 1000;

type Kind = "same" | "other case" | "other" | "any";

/**
 * The event that came closest to the marker waited for: the most tests satisfied (LANGUAGE.md section 3.4). Streaming
 * keeps one event; it is diagnosed only when the outcome is asked for.
 */
export class NearestMiss {
  #leaf: LeafPlan | undefined;
  #names = new Map<string, { kind: Kind; looks: number }>();
  #best: { event: Occurrence; waiting: Waiting; score: number } | undefined;
  readonly #name: PathAccess;
  readonly #interests: Interests;

  constructor(name: PathAccess, interests: Interests) {
    this.#name = name;
    this.#interests = interests;
  }

  /** Takes an event that the marker waited for could not use. */
  offer(event: Occurrence, waiting: Waiting): void {
    this.turnTo(waiting.leaf);
    const { clauses } = waiting.leaf.pattern;
    if (this.#isSettled(waiting.leaf)) return;
    const name = this.#name.get(event.event);
    if (isOnlyAName(waiting.leaf) && !isOtherCase(name, waiting.leaf)) return;
    if (isLargeEvent(event.event) && isOtherName(name, waiting.leaf)) return;
    const seen = this.#look(name);
    if (seen === undefined) return;
    let score = seen === "other case" ? 0.5 : 0;
    for (const clause of clauses) if (clause.test(event.event, waiting.bindings)) score += 1;
    if (score > (this.#best?.score ?? 0) && score < clauses.length) this.#best = { event, waiting, score };
  }

  /** Which events of this name could still come closest; `offer` of any other changes nothing. */
  interests(name: string, waiting: Waiting | undefined, isLarge: boolean): readonly Interest[] {
    if (waiting === undefined) return [];
    const { leaf } = waiting;
    const isNew = leaf !== this.#leaf;
    if (!isNew && this.#isSettled(leaf)) return [];
    const known = isNew ? undefined : this.#names.get(name);
    const kind = known?.kind ?? kindFor(name, leaf);
    if (isOnlyAName(leaf) && kind !== "other case") return [];
    if (isLarge && kind === "other") return [];
    const score = isNew ? 0 : (this.#best?.score ?? 0);
    if (known === undefined && !isNew && this.#names.size >= MOST_NAMES) return [];
    if (kind === "same" && known !== undefined) return [this.#interests.in(leaf, score + 0.5)];
    return (known?.looks ?? 0) < looksFor(kind) ? [this.#lookAt(kind, leaf, score)] : [];
  }

  /** Which of the events of a name that are looked at could come closer than `score`. */
  #lookAt(kind: Kind, leaf: LeafPlan, score: number): Interest {
    return kind === "other" ? this.#interests.in(leaf, score + 0.5, COUNTS) : ANY;
  }

  /** As `offer`, for an event of this name that `interests` was not about: it has had one of its name's looks. */
  pass(name: string, waiting: Waiting | undefined): void {
    if (waiting === undefined) return;
    const { leaf } = waiting;
    this.turnTo(leaf);
    if (this.#isSettled(leaf) || (isOnlyAName(leaf) && !isOtherCase(name, leaf))) return;
    this.#look(name);
  }

  /** Nothing comes closer than one test missing. */
  #isSettled({ pattern }: LeafPlan): boolean {
    return this.#best !== undefined && this.#best.score >= pattern.clauses.length - 1;
  }

  /** The best near miss for this leaf; undefined when no event satisfied a single test. */
  resultFor(leaf: LeafPlan): NearMiss | undefined {
    if (this.#best === undefined || this.#best.waiting.leaf !== leaf) return undefined;
    const { event, waiting } = this.#best;
    const clauses = leaf.pattern.check.diagnose(event.event, waiting.bindings);
    return {
      ...event.place,
      ...(event.timeText === undefined ? {} : { at: event.timeText }),
      failed: clauses.filter(({ ok }) => !ok),
      passed: clauses.filter(({ ok }) => ok),
    };
  }

  /** This marker is waited for from now on: what came close to another one is forgotten. */
  turnTo(leaf: LeafPlan): void {
    if (leaf === this.#leaf) return;
    this.#leaf = leaf;
    this.#names = new Map();
    this.#best = undefined;
  }

  /** How the event's name stands to the names the marker asks for; undefined when it has been looked at often enough. */
  #look(value: JsonValue | undefined): Kind | undefined {
    const name = typeof value === "string" ? value : "";
    const known = this.#names.get(name);
    if (known === undefined) {
      if (this.#names.size >= MOST_NAMES) return undefined;
      const kind = kindOf(name, this.#leaf?.pattern.names);
      this.#names.set(name, { kind, looks: 1 });
      return kind;
    }
    known.looks += 1;
    return known.looks <= looksFor(known.kind) ? known.kind : undefined;
  }
}

function looksFor(kind: Kind): number {
  if (kind === "same") return Number.POSITIVE_INFINITY;
  return kind === "any" ? ANY_NAME_LOOKS : OTHER_NAME_LOOKS;
}

/** Of a marker that asks for nothing but a name, only the same name in another case comes close. */
function isOnlyAName({ pattern }: LeafPlan): boolean {
  return pattern.clauses.length === 1 && pattern.names !== undefined;
}

function isOtherCase(name: JsonValue | undefined, leaf: LeafPlan): boolean {
  return kindFor(name, leaf) === "other case";
}

/** Of a large event whose name does not fit, the other fields are not looked at. */
function isOtherName(name: JsonValue | undefined, leaf: LeafPlan): boolean {
  return kindFor(name, leaf) === "other";
}

function kindFor(name: JsonValue | undefined, { pattern }: LeafPlan): Kind {
  return kindOf(typeof name === "string" ? name : "", pattern.names);
}

function kindOf(name: string, wanted: readonly string[] | undefined): Kind {
  if (wanted === undefined) return "any";
  if (wanted.includes(name)) return "same";
  const folded = name.toLowerCase();
  return wanted.some((one) => one.toLowerCase() === folded) ? "other case" : "other";
}
