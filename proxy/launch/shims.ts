import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { makeFolder } from "../record/folder.ts";
import { findProgram } from "./command.ts";

/** Names under which programs start a browser. */
const NAMES = [
  "chromium",
  "chromium-browser",
  "google-chrome",
  "google-chrome-stable",
  "google-chrome-beta",
  "google-chrome-unstable",
  "chrome",
  "chrome-headless-shell",
  "microsoft-edge",
  "microsoft-edge-stable",
  "msedge",
  "brave-browser",
  "brave",
  "vivaldi",
  "opera",
];

/** Variables that name a browser to test tools; looked at only when they are set. */
const VARIABLES = [
  "CHROME_PATH",
  "CHROME_BIN",
  "CHROMIUM_PATH",
  "CHROMIUM_BIN",
  "GOOGLE_CHROME_BIN",
  "GOOGLE_CHROME_SHIM",
  "PUPPETEER_EXECUTABLE_PATH",
];

export interface ShimOrder {
  /** Where the shims go; made when there is one to write. */
  readonly folder: string;
  readonly switches: readonly string[];
  /** Where each start gets a profile of its own. */
  readonly profiles: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  readonly platform?: NodeJS.Platform;
}

export interface Shims {
  /** True when the folder holds a shim, so that it belongs first in PATH. */
  readonly isNeeded: boolean;
  /** Variables that now name a shim. */
  readonly variables: Readonly<Record<string, string>>;
}

/**
 * Writes a wrapper for each browser in PATH and each named by a variable, so that browsers which the launched program starts
 * by name use the proxy too. A wrapper adds only what is not given, and ends as the browser itself.
 */
export function writeShims(order: ShimOrder): Shims {
  const { env, cwd, folder, platform = process.platform } = order;
  const write = (name: string, browser: string): string => {
    makeFolder(folder);
    makeFolder(order.profiles);
    const file = join(folder, platform === "win32" ? `${name}.cmd` : name);
    writeFileSync(file, platform === "win32" ? batchShim(browser, order) : shellShim(browser, order), { mode: 0o755 });
    return file;
  };
  const found = NAMES.flatMap((name) => {
    const browser = findProgram(name, { env, cwd, platform });
    return browser === undefined ? [] : [write(name, browser)];
  });
  const variables = VARIABLES.flatMap((name) => {
    const browser = env[name] ? findProgram(env[name], { env, cwd, platform }) : undefined;
    return browser === undefined ? [] : [[name, write(`by-${name.toLowerCase()}`, browser)] as const];
  });
  return { isNeeded: found.length > 0, variables: Object.fromEntries(variables) };
}

function shellShim(browser: string, { switches, profiles }: ShimOrder): string {
  const unless = (name: string, word: string): string => {
    const given =
      name === "--remote-debugging-port" ? `*" ${name} "* | *" --remote-debugging-pipe "*` : `*" ${name} "*`;
    return `case $given in ${given}) ;; *) set -- ${word} "$@" ;; esac`;
  };
  const profile = `"--user-data-dir=$(mktemp -d ${quoted(join(profiles, "profile-XXXXXX"))})"`;
  return [
    "#!/bin/sh",
    "# Made by waymark for one run: the browser uses the run's proxy, unless its arguments say otherwise.",
    'given=" "',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: a shell's own expansion
    'for argument; do given="$given${argument%%=*} "; done',
    ...switches.map((item) => unless(item.split("=", 1)[0] ?? item, quoted(item))),
    unless("--user-data-dir", profile),
    `exec ${quoted(browser)} "$@"`,
    "",
  ].join("\n");
}

function quoted(word: string): string {
  return `'${word.replaceAll("'", "'\\''")}'`;
}

/** Of a switch given twice Chromium takes the last, so the program's own arguments come after ours. */
function batchShim(browser: string, { switches, profiles }: ShimOrder): string {
  const words = [...switches, `--user-data-dir=${profiles}\\profile-%RANDOM%%RANDOM%`].map((word) => `"${word}"`);
  return `@echo off\r\n"${browser}" ${words.join(" ")} %*\r\n`;
}
