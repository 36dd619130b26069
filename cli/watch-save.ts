import type { SeriesStanding } from "../grader/live-series.ts";
import { createRunIds } from "../grader/run-id.ts";
import type { LoadedScenario } from "../grader/scenario/load.ts";
import { saveWatchedRun } from "../grader/trials/live-save.ts";
import { versionsOf } from "../grader/trials/versions.ts";
import { paramValues } from "./params.ts";
import { runsPlaces, withSources } from "./runs-open.ts";
import type { Arguments } from "./verb.ts";

export interface Watched {
  readonly log: string;
  readonly series: readonly SeriesStanding[];
  readonly scenarios: readonly LoadedScenario[];
}

/** Keeps what was watched so far as a run with a label, and says so in a line. Throws what saving throws. */
export async function saveWatched({ log, series, scenarios }: Watched, args: Arguments): Promise<string> {
  const from = series.flatMap(({ first }) => first ?? []);
  if (from.length === 0) return "nothing to save yet: no event has come";
  const label = args.text("label") ?? "good";
  const { runs } = runsPlaces(args);
  const versions = await versionsOf({
    flags: [],
    cwd: process.cwd(),
    scenarios: scenarios.map(({ scenario }) => scenario),
  });
  const newRunId = createRunIds(Date.now);
  const markers = args.text("markers") ?? "markers";
  const params = paramValues(args.list("param"));
  const names = scenarios.map(({ scenario }) => scenario.id);
  return withSources(args, "make", async (sources) => {
    const { trial, document, cuts } = await saveWatchedRun(
      {
        start: {
          log,
          runs,
          scenarios: names,
          markers,
          params: Object.fromEntries(params),
          labels: [label],
          versions,
          newRunId,
          now: Date.now,
        },
        stop: { scenarios, newRunId, now: Date.now, reason: "waymark watch" },
        from,
      },
      sources,
    );
    const cut = cuts.length === 0 ? "" : `; the evidence is not whole: ${cuts[0]}`;
    return `saved as run ${trial.manifest.id.slice(0, 13)}, label ${label}, ${document.verdict}${cut}; waymark learn label:${label}`;
  });
}
