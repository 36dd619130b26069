import { type JsonValue, stringifyJson } from "../../../proxy/record/json.ts";
import type { BatchDocument } from "../../trials/batch.ts";
import type { ResultDocument, ScenarioResult } from "../../verdict.ts";
import type { Reporter, ReporterHooks, Write } from "../reporter.ts";

/** One JSON object per line as things happen; what nobody told while it happened is told when it is over. */
export const ndjson: Reporter = {
  name: "ndjson",
  describe: "a line of JSON as each thing happens: batch.start, run.start, marker.reached, run.end, batch.end",
  create: ({ write }) => stream(write),
};

function stream(write: Write): ReporterHooks {
  const told = new Set<string>();
  const tell = (event: string, fields: object): void => {
    write(`${stringifyJson({ event, ...fields } as unknown as JsonValue)}\n`);
  };
  const once = (key: string, event: string, fields: object): void => {
    if (told.has(key)) return;
    told.add(key);
    tell(event, fields);
  };
  const markersOf = (trial: string, result: ScenarioResult): void => {
    for (const [at, { name, status, at: time, file, line }] of result.markers.entries()) {
      if (status !== "found") continue;
      const fields = { trial, scenario: result.scenario, marker: name, position: at + 1, at: time, file, line };
      once(`marker ${trial} ${result.scenario} ${name}`, "marker.reached", fields);
    }
  };
  const begin = ({
    run,
    scenario,
    started_at,
  }: {
    run: string;
    scenario: string;
    started_at?: string | undefined;
  }): void => {
    once("batch", "batch.start", {});
    once(`start ${run} ${scenario}`, "run.start", { run, scenario, started_at });
  };
  return {
    onWatchStart: begin,
    onBatchStart: (batch) => once("batch", "batch.start", batch),
    onTrialStart: (trial) => once(`start ${trial.trial}`, "run.start", trial),
    onMarker: (marker) => once(`marker ${marker.trial} ${marker.scenario} ${marker.marker}`, "marker.reached", marker),
    onTrialEnd: (trial) => {
      for (const result of trial.results) markersOf(trial.trial, result);
      once(`end ${trial.trial}`, "run.end", trial);
    },
    onResult: (result) => {
      const { run, scenario, started_at } = result;
      begin({ run, scenario, started_at });
      markersOf(run, result);
      tell("run.end", { run, scenario, verdict: result.verdict, duration_ms: result.duration_ms, result });
    },
    onEnd: (document) => endOfResults(document, tell, once),
    onBatch: (document) => {
      tellMissing(document, once, markersOf);
      const { results: _results, trials: _trials, runs: _runs, ...summary } = document;
      tell("batch.end", summary);
    },
  };
}

type Tell = (event: string, fields: object) => void;
type Once = (key: string, event: string, fields: object) => void;

function endOfResults({ results, ...summary }: ResultDocument, tell: Tell, once: Once): void {
  once("batch", "batch.start", {});
  tell("batch.end", { ...summary, runs: results.length });
}

function tellMissing(
  document: BatchDocument,
  once: Once,
  markersOf: (trial: string, result: ScenarioResult) => void,
): void {
  const { batch, started_at, trials, runs, results, groups } = document;
  const scenarios = [...new Set(groups.map(({ scenario }) => scenario))];
  once("batch", "batch.start", { batch, started_at, scenarios, runs: trials.length });
  for (const { id, index, retries, variant, task, started_at: began } of trials) {
    once(`start ${id}`, "run.start", { trial: id, index, retries, variant, task, started_at: began });
    const rows = runs.filter(({ trial }) => trial === id);
    const own = results.filter(({ run, scenario }) => rows.some((row) => row.run === run && row.scenario === scenario));
    for (const result of own) markersOf(id, result);
    const verdict = own.length === 0 ? rows[0]?.verdict : own.find((result) => result.verdict !== "pass")?.verdict;
    const fields = { trial: id, index, verdict: verdict ?? "pass", duration_ms: rows[0]?.duration_ms, results: own };
    once(`end ${id}`, "run.end", fields);
  }
}
