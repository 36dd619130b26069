import { median } from "../../statistics/quantiles.ts";
import type { Trial } from "../../trials/trial.ts";
import type { ScenarioResult } from "../../verdict.ts";
import type { PageMarker, PageScenario } from "./data.ts";
import type { ScenarioText } from "./input.ts";
import { scenarioKey } from "./page-result.ts";

/** The scenarios that graded the runs, in order of appearance, each version of its markers on its own. */
export function pageScenarios(trials: readonly Trial[], texts: readonly ScenarioText[]): readonly PageScenario[] {
  const byKey = new Map<string, ScenarioResult[]>();
  for (const result of trials.flatMap(({ results }) => results)) {
    const key = scenarioKey(result);
    const known = byKey.get(key);
    if (known === undefined) byKey.set(key, [result]);
    else known.push(result);
  }
  return [...byKey.values()].map((results) => pageScenario(results, texts));
}

/** Positions of scenarios by their keys. */
export function scenarioPositions(scenarios: readonly PageScenario[]): ReadonlyMap<string, number> {
  return new Map(
    scenarios.map(({ name, sha256 }, at) => [scenarioKey({ scenario: name, markers_sha256: sha256 }), at]),
  );
}

function pageScenario(results: readonly ScenarioResult[], texts: readonly ScenarioText[]): PageScenario {
  const [first] = results as readonly [ScenarioResult];
  const text =
    texts.find(({ name, sha256 }) => name === first.scenario && sha256 === first.markers_sha256) ??
    texts.find(({ name }) => name === first.scenario);
  const isSame = text?.sha256 === first.markers_sha256;
  return {
    name: first.scenario,
    ...(text?.title === undefined ? {} : { title: text.title }),
    ...(text?.description === undefined ? {} : { description: text.description }),
    file: first.file,
    sha256: first.markers_sha256,
    markers: markersOf(results, isSame ? text : undefined),
    rules: rulesOf(results),
    ...(text === undefined ? {} : { source: text.text, source_is: isSame ? "same" : "changed" }),
  };
}

interface Seen {
  readonly line: number;
  reached: number;
  of: number;
  readonly gaps: number[];
}

function markersOf(results: readonly ScenarioResult[], text: ScenarioText | undefined): readonly PageMarker[] {
  const seen = new Map<string, Seen>();
  for (const { markers, verdict } of results) {
    const isGraded = verdict === "pass" || verdict === "fail";
    for (const { name, source, status, after_ms: gap } of markers) {
      const known: Seen = seen.get(name) ?? { line: source.line, reached: 0, of: 0, gaps: [] };
      seen.set(name, known);
      if (!isGraded) continue;
      known.of++;
      if (status !== "found") continue;
      known.reached++;
      if (gap !== undefined) known.gaps.push(gap);
    }
  }
  return [...seen].map(([name, { line, reached, of, gaps }]) => {
    const [within, middle, mutation] = [text?.withinMs.get(name), median(gaps), text?.mutation?.get(name)];
    return {
      name,
      line,
      reached,
      of,
      ...(text?.optional.has(name) === true ? { optional: true as const } : {}),
      ...(within === undefined ? {} : { within_ms: within }),
      ...(middle === undefined ? {} : { median_ms: middle }),
      ...(mutation === undefined ? {} : { mutation }),
    };
  });
}

function rulesOf(results: readonly ScenarioResult[]): PageScenario["rules"] {
  const violated = new Map<string, number>();
  for (const { rules } of results) {
    for (const { name, violation_count: count } of rules)
      violated.set(name, (violated.get(name) ?? 0) + (count > 0 ? 1 : 0));
  }
  return [...violated].map(([name, runs]) => ({ name, violated: runs }));
}
