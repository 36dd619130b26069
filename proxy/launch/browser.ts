import { mkdtempSync, readFileSync, realpathSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { publicKeyPin } from "../../certs/trust.ts";
import { makeFolder } from "../record/folder.ts";
import { addSwitches, isBrowserProgram, isElectronProgram } from "./browser-switches.ts";
import { findProgram } from "./command.ts";

export interface BrowserSurroundings {
  readonly proxyUrl: string;
  /** The authority's certificate alone; its key is the one that the browser is told to accept. */
  readonly certFile: string;
  /** The run's folder; profiles are made below it. */
  readonly folder: string;
  /** Ask for a debugging port, chosen by the browser and written to DevToolsActivePort in its profile. */
  readonly evidence?: boolean;
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** What the command is, where that is known; else its name and what lies beside it tell. */
  readonly kind?: "chromium" | "electron";
}

export interface BrowserCommand {
  readonly command: readonly string[];
  /** Absent when the command starts neither; then it is unchanged. */
  readonly kind?: "chromium" | "electron";
  /** The profile it will use, when the command says or waymark made it. */
  readonly profile?: string;
}

/** Profiles of a run's browsers, each `profile-*` below it. */
export function profilesFolder(folder: string): string {
  return join(folder, "browser");
}

/**
 * The command with what a browser of the Chromium family, or an Electron app, needs in order to use the proxy and accept its
 * certificates: switches before the command's own arguments, none of them over one that is given, and a fresh profile
 * (without which the browser hands the page to one that runs already). Any other command comes back as it is.
 */
export function browserArguments(command: readonly string[], surroundings: BrowserSurroundings): BrowserCommand {
  const [program = "", ...args] = command;
  const kind = surroundings.kind ?? kindOf(program, surroundings);
  if (kind === undefined) return { command };
  const given = profileGiven(args);
  const profile = given ?? freshProfile(surroundings.folder);
  const switches = browserSwitches(surroundings, kind);
  return { command: [program, ...addSwitches(args, [...switches, `--user-data-dir=${profile}`])], kind, profile };
}

/** The switches besides the profile; the quiet ones keep the browser's own traffic out of the capture. */
export function browserSwitches(
  { proxyUrl, certFile, evidence = false }: Pick<BrowserSurroundings, "proxyUrl" | "certFile" | "evidence">,
  kind: "chromium" | "electron" = "chromium",
): string[] {
  const network = [
    `--proxy-server=${proxyUrl.replace(/\/$/, "")}`,
    "--proxy-bypass-list=<-loopback>", // without it loopback targets go past the proxy
    `--ignore-certificate-errors-spki-list=${publicKeyPin(readFileSync(certFile, "utf8"))}`,
  ];
  const quiet = [
    "--no-first-run",
    "--no-default-browser-check",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
  ];
  return [...network, ...(kind === "chromium" ? quiet : []), ...(evidence ? ["--remote-debugging-port=0"] : [])];
}

function kindOf(program: string, { cwd = process.cwd(), env = process.env }: BrowserSurroundings) {
  if (isBrowserProgram(program)) return "chromium";
  if (isElectronProgram(program)) return "electron";
  const file = findProgram(program, { cwd, env });
  return file !== undefined && isElectronApp(file) ? "electron" : undefined;
}

/** A packaged Electron app keeps Chromium's resources, and its own code, beside the program. */
function isElectronApp(file: string): boolean {
  try {
    const folder = dirname(realpathSync(file));
    const isThere = (...parts: string[]) => statSync(join(folder, ...parts), { throwIfNoEntry: false }) !== undefined;
    if (isThere("..", "Frameworks", "Electron Framework.framework")) return true;
    return isThere("chrome_100_percent.pak") && (isThere("resources", "app.asar") || isThere("resources", "app"));
  } catch {
    return false;
  }
}

function profileGiven(args: readonly string[]): string | undefined {
  const found = args.findLast((arg) => arg.startsWith("--user-data-dir="));
  return found?.slice("--user-data-dir=".length);
}

function freshProfile(folder: string): string {
  const profiles = profilesFolder(folder);
  makeFolder(profiles);
  return mkdtempSync(join(profiles, "profile-"));
}
