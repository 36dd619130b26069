import { readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { waymarkError } from "../../proxy/record/fault.ts";
import { makeFolder } from "../../proxy/record/folder.ts";
import { isObject, type JsonValue, parseJson, stringifyJson } from "../../proxy/record/json.ts";
import type { ResultDocument, ScenarioResult } from "../verdict.ts";
import type { Trial, TrialManifest } from "./trial.ts";

/** The places in a run's folder. */
export interface TrialPlaces {
  readonly folder: string;
  readonly manifest: string;
  readonly result: string;
  /** The log series, as the proxy writes it. */
  readonly telemetry: string;
  readonly evidence: string;
  readonly stdout: string;
  readonly stderr: string;
  /** Where the agent may leave its self-report, and its steps (NDJSON), unless told otherwise. */
  readonly selfReport: string;
  readonly steps: string;
  /** The run's own TMPDIR; emptied when the run is over. */
  readonly temporary: string;
}

/** Names the places in a run's folder; makes nothing. */
export function placesIn(folder: string): TrialPlaces {
  return {
    folder,
    manifest: join(folder, "run.json"),
    result: join(folder, "result.json"),
    telemetry: join(folder, "telemetry"),
    evidence: join(folder, "evidence"),
    stdout: join(folder, "stdout.log"),
    stderr: join(folder, "stderr.log"),
    selfReport: join(folder, "self-report.json"),
    steps: join(folder, "steps.ndjson"),
    temporary: join(folder, "tmp"),
  };
}

/** Writes `run.json`, whole or not at all. */
export function writeManifest(folder: string, manifest: TrialManifest): void {
  makeFolder(folder);
  writeWhole(placesIn(folder).manifest, manifest as unknown as JsonValue);
}

/** Writes `result.json`, whole or not at all. */
export function writeResult(folder: string, document: ResultDocument): void {
  writeWhole(placesIn(folder).result, document as unknown as JsonValue);
}

/**
 * Reads a run from its folder. One without a result (interrupted, or still running) has no results. Throws
 * `WM_RUN_DAMAGED` when the folder holds no readable `run.json`, or a result that cannot be read.
 */
export function readTrial(folder: string): Trial {
  const places = placesIn(folder);
  const manifest = readObject(places.manifest);
  if (manifest?.["schema"] !== "waymark.trial/1") {
    throw waymarkError("WM_RUN_DAMAGED", `${places.manifest} is not a run's manifest`);
  }
  const document = statSync(places.result, { throwIfNoEntry: false }) === undefined ? {} : readObject(places.result);
  const results = Array.isArray(document["results"]) ? document["results"] : [];
  return {
    manifest: manifest as unknown as TrialManifest,
    folder,
    results: results as unknown as readonly ScenarioResult[],
  };
}

/** The folders of runs below `runs`, oldest first (ids sort by time); empty when there is no such folder. */
export function listTrialFolders(runs: string): readonly string[] {
  if (statSync(runs, { throwIfNoEntry: false })?.isDirectory() !== true) return [];
  const names = readdirSync(runs).sort();
  return names
    .map((name) => join(runs, name))
    .filter((folder) => statSync(placesIn(folder).manifest, { throwIfNoEntry: false }) !== undefined);
}

function writeWhole(file: string, value: JsonValue): void {
  const draft = `${file}.${process.pid}.tmp`;
  try {
    writeFileSync(draft, `${stringifyJson(value)}\n`);
    renameSync(draft, file);
  } catch (cause) {
    rmSync(draft, { force: true });
    throw cause;
  }
}

function readObject(file: string): Readonly<Record<string, JsonValue>> {
  try {
    const value = parseJson(readFileSync(file, "utf8"));
    if (isObject(value)) return value;
  } catch (cause) {
    throw waymarkError("WM_RUN_DAMAGED", `${file} cannot be read as JSON`, { cause });
  }
  throw waymarkError("WM_RUN_DAMAGED", `${file} holds no JSON object`);
}
