import { type Dirent, existsSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { basename, extname, join } from "node:path";
import { type Fault, fault, WaymarkError, waymarkError } from "../../proxy/record/fault.ts";
import { nearest } from "../../proxy/record/near.ts";
import { type LoadedScenario, loadScenario } from "./load.ts";
import { kindOf, readBeginning } from "./scenario-file.ts";
import { shippedFolder } from "./shipped.ts";

export { shippedFolder } from "./shipped.ts";

export interface ScenarioSearch {
  /** Folder of the user's scenarios; it need not exist. */
  readonly folder: string;
  /** Ids, file names without their ending, or paths of files; absent or empty means all in the folder. */
  readonly names?: readonly string[];
  /** Folder looked at after `folder`; the scenarios that come with waymark, unless told otherwise. */
  readonly shipped?: string;
}

export interface FoundScenarios {
  readonly scenarios: readonly LoadedScenario[];
  /** About files in the folder that were not selected: broken ones, and ids that stand twice. */
  readonly warnings: readonly Fault[];
}

/** A scenario file before it is loaded. `id` is undefined for a library, which only lends patterns. */
export interface ScenarioFile {
  readonly file: string;
  readonly id: string | undefined;
}

/**
 * Finds and loads scenarios: by name in the folder, then among the shipped ones. A broken file stops only those who
 * asked for it. Throws a `WaymarkError`: WM_SCENARIO_NOT_FOUND for a name that nothing has, all faults of selected files
 * that are broken, and WM_SCENARIO_DUPLICATE_NAME when a selected id stands in two files of the folder.
 */
export async function findScenarios({ folder, names = [], shipped }: ScenarioSearch): Promise<FoundScenarios> {
  const own = await listScenarios(folder);
  const others = names.length === 0 ? [] : await listScenarios(shipped ?? shippedFolder());
  const wanted = names.length === 0 ? all(own, folder) : names.flatMap((name) => pick(name, own, { others, folder }));
  const files = [...new Set(wanted)];
  const results = await Promise.all(files.map(loadOrFaults));
  const faults = results.flatMap((result) => ("faults" in result ? result.faults : []));
  if (faults.length > 0) throw new WaymarkError(faults);
  const scenarios = results.flatMap((result) => ("faults" in result ? [] : [result]));
  checkTwins(scenarios);
  const rest = own.filter(({ file }) => !files.includes(file));
  return { scenarios, warnings: await warningsOf(rest, own) };
}

/** The scenario files directly in a folder, by name; none when there is no such folder. */
export async function listScenarios(folder: string): Promise<readonly ScenarioFile[]> {
  const entries = await entriesOf(folder);
  const files = entries
    .filter((entry) => !entry.isDirectory() && /\.ya?ml$/i.test(entry.name))
    .map(({ name }) => join(folder, name))
    .sort();
  return files.map((file) => ({ file, id: idIn(textOf(file)) }));
}

async function entriesOf(folder: string): Promise<readonly Dirent[]> {
  try {
    return await readdir(folder, { withFileTypes: true });
  } catch (cause) {
    if (kindOf(folder) === "file") throw notAFolder(folder);
    if (isMissing(cause)) return [];
    throw waymarkError("WM_SCENARIO_UNREADABLE", `the folder "${folder}" cannot be read`, { cause });
  }
}

function notAFolder(path: string): WaymarkError {
  const fix = "Give the folder it is in, and name the scenario: a file is checked by `waymark check FILE`.";
  return waymarkError("WM_USAGE", `--markers takes a folder, and "${path}" is a file`, { fix });
}

function isMissing(cause: unknown): boolean {
  return cause instanceof Error && "code" in cause && (cause.code === "ENOENT" || cause.code === "ENOTDIR");
}

function textOf(file: string): string {
  try {
    return readBeginning(file);
  } catch {
    return "scenario:"; // loading it tells why it cannot be read
  }
}

/** The id as it stands in the text, so that broken files and libraries can be told apart without loading them. */
function idIn(text: string): string | undefined {
  const line = /^scenario:[ \t]*(?:"([^"\n]*)"|'([^'\n]*)'|([^\s#][^\n#]*))?/m.exec(text);
  if (line === null) return /^(markers|rules):/m.test(text) ? "" : undefined;
  return (line[1] ?? line[2] ?? line[3] ?? "").trim();
}

function all(own: readonly ScenarioFile[], folder: string): readonly string[] {
  const files = own.filter(({ id }) => id !== undefined).map(({ file }) => file);
  if (files.length > 0) return files;
  const fix = `Name one with --scenario (the shipped ones need no folder), or write a first ${join(folder, "example.yaml")}: docs/markers.md shows how.`;
  throw waymarkError("WM_SCENARIO_NOT_FOUND", `there is no scenario in the folder "${folder}"`, { fix });
}

interface Elsewhere {
  readonly others: readonly ScenarioFile[];
  readonly folder: string;
}

function pick(name: string, own: readonly ScenarioFile[], { others, folder }: Elsewhere): readonly string[] {
  if (/\.ya?ml$/i.test(name) && existsSync(name)) return [name];
  const found = [own, others].map((files) => named(name, files)).find((files) => files.length > 0);
  if (found !== undefined) return found;
  const known = [...own, ...others].flatMap(({ id }) => (id === undefined || id === "" ? [] : [id]));
  const near = nearest(name, known);
  const hint = near.length === 0 ? "" : ` — did you mean ${near.map((each) => `"${each}"`).join(" or ")}?`;
  const fix = known.length === 0 ? `There are none in "${folder}".` : `Known: ${[...new Set(known)].join(", ")}.`;
  throw waymarkError("WM_SCENARIO_NOT_FOUND", `no scenario is called "${name}"${hint}`, { fix });
}

/** By id; else by the file's name. */
function named(name: string, files: readonly ScenarioFile[]): readonly string[] {
  const byId = files.filter(({ id }) => id === name);
  const byName = files.filter(({ file }) => basename(file, extname(file)) === name || basename(file) === name);
  return (byId.length > 0 ? byId : byName).map(({ file }) => file);
}

async function loadOrFaults(file: string): Promise<LoadedScenario | { readonly faults: readonly Fault[] }> {
  try {
    return await loadScenario(file);
  } catch (error) {
    if (error instanceof WaymarkError) return { faults: error.faults };
    throw error;
  }
}

function checkTwins(scenarios: readonly LoadedScenario[]): void {
  const first = new Map<string, LoadedScenario>();
  for (const loaded of scenarios) {
    const twin = first.get(loaded.scenario.id);
    if (twin === undefined) first.set(loaded.scenario.id, loaded);
    else throw new WaymarkError(twinFault(loaded.scenario.id, loaded.file, twin.file));
  }
}

function twinFault(id: string, file: string, other: string, severity: "error" | "warning" = "error"): Fault {
  const place = { file, line: 1, column: 1 };
  return fault("WM_SCENARIO_DUPLICATE_NAME", `two files hold a scenario "${id}": ${other} and ${file}`, {
    place,
    severity,
  });
}

async function warningsOf(rest: readonly ScenarioFile[], own: readonly ScenarioFile[]): Promise<Fault[]> {
  const twins = own.flatMap(({ file, id }, index) => {
    const earlier = own.slice(0, index).find((other) => other.id === id && id !== undefined && id !== "");
    return earlier === undefined || id === undefined ? [] : [twinFault(id, file, earlier.file, "warning")];
  });
  const results = await Promise.all(rest.filter(({ id }) => id !== undefined).map(({ file }) => loadOrFaults(file)));
  const broken = results.flatMap((result) => ("faults" in result ? result.faults : []));
  const errors = broken.filter(({ severity }) => severity === "error");
  return [...twins, ...errors.map((each): Fault => ({ ...each, severity: "warning" }))];
}
