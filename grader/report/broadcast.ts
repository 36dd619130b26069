import type { BatchDocument } from "../trials/batch.ts";
import type { ResultDocument, ScenarioResult } from "../verdict.ts";
import type { ReporterHooks } from "./reporter.ts";

export interface NamedHooks {
  readonly name: string;
  readonly hooks: ReporterHooks;
}

export interface Broadcast {
  result(result: ScenarioResult): void;
  end(document: ResultDocument): void;
  batch(document: BatchDocument): void;
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
  const tellAll = (tell: (hooks: ReporterHooks) => void): void => {
    for (const reporter of live) {
      try {
        tell(reporter.hooks);
      } catch (cause) {
        live.delete(reporter);
        onFailure(reporter.name, cause);
      }
    }
  };
  return {
    result: (result) => tellAll((hooks) => hooks.onResult?.(result)),
    end: (document) => tellAll((hooks) => hooks.onEnd?.(document)),
    batch: (document) => tellAll((hooks) => hooks.onBatch?.(document)),
  };
}
