import childProcess from "node:child_process";
import { mkdirSync, mkdtempSync } from "node:fs";
import { join } from "node:path";
import { addSwitches, isBrowserProgram } from "../browser-switches.ts";

interface SpawnOptions {
  readonly file: string;
  args: string[];
  envPairs?: string[];
}
type Spawn = (this: unknown, options: SpawnOptions) => unknown;

/** What `main.ts` takes out of this process's environment and non-Node children (curl, Python, a browser) need. */
function variables(url: string): Readonly<Record<string, string>> {
  const names = ["HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy"];
  return { ...Object.fromEntries(names.map((name) => [name, url])), NO_PROXY: "", no_proxy: "" };
}

/**
 * Gives a child the proxy variables that were taken out of this process, and a browser its switches. An environment that
 * does not carry WAYMARK_PROXY_URL was made by the program on purpose and stays as it is; so does a variable it set anew.
 */
export function guideChildren(url: string): void {
  const given = variables(url);
  const prototype = childProcess.ChildProcess.prototype as unknown as { spawn: Spawn };
  const { spawn } = prototype;
  prototype.spawn = function guided(options) {
    const pairs = options.envPairs;
    if (pairs?.some((pair) => pair.startsWith("WAYMARK_PROXY_URL=")) === true) {
      const names = new Set(pairs.map((pair) => pair.slice(0, pair.indexOf("="))));
      for (const [name, value] of Object.entries(given)) if (!names.has(name)) pairs.push(`${name}=${value}`);
      options.args = browserArguments(options.file, options.args);
    }
    return spawn.call(this, options);
  };
  guideSynchronous(given);
}

function browserArguments(file: string, args: string[]): string[] {
  const wanted = process.env["WAYMARK_BROWSER_SWITCHES"];
  if (wanted === undefined || !Array.isArray(args) || !isBrowserProgram(file)) return args;
  const [name = file, ...rest] = args;
  return [name, ...addSwitches(rest, [...(JSON.parse(wanted) as string[]), ...freshProfile(rest)])];
}

/** The switch that names the accepted key works only with a profile that is named. */
function freshProfile(args: readonly string[]): string[] {
  const profiles = process.env["WAYMARK_BROWSER_PROFILES"];
  if (profiles === undefined || args.some((arg) => arg.startsWith("--user-data-dir="))) return [];
  mkdirSync(profiles, { recursive: true });
  return [`--user-data-dir=${mkdtempSync(join(profiles, "profile-"))}`];
}

/** The synchronous ones do not go through ChildProcess; their options are the last argument that is a plain object. */
function guideSynchronous(given: Readonly<Record<string, string>>): void {
  for (const name of ["spawnSync", "execSync", "execFileSync"] as const) {
    const module = childProcess as unknown as Record<string, (...args: unknown[]) => unknown>;
    const original = module[name];
    if (original === undefined) continue;
    module[name] = function guided(...args) {
      const at = args.findLastIndex((arg) => typeof arg === "object" && arg !== null && !Array.isArray(arg));
      const options = (at < 0 ? {} : args[at]) as { env?: Record<string, string> };
      const env = options.env ?? process.env;
      if (env["WAYMARK_PROXY_URL"] === undefined) return original.apply(this, args);
      const guidedOptions = { ...options, env: { ...given, ...env } };
      const rest = at < 0 ? args.filter((arg) => arg !== undefined) : args;
      return original.apply(this, at < 0 ? [...rest, guidedOptions] : args.with(at, guidedOptions));
    };
  }
}
