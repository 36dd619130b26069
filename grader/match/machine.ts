import type { Limits } from "../scenario/ast.ts";
import type { Ledger, Running } from "./ledger.ts";
import type { Occurrence } from "./occurrence.ts";

/** The state of one rule while the session runs (LANGUAGE.md section 5.2). */
export interface RuleMachine {
  readonly ledger: Ledger;
  /** What the rule says now. `pass` and `fail` are final: no continuation can change them. */
  readonly running: Running;
  /** The next event. */
  event(event: Occurrence): void;
  /** The clock goes on, with an event or without one; `last` is the latest event. */
  time(clock: number, last: Occurrence): void;
  /** The session is over and whole: obligations that are still open become violations. */
  settle(last: Occurrence | undefined): void;
}

/** Limits that concern rules. */
export type RuleLimits = Pick<Limits, "keys" | "pending">;

/** Place of the end of a session that has no event. */
export const NOWHERE = { file: "", line: 0, record: -1 } as const;
