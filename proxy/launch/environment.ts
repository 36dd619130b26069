import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { makeFolder } from "../record/folder.ts";
import { browserSwitches, profilesFolder } from "./browser.ts";
import { pathKey } from "./command.ts";
import { writeShims } from "./shims.ts";
import { programVariables } from "./variables.ts";

export interface EnvironmentOrder {
  /** The environment to start from, usually waymark's own; it is not changed. */
  readonly base: Readonly<Record<string, string | undefined>>;
  /** Address of the run's proxy as a URL. */
  readonly proxyUrl: string;
  /** The authority's certificate alone, and merged with the machine's roots. */
  readonly certFile: string;
  readonly bundleFile: string;
  /** The run's folder: temporary files, browser shims (`bin`) and profiles (`browser`) go below it. */
  readonly folder: string;
  /** Set last, so that it wins: WAYMARK_RUN_ID and its like. */
  readonly extra: Readonly<Record<string, string>>;
  /** Ask browsers for a debugging port. */
  readonly evidence?: boolean;
  /** Where the command will run; names in PATH may be relative to it. */
  readonly cwd?: string;
}

export interface PreparedEnvironment {
  /** The whole environment of the launch. */
  readonly env: Readonly<Record<string, string>>;
  /** The launch's own TMPDIR, to be removed when the run is over; not always below `folder`. */
  readonly temporary: string;
  /** Where profiles of browsers are made. */
  readonly profiles: string;
}

/**
 * A Unix socket's path holds at most 103 bytes (macOS) or 107 (Linux), and programs put theirs below TMPDIR; with a longer
 * TMPDIR than this Chromium and others fail in ways nobody connects with it.
 */
const MAX_TEMPORARY = 60;

/**
 * The environment of a launch: every variable by which a runtime is sent through the proxy and trusts its authority, over
 * whatever was set; a temporary folder of its own, so that nothing of an earlier run (an SDK's queue of unsent events) comes
 * back; wrappers for browsers started by name. Makes files below `folder` and throws the system's error when it cannot.
 */
export function launchEnvironment(order: EnvironmentOrder): PreparedEnvironment {
  const { folder, cwd = process.cwd() } = order;
  const env = environmentOf(order.base);
  const temporary = temporaryIn(folder);
  const profiles = profilesFolder(folder);
  for (const [name, value] of programVariables({ ...order, base: env })) assign(env, name, value);
  for (const name of ["TMPDIR", "TMP", "TEMP"]) assign(env, name, temporary);
  const switches = browserSwitches(order);
  const bin = join(folder, "bin");
  const shims = writeShims({ folder: bin, switches, profiles, env, cwd });
  if (shims.isNeeded) {
    const key = pathKey(env);
    assign(env, key, env[key] === undefined ? bin : bin + delimiter + env[key]);
  }
  const browsers = { WAYMARK_BROWSER_SWITCHES: JSON.stringify(switches), WAYMARK_BROWSER_PROFILES: profiles };
  for (const [name, value] of Object.entries({ ...shims.variables, ...browsers, ...order.extra }))
    assign(env, name, value);
  return { env, temporary, profiles };
}

function environmentOf(base: Readonly<Record<string, string | undefined>>): Record<string, string> {
  return Object.fromEntries(Object.entries(base).filter((entry): entry is [string, string] => entry[1] !== undefined));
}

/** Windows knows each name in one spelling only: of two, a program would get the one that sorts first. */
function assign(env: Record<string, string>, name: string, value: string): void {
  if (process.platform === "win32") {
    const others = Object.keys(env).filter((key) => key !== name && key.toUpperCase() === name.toUpperCase());
    for (const other of others) delete env[other];
  }
  env[name] = value;
}

function temporaryIn(folder: string): string {
  const own = join(folder, "tmp");
  if (process.platform !== "win32" && Buffer.byteLength(own) > MAX_TEMPORARY) return mkdtempSync(join(tmpdir(), "wm-"));
  makeFolder(own);
  return own;
}
