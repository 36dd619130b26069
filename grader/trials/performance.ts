import type { ScenarioResult } from "../verdict.ts";
import type { TrialPlaces } from "./folder.ts";
import type { Measured } from "./measures.ts";
import type { Spent } from "./spending.ts";
import type { CaptureCounts, LaunchEnd, SelfReport, Settled, TrialArtifact, TrialManifest } from "./trial.ts";

/** One launch of a command under the proxy, as a stage is asked for it. */
export interface PlayOrder {
  readonly id: string;
  readonly command: readonly string[];
  /** Set for the command besides what the stage sets for the proxy: the task's variables, and those of the run. */
  readonly env: Readonly<Record<string, string>>;
  readonly places: TrialPlaces;
}

export interface PlayHelp {
  /** Ends the launch, with all its processes. */
  readonly signal: AbortSignal;
  /** Waits for late events, once the command has ended; `activity` differs whenever more came. */
  readonly settle: (activity: () => string) => Promise<Settled>;
}

export interface Played {
  readonly end: LaunchEnd;
  /** ISO times of the launch and of its end, before late events were waited for. */
  readonly startedAt: string;
  readonly endedAt: string;
  readonly settled?: Settled;
  readonly capture: CaptureCounts;
  readonly artifacts: readonly TrialArtifact[];
  /** Why no telemetry came, as far as the proxy can tell: what it saw, the likely cause, what to try. */
  readonly explainSilence: () => string;
}

/** Launches a command under a proxy of its own and gives the capture's end; rejects only when it could do neither. */
export type Play = (order: PlayOrder, help: PlayHelp) => Promise<Played>;

/** A command that is run before or after each run, through the shell. */
export type Hook = (order: Omit<PlayOrder, "command">, help: Pick<PlayHelp, "signal">) => Promise<LaunchEnd>;

/** Counts a run's cost and time, and reads what its agent says. Each may be absent: then nobody counted. */
export interface Accounting {
  /** Before the grade, so that budgets can decide. */
  readonly spend?: (places: TrialPlaces, manifest: TrialManifest) => Promise<Spent>;
  readonly measure?: (
    places: TrialPlaces,
    manifest: TrialManifest,
    results: readonly ScenarioResult[],
  ) => Promise<Measured>;
  readonly readSelfReport?: (file: string) => SelfReport | undefined;
}

/** How a launch ended, in words: `exited with 0`. */
export function sayEnd(end: LaunchEnd): string {
  switch (end.kind) {
    case "exited":
      return `exited with ${end.code}`;
    case "killed":
      return `killed by ${end.signal}`;
    case "timeout":
      return `timed out after ${end.afterMs / 1000} s`;
    case "failed":
      return `could not be started: ${end.reason}`;
    case "stopped":
      return `stopped: ${end.reason}`;
    case "interrupted":
      return `interrupted: ${end.reason}`;
  }
}
