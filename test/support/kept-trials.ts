import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { TestContext } from "node:test";
import { openStore, type Store } from "../../grader/store/store.ts";
import { placesIn, writeManifest, writeResult } from "../../grader/trials/folder.ts";
import { resultDocument } from "../../grader/trials/result-document.ts";
import type { TrialSources } from "../../grader/trials/select.ts";
import { storedDetails } from "../../grader/trials/stored-details.ts";
import type { TrialManifest } from "../../grader/trials/trial.ts";
import type { ScenarioResult } from "../../grader/verdict.ts";
import { sampleResult } from "./result.ts";
import { scratchFolder } from "./scratch.ts";

/** A folder as `.waymark` is: a database, and a folder of runs. */
export interface Project extends TrialSources {
  readonly dir: string;
  readonly db: string;
}

/** An empty project; its store is closed when the test ends. */
export function emptyProject(t: Pick<TestContext, "after">): Project {
  const dir = scratchFolder(t);
  const db = join(dir, "waymark.db");
  const store = openStore(db);
  t.after(() => store.close());
  return { dir, db, store, runs: join(dir, "runs") };
}

/** A manifest of a graded run; `more` replaces single keys. */
export function sampleManifest(id: string, more: Partial<TrialManifest> = {}): TrialManifest {
  return {
    schema: "waymark.trial/1",
    id,
    state: "graded",
    index: 1,
    retries: 0,
    command: ["node", "agent.js"],
    started_at: "2026-01-02T00:00:00.000Z",
    ended_at: "2026-01-02T00:00:09.000Z",
    graded_at: "2026-01-02T00:00:10.000Z",
    end: { kind: "exited", code: 0 },
    provenance: "live",
    versions: {},
    labels: [],
    ...more,
  };
}

export interface TrialParts {
  readonly manifest?: Partial<TrialManifest>;
  readonly results?: readonly Partial<ScenarioResult>[];
  /** Further files of the run's folder, by path. */
  readonly files?: Readonly<Record<string, string>>;
}

/** A run as it is kept: its folder with manifest, result and telemetry, and its rows. Answers the folder. */
export function keepTrial(
  { runs, store }: TrialSources & { store: Store },
  id: string,
  parts: TrialParts = {},
): string {
  const folder = join(runs, id);
  const manifest = sampleManifest(id, parts.manifest);
  const results = (parts.results ?? [{}]).map((more, index) => sampleResult(index === 0 ? id : `${id}-${index}`, more));
  writeManifest(folder, manifest);
  const files = { "telemetry/telemetry-0.log": `{"name":"a","run":"${id}"}\n`, ...parts.files };
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  if (results.length > 0) writeResult(placesIn(folder).folder, resultDocument(results));
  for (const result of results) {
    store.saveResult(result, storedDetails(manifest, folder, result));
    if (manifest.review !== undefined) store.saveReview(result.run, manifest.review);
  }
  return folder;
}
