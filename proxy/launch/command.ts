import { accessSync, constants, readdirSync, statSync } from "node:fs";
import { delimiter, isAbsolute, join, resolve } from "node:path";
import { didYouMean } from "../record/near.ts";
import { batchFileCommand, isBatchFile, programExtensions } from "./windows-command.ts";

/** What to hand to `spawn`, so that the program gets its arguments as they were given and no shell comes between. */
export interface ResolvedCommand {
  readonly kind: "resolved";
  /** Absolute path of the program. */
  readonly file: string;
  readonly args: readonly string[];
  /** Windows: the arguments are one line that is quoted already. */
  readonly verbatim: boolean;
}

export interface UnstartableCommand {
  readonly kind: "unstartable";
  /** Why, in words for the user. */
  readonly reason: string;
}

export interface Whence {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly platform?: NodeJS.Platform;
}

/**
 * Finds the program a command names: a path as it stands (from `cwd`), a bare name in the PATH of `env`. Tells why it
 * cannot be started, with the nearest name in PATH, instead of throwing.
 */
export function resolveCommand(command: readonly string[], whence: Whence): ResolvedCommand | UnstartableCommand {
  const [name = "", ...args] = command;
  const { cwd, platform = process.platform } = whence;
  if (name === "") return unstartable("the command is empty");
  if (command.some((part) => part.includes("\0"))) return unstartable("the command holds a NUL character");
  if (statSync(cwd, { throwIfNoEntry: false })?.isDirectory() !== true) {
    return unstartable(`its working folder "${cwd}" is not a folder`);
  }
  const file = findProgram(name, whence);
  if (file === undefined) return unstartable(whyNotFound(name, whence));
  if (platform === "win32" && isBatchFile(file))
    return { kind: "resolved", ...batchFileCommand(file, args, whence.env) };
  return { kind: "resolved", file, args, verbatim: false };
}

/** Absolute path of the program `name` stands for, or undefined. */
export function findProgram(name: string, { cwd, env, platform = process.platform }: Whence): string | undefined {
  const endings = platform === "win32" ? programExtensions(name, env) : [""];
  const places = isPath(name, platform)
    ? [resolve(cwd, name)]
    : searchPath(env).map((folder) => resolve(cwd, folder, name));
  return places.flatMap((place) => endings.map((ending) => place + ending)).find((file) => isProgram(file, platform));
}

/** The folders of PATH; Windows spells the variable in many ways. An empty entry means the working folder (POSIX). */
export function searchPath(env: Readonly<Record<string, string | undefined>>): string[] {
  const key = pathKey(env);
  const value = env[key];
  return value === undefined || value === "" ? [] : value.split(delimiter).map((folder) => folder || ".");
}

/** The name under which an environment keeps its PATH. */
export function pathKey(env: Readonly<Record<string, string | undefined>>, platform = process.platform): string {
  if (platform !== "win32") return "PATH";
  return Object.keys(env).findLast((key) => key.toUpperCase() === "PATH") ?? "Path";
}

function isPath(name: string, platform: NodeJS.Platform): boolean {
  return isAbsolute(name) || name.includes("/") || (platform === "win32" && name.includes("\\"));
}

function isProgram(file: string, platform: NodeJS.Platform): boolean {
  try {
    if (!statSync(file).isFile()) return false;
    if (platform !== "win32") accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

function whyNotFound(name: string, { cwd, env, platform = process.platform }: Whence): string {
  if (isPath(name, platform)) {
    const file = resolve(cwd, name);
    const info = statSync(file, { throwIfNoEntry: false });
    if (info?.isDirectory() === true) return `"${name}" is a folder (EACCES)`;
    if (info !== undefined)
      return `"${name}" is not executable (EACCES): chmod +x it, or name its interpreter before it`;
    return `"${name}" does not exist (ENOENT)${didYouMean(file, siblings(file))}`;
  }
  const beside = statSync(join(cwd, name), { throwIfNoEntry: false });
  if (beside?.isFile() === true)
    return `"${name}" is not in PATH (ENOENT); a file of that name is here: write ./${name}`;
  return `"${name}" is not in PATH (ENOENT)${didYouMean(name, searchPath(env).flatMap(namesIn))}`;
}

function siblings(file: string): string[] {
  const folder = resolve(file, "..");
  return namesIn(folder).map((name) => join(folder, name));
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return []; // PATH names folders that do not exist
  }
}

function unstartable(reason: string): UnstartableCommand {
  return { kind: "unstartable", reason };
}
