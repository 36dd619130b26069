import type { JsonValue } from "../../proxy/record/json.ts";
import type { Provenance, Review } from "../store/store.ts";
import type { ScenarioResult } from "../verdict.ts";

/** How the launch of a run ended. */
export type LaunchEnd =
  | { readonly kind: "exited"; readonly code: number }
  /** By a signal that waymark did not send. */
  | { readonly kind: "killed"; readonly signal: string }
  | { readonly kind: "timeout"; readonly afterMs: number }
  /** The command could not be started. */
  | { readonly kind: "failed"; readonly reason: string }
  /** Stopped because every scenario was decided, or by `runs stop`. */
  | { readonly kind: "stopped"; readonly reason: string }
  /** waymark itself was stopped or died; such a run is never graded. */
  | { readonly kind: "interrupted"; readonly reason: string };

/** Why waiting for late events ended, and what was still awaited then. */
export interface Settled {
  /** `idle`: nothing came for the idle time. `limit`: events still came at the limit. `decided`: nothing could change. */
  readonly why: "idle" | "limit" | "decided";
  readonly waited_ms: number;
  /** What the scenarios still waited for, in words. */
  readonly awaited: readonly string[];
}

/** What the agent said of its own run. It is shown beside the grade and never decides it. */
export interface SelfReport {
  /** As it was read: `done`, `failed`, `unsure`, or the report's own word. */
  readonly claim: string;
  /** Whether the claim says that the task was done; undefined when it says neither. */
  readonly claims_success?: boolean;
  readonly text?: string;
}

/** What a run used up; what nobody counted is absent. */
export interface Used {
  readonly cost_usd?: number;
  readonly tokens_in?: number;
  readonly tokens_out?: number;
  /** All tokens, also those that nobody told apart; the sum of the two above where everything was told apart. */
  readonly tokens?: number;
  /** Which figures are lower bounds: more was used than could be counted or priced. */
  readonly at_least?: readonly ("cost" | "tokens")[];
  /** What has no price, so that its cost is in no figure: `gpt-x`, `gpt-x: cached tokens`. */
  readonly unpriced?: readonly string[];
}

/** What the proxy saw during the run. */
export interface CaptureCounts {
  readonly connections: number;
  readonly requests: number;
  readonly events: number;
  readonly undecoded: number;
  readonly lost: number;
}

export interface TrialArtifact {
  /** `video`, `screenshot`, `log`, or what the user names. */
  readonly kind: string;
  /** Relative to the run's folder, with `/`. */
  readonly path: string;
  readonly sha256?: string;
  /** When it was recorded (its beginning, for a video), ISO time, so that markers can be found in it. */
  readonly at?: string;
}

/** One step of a run: a stretch up to a marker, a span, an LLM call, or a line of the agent's step log. */
export interface TrialStep {
  readonly name: string;
  /** Where it comes from. */
  readonly kind: "marker" | "span" | "llm" | "log" | "posted";
  readonly started_at?: string;
  readonly duration_ms?: number;
  readonly cost_usd?: number;
  readonly tokens_in?: number;
  readonly tokens_out?: number;
  /** All tokens; the only figure where in and out were not told apart. */
  readonly tokens?: number;
}

/** `run.json` in a run's folder: one launch of the command under test, with everything but the grade. */
export interface TrialManifest {
  readonly schema: "waymark.trial/1";
  /** The run's id, and the name of its folder. */
  readonly id: string;
  readonly state: "running" | "ended" | "graded" | "interrupted" | "error";
  readonly batch?: string;
  /** From 1, over the whole batch. */
  readonly index: number;
  /** How many times this run was tried before and ended in `error`. */
  readonly retries: number;
  readonly variant?: string;
  readonly task?: string;
  /** The scenarios' parameters that this run was given, for grading it again and learning from it. */
  readonly params?: Readonly<Record<string, JsonValue>>;
  readonly command: readonly string[];
  readonly started_at: string;
  readonly ended_at?: string;
  readonly end?: LaunchEnd;
  readonly settled?: Settled;
  readonly provenance: Provenance;
  /** What the run ran with, by element: app, model, prompt, git... */
  readonly versions: Readonly<Record<string, string>>;
  readonly labels: readonly string[];
  readonly capture?: CaptureCounts;
  readonly self_report?: SelfReport;
  readonly used?: Used;
  readonly steps?: readonly TrialStep[];
  /** Process measures over the trace (`measures.ts` defines each). */
  readonly measures?: Readonly<Record<string, number>>;
  readonly artifacts?: readonly TrialArtifact[];
  readonly review?: Review;
  /** Why the run could not be graded. */
  readonly error?: { readonly code: string; readonly message: string };
  /** When it was graded, ISO time, as its rows in the database have it. */
  readonly graded_at?: string;
}

/** A run as trials deal with it: the launch, and its grade by each scenario. */
export interface Trial {
  readonly manifest: TrialManifest;
  /** Absolute path of the run's folder; absent for a run that only the database knows. */
  readonly folder?: string;
  readonly results: readonly ScenarioResult[];
}
