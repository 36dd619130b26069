import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { benchFolder, type LogKind } from "./generate.ts";
import { MARKERS, markersJson, scenarioYaml } from "./markers.ts";
import { benchScript, type Finished, findPython, nodeProgram, type Program, WAYMARK } from "./processes.ts";

/** A program that grades a log, or that looks for the same events without regard to their order. */
export interface Contestant {
  readonly name: string;
  readonly program: Program | { readonly skipped: string };
  /** The line indices, from 0, that it says the markers stand at; absent for a program that does not answer that. */
  readonly answer?: (run: Finished) => readonly number[];
}

export const LOOP = "Python loop";
export const SPLIT2 = "split2 + JSON.parse";
export const RIPGREP = "ripgrep -F (no answer)";
export const EXACT = "waymark grade";
export const FAST = "waymark grade --fast";
export const ONE_THREAD = "waymark grade --threads 1";

/** Arguments of `waymark grade` for one log and the bench's scenario. */
export function gradeArguments(log: string, kind: LogKind): string[] {
  const folder = join(benchFolder(), kind === "long" ? "markers-long" : "markers");
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "bench_five.yaml"), scenarioYaml("bench_five", kind === "long" ? 2 ** 31 : undefined));
  return ["grade", log, "--scenario", "bench_five", "--markers", folder, "--no-store", "--json"];
}

/** `waymark grade` as users start it, for a sparse log. */
export function contestGrade(log: string): Program {
  return { command: process.execPath, args: [WAYMARK, ...gradeArguments(log, "sparse")] };
}

/** All programs for one log, those that cannot run here with the reason. */
export function contestantsFor(kind: LogKind, log: string): Contestant[] {
  const markers = join(benchFolder(), "markers.json");
  writeFileSync(markers, markersJson());
  const grade = gradeArguments(log, kind);
  return [
    { name: LOOP, program: pythonLoop(log, markers), answer: foundAnswer },
    { name: SPLIT2, program: split2Loop(kind, log, markers), answer: foundAnswer },
    { name: EXACT, program: nodeProgram(WAYMARK, grade), answer: waymarkAnswer },
    { name: ONE_THREAD, program: nodeProgram(WAYMARK, [...grade, "--threads", "1"]), answer: waymarkAnswer },
    { name: FAST, program: nodeProgram(WAYMARK, [...grade, "--fast"]), answer: waymarkAnswer },
    { name: "jq (no answer)", program: jq(kind, log) },
    { name: RIPGREP, program: ripgrep(log) },
    { name: "DuckDB read_ndjson", program: duckdb(kind, log, markers), answer: foundAnswer },
  ];
}

function foundAnswer({ stdout }: Finished): readonly number[] {
  return (JSON.parse(stdout) as { found: number[] }).found;
}

function waymarkAnswer({ stdout }: Finished): readonly number[] {
  const document = JSON.parse(stdout) as { results: { match_indices: number[] }[] };
  return document.results[0]?.match_indices ?? [];
}

function pythonLoop(log: string, markers: string): Contestant["program"] {
  const python = findPython();
  const loop = benchScript("../../bench/peers/loop.py");
  return python === undefined ? { skipped: "no python3 here" } : { command: python, args: [loop, log, markers] };
}

/** V8 has no text, and DuckDB no object, of as many bytes. */
const LONGEST_LINE = 2 ** 28;

/** The log of one line, when that is longer than a program can hold. */
function isOverlong(kind: LogKind, log: string): boolean {
  return kind === "long" && statSync(log).size > LONGEST_LINE;
}

function split2Loop(kind: LogKind, log: string, markers: string): Contestant["program"] {
  if (isOverlong(kind, log)) return { skipped: "no text of V8 holds a line of that length" };
  return nodeProgram(benchScript("peers/split2-loop.js"), [log, markers]);
}

function isThere(command: string): boolean {
  return spawnSync(command, ["--version"]).status === 0;
}

/** The events that fit any marker, each with its line. */
function jq(kind: LogKind, log: string): Contestant["program"] {
  if (!isThere("jq")) return { skipped: "no jq here" };
  if (kind === "malformed") return { skipped: "jq stops at the first line that is no JSON" };
  const tests = MARKERS.map(({ event, where }) => {
    const fields = Object.entries(where).map(([path, value]) => `.${path} == ${JSON.stringify(value)}`);
    return `(${[`.name == ${JSON.stringify(event)}`, ...fields].join(" and ")})`;
  });
  return { command: "jq", args: ["-c", `select(${tests.join(" or ")}) | [input_line_number, .name]`, log] };
}

function ripgrep(log: string): Contestant["program"] {
  if (!isThere("rg")) return { skipped: "no rg here" };
  return { command: "rg", args: ["-F", "-c", ...MARKERS.flatMap(({ event }) => ["-e", `"${event}"`]), log] };
}

/** DuckDB is in no list of dependencies: it is used where the folder named in the reason holds it. */
function duckdb(kind: LogKind, log: string, markers: string): Contestant["program"] {
  const folder = join(benchFolder(), "duckdb");
  const home = join(folder, "node_modules", "@duckdb", "node-api");
  if (!existsSync(home)) return { skipped: `npm install --prefix ${folder} @duckdb/node-api brings it` };
  if (kind === "malformed" || kind === "tiny")
    return { skipped: "it numbers only the lines it can read by its columns" };
  if (isOverlong(kind, log)) return { skipped: "it holds no object of that length" };
  const { main } = JSON.parse(readFileSync(join(home, "package.json"), "utf8")) as { main: string };
  const module = pathToFileURL(join(home, main)).href;
  return nodeProgram(benchScript("peers/duckdb-query.js"), [log, markers, module]);
}
