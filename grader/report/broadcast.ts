import type { BatchDocument } from "../trials/batch.ts";
import type { ResultDocument, ScenarioResult } from "../verdict.ts";
import type { BatchStart, MarkerReached, ReporterHooks, TrialEnd, TrialStart, WatchStart } from "./reporter.ts";

export interface NamedHooks {
  readonly name: string;
  readonly hooks: ReporterHooks;
}

export interface Broadcast {
  result(result: ScenarioResult): void;
  end(document: ResultDocument): void;
  watchStart(start: WatchStart): void;
  batchStart(batch: BatchStart): void;
  trialStart(trial: TrialStart): void;
  marker(marker: MarkerReached): void;
  trialEnd(trial: TrialEnd): void;
  batch(document: BatchDocument): void;
  /** Waits for what reporters still have to do. Never rejects. */
  finish(): Promise<void>;
}

/**
 * Tells every reporter everything. One that throws is named to `onFailure` once and hears nothing more; the others go
 * on, and no verdict is touched.
 */
export function broadcast(
  reporters: readonly NamedHooks[],
  onFailure: (name: string, cause: unknown) => void,
): Broadcast {
  const live = new Set(reporters);
  const drop = (reporter: NamedHooks, cause: unknown): void => {
    live.delete(reporter);
    onFailure(reporter.name, cause);
  };
  const tellAll = (tell: (hooks: ReporterHooks) => void): void => {
    for (const reporter of live) {
      try {
        tell(reporter.hooks);
      } catch (cause) {
        drop(reporter, cause);
      }
    }
  };
  return {
    result: (result) => tellAll((hooks) => hooks.onResult?.(result)),
    end: (document) => tellAll((hooks) => hooks.onEnd?.(document)),
    watchStart: (start) => tellAll((hooks) => hooks.onWatchStart?.(start)),
    batchStart: (batch) => tellAll((hooks) => hooks.onBatchStart?.(batch)),
    trialStart: (trial) => tellAll((hooks) => hooks.onTrialStart?.(trial)),
    marker: (marker) => tellAll((hooks) => hooks.onMarker?.(marker)),
    trialEnd: (trial) => tellAll((hooks) => hooks.onTrialEnd?.(trial)),
    batch: (document) => tellAll((hooks) => hooks.onBatch?.(document)),
    finish: async () => {
      for (const reporter of live) {
        try {
          await reporter.hooks.finish?.();
        } catch (cause) {
          drop(reporter, cause);
        }
      }
    },
  };
}
