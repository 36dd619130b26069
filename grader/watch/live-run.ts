/** A run that is under way, as the served page shows it. Times are milliseconds; what nobody knows is absent. */
export interface LiveRun {
  readonly id: string;
  readonly label: string;
  readonly batch?: string;
  readonly variant?: string;
  readonly task?: string;
  readonly started_at?: string;
  readonly events: number;
  readonly last?: { readonly name: string; readonly ago_ms?: number };
  /** The writer said that its log is over; the grade comes. */
  readonly over: boolean;
  readonly scenarios: readonly LiveScenario[];
}

export interface LiveScenario {
  readonly scenario: string;
  readonly session?: string;
  readonly state: "live" | "pass" | "fail" | "over" | "error";
  readonly error?: string;
  readonly events: number;
  readonly elapsed_ms?: number;
  readonly waited_ms?: number;
  readonly lit: number;
  readonly of: number;
  readonly markers: readonly LiveMarker[];
  readonly rules: readonly LiveRule[];
}

export interface LiveMarker {
  readonly name: string;
  readonly light: "found" | "waiting" | "open" | "skipped" | "missed";
  readonly after_ms?: number;
  readonly within_ms?: number;
  readonly progress?: string;
  /** What came closest to the marker that is waited for, in words. */
  readonly nearest?: string;
}

export interface LiveRule {
  readonly name: string;
  readonly verb: string;
  readonly state: "kept" | "broken" | "open";
  readonly words: string;
}
