import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gradeLogs } from "../../grader/grade.ts";
import { loadScenario } from "../../grader/scenario/load.ts";
import type { Store } from "../../grader/store/store.ts";
import { placesIn, writeManifest, writeResult } from "../../grader/trials/folder.ts";
import type { TrialManifest } from "../../grader/trials/trial.ts";

export interface KeptRun {
  readonly id: string;
  /** Names of its events, one a second. */
  readonly events: readonly string[];
  readonly manifest?: Partial<TrialManifest>;
}

/** Writes a scenario whose markers are events of these names, in order, and answers its file. */
export function writeScenario(file: string, events: readonly string[]): string {
  const markers = events.map((event) => `  - { name: ${event}, event: ${event} }\n`).join("");
  writeFileSync(file, `waymark: 1\nscenario: trip\nmarkers:\n${markers}`);
  return file;
}

/** Keeps a graded run as a batch does: its folder with manifest, telemetry and result, and its rows in the store. */
export async function keepRun(
  runs: string,
  store: Store,
  { id, events, manifest }: KeptRun,
  scenario: string,
): Promise<void> {
  const folder = join(runs, id);
  const whole: TrialManifest = {
    schema: "waymark.trial/1",
    id,
    state: "graded",
    index: 1,
    retries: 0,
    command: ["agent"],
    started_at: "2026-01-31T12:00:00.000Z",
    provenance: "live",
    versions: {},
    labels: [],
    ...manifest,
  };
  writeManifest(folder, whole);
  mkdirSync(placesIn(folder).telemetry, { recursive: true });
  const lines = events.map((name, at) => {
    const time = new Date(Date.UTC(2026, 0, 31, 12, 0, at)).toISOString();
    return `${JSON.stringify({ name, time })}\n`;
  });
  writeFileSync(join(placesIn(folder).telemetry, "telemetry-0.log"), lines.join(""));
  const { batch, variant, task, self_report: report } = whole;
  const { document } = await gradeLogs({
    logs: [placesIn(folder).telemetry],
    scenarios: [await loadScenario(scenario)],
    store,
    details: {
      trial: id,
      folder,
      ...(batch === undefined ? {} : { batch }),
      ...(variant === undefined ? {} : { variant }),
      ...(task === undefined ? {} : { task }),
      ...(report === undefined ? {} : { selfReport: report.claim }),
    },
  });
  writeResult(folder, document);
}
