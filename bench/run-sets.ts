import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import type { HeldRun } from "../grader/learn/predict.ts";
import { isObject, type JsonObject, type JsonValue, parseJson } from "../proxy/record/json.ts";
import { readTarGz } from "./tar.ts";

/** A run with what an independent checker said of it. */
export interface LabelledRun extends HeldRun {
  readonly task: string;
  readonly success: boolean;
  /** What the agent said of it, where it said something. */
  readonly selfReport: boolean | undefined;
}

export interface RunSet {
  readonly name: string;
  readonly runs: readonly LabelledRun[];
}

/**
 * The sets in a folder: each `NAME.tar.gz`, or `NAME/` unpacked, with `dev/labels.json` and `dev/runs/RUN.ndjson`. One
 * that is there in both forms is read from its folder.
 */
export function readSets(folder: string, part = "dev"): readonly RunSet[] {
  const entries = readdirSync(folder).sort();
  const unpacked = entries.filter((name) => existsSync(join(folder, name, part, "labels.json")));
  const packed = entries.filter((name) => name.endsWith(".tar.gz"));
  const fromFolders = unpacked.map((name) => readFolder(join(folder, name, part), name));
  const known = new Set(unpacked);
  const fromArchives = packed
    .flatMap((file) => readArchive(join(folder, file), part))
    .filter(({ name }) => !known.has(name));
  return [...fromFolders, ...fromArchives].sort((a, b) => (a.name < b.name ? -1 : 1));
}

function readFolder(folder: string, name: string): RunSet {
  const read = (path: string): string | undefined => {
    const file = join(folder, path);
    return statSync(file, { throwIfNoEntry: false }) === undefined ? undefined : readFileSync(file, "utf8");
  };
  return toSet(name, read);
}

function readArchive(file: string, part: string): readonly RunSet[] {
  const files = readTarGz(file);
  const names = [...files.keys()].flatMap((path) => {
    const [, name] = new RegExp(`^(?:.*/)?([^/]+)/${part}/labels\\.json$`).exec(path) ?? [];
    return name === undefined ? [] : [{ name, base: path.slice(0, -"labels.json".length) }];
  });
  return names.map(({ name, base }) => toSet(name, (path) => files.get(`${base}${path}`)?.toString("utf8")));
}

function toSet(name: string, read: (path: string) => string | undefined): RunSet {
  const labels = parseJson(read("labels.json") ?? "{}");
  const runs = Object.entries(isObject(labels) ? labels : {}).flatMap(([id, label]): readonly LabelledRun[] => {
    const text = read(`runs/${id}.ndjson`);
    if (text === undefined || !isObject(label)) return [];
    const { task, success, self_report: said } = label;
    return [
      {
        name: id,
        events: eventsIn(text),
        params: paramsIn(text),
        task: String(task),
        success: success === true,
        selfReport: typeof said === "boolean" ? said : undefined,
      },
    ];
  });
  return { name, runs: runs.sort((a, b) => (a.name < b.name ? -1 : 1)) };
}

function linesIn(text: string): readonly JsonObject[] {
  return text.split("\n").flatMap((line) => {
    if (line.trim() === "") return [];
    const value = parseJson(line);
    return isObject(value) ? [value] : [];
  });
}

function eventsIn(text: string): readonly JsonObject[] {
  return linesIn(text).filter(({ name }) => typeof name === "string");
}

/** The goal's parameters, where the run's header declares them. */
function paramsIn(text: string): ReadonlyMap<string, JsonValue> {
  const [header] = linesIn(text);
  const capture = header?.["$capture"];
  const params = header?.["name"] === null && isObject(capture) ? capture["params"] : undefined;
  return new Map(isObject(params) ? Object.entries(params) : []);
}
