import { waymarkError } from "../../proxy/record/fault.ts";
import { type Attempt, scenariosOf } from "./compare-attempt.ts";
import type { Trial } from "./trial.ts";

export interface CommonScenarios {
  readonly scenarios: readonly string[];
  /** Scenarios that graded only one side; they are not compared. */
  readonly onlyA: readonly string[];
  readonly onlyB: readonly string[];
}

/**
 * The scenarios both sides were graded by. A side without any result (all its runs ended in errors) is taken to have
 * been meant for those of the other. Throws `WM_COMPARE_SCENARIO` when there is none: rates over different scenarios say
 * nothing about each other.
 */
export function commonScenarios(a: readonly Trial[], b: readonly Trial[], wanted?: string): CommonScenarios {
  const [ofA, ofB] = [scenariosOf(a), scenariosOf(b)];
  const all = [...new Set([...ofA, ...ofB])];
  const isMissing = (scenario: string, of: readonly string[]): boolean => of.length > 0 && !of.includes(scenario);
  const scenarios = all.filter((scenario) => !isMissing(scenario, ofA) && !isMissing(scenario, ofB));
  const chosen = wanted === undefined ? scenarios : scenarios.filter((scenario) => scenario === wanted);
  if (chosen.length === 0) throw noCommon(ofA, ofB, wanted);
  return {
    scenarios: chosen,
    onlyA: ofA.filter((scenario) => isMissing(scenario, ofB)),
    onlyB: ofB.filter((scenario) => isMissing(scenario, ofA)),
  };
}

function noCommon(ofA: readonly string[], ofB: readonly string[], wanted: string | undefined) {
  const list = (of: readonly string[]): string => (of.length === 0 ? "none" : of.map((name) => `"${name}"`).join(", "));
  const what = wanted === undefined ? "no scenario graded both sides" : `the scenario "${wanted}" did not grade both`;
  return waymarkError("WM_COMPARE_SCENARIO", `${what}: A has ${list(ofA)}, B has ${list(ofB)}`);
}

/**
 * The one marker hash that all results of both sides were graded with; "" without results. Throws `WM_COMPARE_MARKERS`
 * when there are several: a verdict under one set of markers is no verdict under another.
 */
export function commonMarkers(scenario: string, a: readonly Attempt[], b: readonly Attempt[]): string {
  const hashes = new Map<string, [number, number]>();
  for (const [side, attempts] of [a, b].entries()) {
    for (const hash of attempts.flatMap(hashesOf)) {
      const counts = hashes.get(hash) ?? [0, 0];
      counts[side === 0 ? 0 : 1] += 1;
      hashes.set(hash, counts);
    }
  }
  if (hashes.size > 1) throw differentMarkers(scenario, hashes);
  return [...hashes.keys()][0] ?? "";
}

function hashesOf({ results }: Attempt): readonly string[] {
  return [...new Set(results.map(({ markers_sha256: hash }) => hash))];
}

function differentMarkers(scenario: string, hashes: ReadonlyMap<string, readonly [number, number]>) {
  const parts = [...hashes].map(([hash, [ofA, ofB]]) => `${hash.slice(0, 12)} (${ofA} of A, ${ofB} of B)`);
  const message = `the runs were graded by different versions of the markers of "${scenario}": ${parts.join("; ")}`;
  const fix = `Grade both sides with the same markers: \`waymark regrade A B -s ${scenario}\`, then compare again; or \`waymark compare A B --regrade\`, which keeps nothing.`;
  return waymarkError("WM_COMPARE_MARKERS", message, { fix });
}
