import type { ScenarioResult } from "../../verdict.ts";
import type { TrialArtifact } from "../trial.ts";

/** Where a marker is found in a recording. */
export interface MarkerOffset {
  readonly scenario: string;
  readonly marker: string;
  /** Milliseconds from the recording's first picture. */
  readonly offset_ms: number;
}

const PLAYED: readonly string[] = ["video", "frames"];

/** The markers that were reached while a recording ran, in order; none for what has no time, or is no recording. */
export function offsetsIn({ kind, at }: TrialArtifact, results: readonly ScenarioResult[]): readonly MarkerOffset[] {
  const begin = Date.parse(at ?? "");
  if (!PLAYED.includes(kind) || Number.isNaN(begin)) return [];
  const offsets = results.flatMap(({ scenario, markers }) =>
    markers.map(({ name, at: reached }) => ({ scenario, marker: name, offset_ms: Date.parse(reached ?? "") - begin })),
  );
  return offsets.filter(({ offset_ms }) => offset_ms >= 0).sort((a, b) => a.offset_ms - b.offset_ms);
}
