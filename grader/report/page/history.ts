import { wilson } from "../../statistics/interval.ts";
import type { Store, StoredRun } from "../../store/store.ts";
import type { Trial } from "../../trials/trial.ts";
import type { PageBatch } from "./data.ts";

const MOST_BATCHES = 60;
const MOST_RUNS = 20_000;

/** The batches of the scenarios that graded these runs, oldest first, as the database has them. */
export function historyOf(trials: readonly Trial[], store: Store): readonly PageBatch[] {
  const names = [...new Set(trials.flatMap(({ results }) => results.map(({ scenario }) => scenario)))];
  const shown = new Set(trials.flatMap(({ manifest }) => manifest.batch ?? []));
  return names.flatMap((scenario) => {
    const batches = new Map<string, StoredRun[]>();
    for (const run of store.listRuns({ scenario, limit: MOST_RUNS }).toReversed()) {
      if (run.batch === undefined) continue;
      const key = `${run.batch} ${run.markersSha256}`;
      const known = batches.get(key);
      if (known === undefined) batches.set(key, [run]);
      else known.push(run);
    }
    const rows = [...batches.values()].slice(-MOST_BATCHES);
    return rows.map((runs, at) => pageBatch(runs, rows[at - 1]?.at(-1), shown));
  });
}

function pageBatch(runs: readonly StoredRun[], before: StoredRun | undefined, shown: ReadonlySet<string>): PageBatch {
  const [first] = runs as readonly [StoredRun];
  const count = (verdict: StoredRun["verdict"]): number => runs.filter((run) => run.verdict === verdict).length;
  const [passed, failed] = [count("pass"), count("fail")];
  const graded = passed + failed;
  const interval = graded === 0 ? null : wilson({ passed, runs: graded });
  return {
    id: first.batch ?? "",
    at: first.startedAt ?? first.gradedAt,
    scenario: first.scenario,
    sha256: first.markersSha256,
    passed,
    failed,
    unknown: runs.length - graded,
    rate: graded === 0 ? null : passed / graded,
    interval: interval && { low: interval.low, high: interval.high },
    changed: changesBetween(before, first),
    shown: shown.has(first.batch ?? ""),
  };
}

/** What ran differently: versions that are not the same, and the markers themselves. */
function changesBetween(before: StoredRun | undefined, after: StoredRun): readonly string[] {
  if (before === undefined) return [];
  const [old, own] = [before.versions ?? {}, after.versions ?? {}];
  const versions = [...new Set([...Object.keys(old), ...Object.keys(own)])].filter((name) => old[name] !== own[name]);
  return [
    ...versions.map((name) => `${name} ${short(own[name] ?? "unknown")}`),
    ...(before.markersSha256 === after.markersSha256 ? [] : [`markers ${after.markersSha256.slice(0, 7)}`]),
  ];
}

function short(version: string): string {
  return /^[0-9a-f]{20,}$/.test(version) ? version.slice(0, 12) : version;
}
