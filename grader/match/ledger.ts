import type { Bindings } from "../operators/where.ts";
import { checkLimit, type LimitCheck, type Occurrence } from "./occurrence.ts";
import type { EventPlace } from "./outcome.ts";
import type { Pattern } from "./pattern.ts";
import type { RulePlan } from "./rule-plan.ts";

/** Most violations that are kept; all are counted. */
const MOST_KEPT = 10;

/** One event, or the end of the session, that breaks a rule. */
export interface Violation {
  readonly at: EventPlace;
  readonly trigger?: EventPlace;
  readonly reason: string;
}

export type Running = "pass" | "fail" | "pass_so_far" | "fail_so_far";

/** What a rule's machine has found so far. */
export class Ledger {
  readonly violations: Violation[] = [];
  readonly limitsHit = new Set<string>();
  violationCount = 0;
  /** How often the rule had something to say: its triggers; for a rule without one, 1 from the first event on. */
  exercised = 0;
  /** Why a limit could not be checked; the rule is inconclusive then, unless it fails for certain. */
  unsure: string | undefined;
  /**
   * What the rule did where a limit could not be checked: it took the limit as kept, so that only a pass is in doubt; or
   * it left the event out, so that only what further events can change is in doubt.
   */
  #leavesOut = false;
  readonly plan: RulePlan;

  constructor(plan: RulePlan) {
    this.plan = plan;
  }

  violate(at: EventPlace, reason: string, trigger?: EventPlace): void {
    this.violationCount += 1;
    if (this.violations.length >= MOST_KEPT) return;
    this.violations.push({ at, reason, ...(trigger === undefined ? {} : { trigger }) });
  }

  /** Compares the time between two events with a limit, and notes when it cannot be known. */
  check(event: Occurrence, anchor: Occurrence, limitMs: number): LimitCheck {
    const result = checkLimit(event.at, anchor.at, limitMs);
    if (result === "unknown") {
      const untimed = Number.isFinite(event.at) ? anchor : event;
      this.unsure ??= `the event in line ${untimed.place.line} has no time`;
    }
    return result;
  }

  /** Notes an event that cannot be counted in a window because it has no time. */
  leaveOut(event: Occurrence): void {
    this.#leavesOut = true;
    this.unsure ??= `the event in line ${event.place.line} has no time`;
  }

  /** Whether a running verdict rests on limits that could not be checked. */
  isDoubtful(running: Running): boolean {
    if (this.unsure === undefined) return false;
    return this.#leavesOut ? running.endsWith("_so_far") : running.startsWith("pass");
  }

  limit(name: "keys" | "pending"): void {
    this.limitsHit.add(name);
  }

  /** The event in words: its name and the values the rule follows, such as `file_write /a (line 4)`. */
  event(occurrence: Occurrence, bindings?: Bindings): string {
    const name = this.plan.eventName.get(occurrence.event);
    const values = bindings === undefined ? [] : [...bindings.values()].map(show);
    return `${[typeof name === "string" ? name : "event", ...values].join(" ")} (line ${occurrence.place.line})`;
  }
}

/** A pattern in words, such as `file_read or file_hash with data.path /a`. */
export function inWords(pattern: Pattern, bindings: Bindings): string {
  return pattern.check.describe(bindings);
}

function show(value: unknown): string {
  return typeof value === "string" ? value : typeof value === "bigint" ? `${value}` : (JSON.stringify(value) ?? "");
}

/** A duration as people write it: `5 s`, `6.2 s`, `250 ms`, `2 min`, `1 h`. */
export function duration(ms: number): string {
  if (Math.abs(ms) < 1000) return `${trim(ms)} ms`;
  if (Math.abs(ms) < 120_000) return `${trim(ms / 1000)} s`;
  if (Math.abs(ms) < 3_600_000) return ms % 60_000 === 0 ? `${ms / 60_000} min` : `${trim(ms / 1000)} s`;
  return ms % 3_600_000 === 0 ? `${ms / 3_600_000} h` : `${trim(ms / 60_000)} min`;
}

function trim(value: number): string {
  return String(Math.round(value * 1000) / 1000);
}
