import type { JsonObject } from "../../../proxy/record/json.ts";

/** Planted defects, in the order of the report. */
export const DEFECTS = ["drop", "swap", "duplicate", "delay", "fact", "forbid", "cut"] as const;
export type Defect = (typeof DEFECTS)[number];

/** Changes that leave every scenario's meaning as it is, in the order of the report. */
export const CONTROLS = ["unrelated", "session", "jitter", "shift", "limit", "redelivery", "field"] as const;
export type Control = (typeof CONTROLS)[number];

/** What a mutation is aimed at: a marker (or block) or a rule, by its name. */
export interface Target {
  readonly kind: "marker" | "rule";
  readonly name: string;
}

/** A run with one defect planted, or one control made. */
export interface Mutant {
  readonly kind: Defect | Control;
  /** Absent for controls and for what concerns the list as a whole. */
  readonly target?: Target;
  /** What was done, for people: `drop line 14 (chat_switch)`. */
  readonly what: string;
  /** The field that was changed. */
  readonly path?: string;
  readonly events: readonly JsonObject[];
}
