import { existsSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { findBrowser } from "../proxy/launch/index.ts";
import { waymarkError } from "../proxy/record/fault.ts";
import { didYouMean } from "../proxy/record/near.ts";
import type { Terminal } from "./terminal.ts";
import type { Arguments } from "./verb.ts";

export interface Target {
  readonly kind: "chrome" | "electron" | "terminal";
  /** Program and arguments, without what waymark adds. */
  readonly command: readonly string[];
}

const KINDS = ["chrome", "electron", "terminal"] as const;

/** What is to be opened. Throws WM_USAGE, WM_OPEN_NOT_FOUND. */
export function targetOf(args: Arguments, terminal: Terminal): Target {
  const [word = ""] = args.positionals;
  const at = word.indexOf(":");
  const [name, path] = at < 0 ? [word, ""] : [word.slice(0, at), word.slice(at + 1)];
  const kind = KINDS.find((known) => known === name);
  const url = args.text("url");
  if (kind === undefined) throw usage(`waymark open does not know "${word}"${didYouMean(name, KINDS)}`);
  if (url !== undefined && kind !== "chrome") throw usage("--url is for `open chrome`");
  if (kind === "terminal" && path !== "") throw usage("`open terminal` opens your shell; it takes no path");
  const program = programOf(kind, path, terminal);
  return { kind, command: [...program, ...args.command, ...(url === undefined ? [] : [url])] };
}

function programOf(kind: Target["kind"], path: string, { env }: Terminal): readonly string[] {
  if (kind === "terminal") return [shellOf(env)];
  if (kind === "electron") {
    if (path === "") throw usage("`open electron` needs the app: electron:PATH");
    return electronAt(path);
  }
  const found = path === "" ? findBrowser({ cwd: process.cwd(), env }) : path;
  if (found !== undefined) return [found];
  throw waymarkError(
    "WM_OPEN_NOT_FOUND",
    "no browser of the Chromium family was found in PATH or where they are installed",
  );
}

/** A packaged app's program; the program inside a macOS bundle; or a folder of source with Electron beside it. */
function electronAt(path: string): readonly string[] {
  const info = statSync(path, { throwIfNoEntry: false });
  if (info === undefined) throw notThere(`"${path}" does not exist`);
  if (!info.isDirectory()) return [path];
  if (path.replace(/\/+$/, "").endsWith(".app")) {
    const folder = join(path, "Contents", "MacOS");
    const [program] = existsSync(folder) ? readdirSync(folder) : [];
    if (program !== undefined) return [join(folder, program)];
    throw notThere(`"${path}" holds no program in Contents/MacOS`);
  }
  const electron = join(path, "node_modules", ".bin", process.platform === "win32" ? "electron.cmd" : "electron");
  if (existsSync(electron)) return [electron, path];
  throw notThere(`"${path}" is a folder without an Electron of its own (node_modules/.bin/electron)`);
}

/** The user's shell, on this terminal. */
function shellOf(env: Terminal["env"]): string {
  if (process.platform === "win32") return env["ComSpec"] ?? env["COMSPEC"] ?? "cmd.exe";
  return env["SHELL"] || "/bin/sh";
}

function usage(message: string): Error {
  return waymarkError("WM_USAGE", message, { fix: "Such as `waymark open chrome --url https://app.example.com`." });
}

function notThere(message: string): Error {
  return waymarkError("WM_OPEN_NOT_FOUND", message, {
    fix: "Name the app's program, or the folder of its source after npm install.",
  });
}
