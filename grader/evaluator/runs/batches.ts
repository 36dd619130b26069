import { readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { makeFolder } from "../../../proxy/record/folder.ts";
import { isObject, type JsonValue, parseJson, stringifyJson } from "../../../proxy/record/json.ts";
import { parseGate } from "../../statistics/gate.ts";
import type { BatchDocument } from "../../trials/batch.ts";
import type { SummedScenario } from "../../trials/summarise-runs.ts";
import type { Trial, TrialManifest } from "../../trials/trial.ts";
import type { BatchStart } from "../bodies.ts";
import { Refusal } from "../refusal.ts";
import type { Desk, DeskDeps } from "./desk.ts";
import { readOrder } from "./order.ts";
import type { RunUnderWay, SummariseBatch } from "./statistics.ts";

export interface Batches {
  start(body: BatchStart): { readonly id: string; readonly startedAt: string; readonly gate: string };
  /** The document of a batch as it stands; runs that are under way are not in it, and leave its gate open. Throws a 404. */
  get(id: string): Promise<BatchDocument>;
  /** Keeps the document of a run's batch, once a run of it has ended. */
  note(batch: string | undefined): Promise<void>;
}

interface Begun {
  readonly id: string;
  readonly startedAt: string;
  readonly gate: string;
  /** How many runs are planned. */
  readonly runs?: number;
}

/** States in which nothing more comes of a run. */
const OVER: readonly TrialManifest["state"][] = ["graded", "error", "interrupted"];

export function openBatches({
  desk,
  deps,
  summarise,
}: {
  desk: Desk;
  deps: DeskDeps;
  summarise: SummariseBatch;
}): Batches {
  const folder = join(deps.runs, "batches");
  const fileOf = (id: string): string => join(folder, `${encodeURIComponent(id)}.json`);
  const document = async (begun: Begun): Promise<BatchDocument> => {
    const trials = desk.inBatch(begun.id);
    const over = trials.filter(({ manifest }) => OVER.includes(manifest.state));
    const underWay = trials.flatMap((trial) =>
      OVER.includes(trial.manifest.state) ? [] : [{ trial, scenarios: readOrder(trial.folder ?? "")?.scenarios ?? [] }],
    );
    const gate = parseGate(begun.gate);
    if (!gate.ok) throw new Error(gate.why);
    return summarise({
      id: begun.id,
      startedAt: begun.startedAt,
      endedAt: over.at(-1)?.manifest.ended_at ?? begun.startedAt,
      gate: gate.gate,
      trials: over,
      underWay,
      missing: Math.max(0, (begun.runs ?? 0) - trials.length),
      scenarios: await scenariosOf(over, underWay, deps),
    });
  };
  const find = (id: string): Begun | undefined => {
    const begun = readBegun(fileOf(id));
    if (begun !== undefined) return begun;
    const [first] = desk.inBatch(id); // a run may name a batch that nobody began
    return first === undefined ? undefined : { id, startedAt: first.manifest.started_at, gate: "all" };
  };
  return {
    start({ gate, runs }) {
      const parsed = parseGate(gate);
      if (!parsed.ok) throw new Refusal(400, "WM_SERVE_BODY", `/gate: ${parsed.why}`, { pointer: "/gate" });
      const begun = {
        id: deps.newRunId(),
        startedAt: new Date(deps.now()).toISOString(),
        gate,
        ...(runs === undefined ? {} : { runs }),
      };
      makeFolder(folder);
      writeFileSync(`${fileOf(begun.id)}.tmp`, `${stringifyJson(begun)}\n`);
      renameSync(`${fileOf(begun.id)}.tmp`, fileOf(begun.id));
      deps.store?.saveBatch({ id: begun.id, startedAt: begun.startedAt });
      return begun;
    },
    async get(id) {
      const begun = find(id);
      if (begun === undefined) throw new Refusal(404, "WM_SERVE_NOT_FOUND", `there is no batch "${id}"`);
      return document(begun);
    },
    async note(batch) {
      const begun = batch === undefined ? undefined : find(batch);
      if (begun === undefined || deps.store === undefined) return;
      const summed = await document(begun);
      deps.store.saveBatch({
        id: begun.id,
        startedAt: begun.startedAt,
        endedAt: summed.ended_at,
        verdict: summed.verdict,
        exitCode: summed.exit_code,
        document: stringifyJson(summed as unknown as JsonValue),
      });
    },
  };
}

/** The scenarios that graded a run or will; what is gone from the marker folder since is known by its results. */
async function scenariosOf(
  over: readonly Trial[],
  underWay: readonly RunUnderWay[],
  { shelf }: DeskDeps,
): Promise<readonly SummedScenario[]> {
  const hashes = new Map(over.flatMap(({ results }) => results.map((one) => [one.scenario, one.markers_sha256])));
  const ids = new Set([...hashes.keys(), ...underWay.flatMap(({ scenarios }) => scenarios)]);
  const found = await Promise.all([...ids].map((id) => shelf.select([id], ["scenarios"]).catch(() => undefined)));
  const known = new Map(
    found
      .flatMap((one) => (one?.kind === "loaded" ? one.scenarios : []))
      .map(({ scenario }) => [scenario.id, scenario]),
  );
  return [...ids].map((id) => ({
    id,
    sha256: hashes.get(id) ?? known.get(id)?.sha256 ?? "",
    sessions: known.get(id)?.events.sessions ?? "all",
  }));
}

function readBegun(file: string): Begun | undefined {
  try {
    const begun = parseJson(readFileSync(file, "utf8"));
    return isObject(begun) ? (begun as unknown as Begun) : undefined;
  } catch {
    return undefined;
  }
}
