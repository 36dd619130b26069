import type { ScenarioResult } from "../verdict.ts";
import type { Turnstile } from "./http/turnstile.ts";
import type { Batches } from "./runs/batches.ts";
import type { Desk, DeskDeps } from "./runs/desk.ts";

/** What the handlers of the API work with. */
export interface HandlerDeps {
  readonly deps: DeskDeps;
  readonly desk: Desk;
  readonly batches: Batches;
  readonly turnstile: Turnstile;
  /** When each log was reset. */
  readonly resets: Map<string, string>;
  readonly listeners: Set<(result: ScenarioResult) => void>;
  readonly maxUploadBytes: number;
  readonly startedAt: number;
  /** Called after each evaluation. */
  readonly tidy: () => void;
}
