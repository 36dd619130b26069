import { lstatSync, readlinkSync, realpathSync } from "node:fs";
import { isAbsolute, join, parse, resolve, sep, win32 } from "node:path";
import { waymarkError } from "../../proxy/record/fault.ts";

/** A path as this machine understands it, or why it can lead nowhere here. */
export type Located =
  | { readonly kind: "here"; readonly path: string }
  | { readonly kind: "elsewhere"; readonly why: string };

/** A path leads out of the root. Says nothing of what is there, not even whether anything is. */
export class OutsideRoot extends Error {
  override readonly name = "OutsideRoot";
}

export interface LocatorOptions {
  /** Nothing outside this folder may be looked at; absent, everything that the user may read. */
  readonly root?: string;
  /** What relative paths start from; the root, else the folder of the process. */
  readonly cwd?: string;
  readonly platform?: NodeJS.Platform;
}

export interface Locator {
  readonly root: string | undefined;
  /** Where a path leads, links resolved when there is a root. Throws `OutsideRoot`. */
  locate(path: string): Located;
  /** A folder and a name in it, in the folder's own way of writing. */
  join(folder: string, name: string): string;
}

/**
 * Reads paths written for POSIX and for Windows. A Windows path on another system leads nowhere, and so does a device
 * path. With a root, every link on the way is resolved first (also those that lead nowhere, whose targets must not be
 * told apart from files that exist) and the path handed on is the resolved one. Throws `WM_SERVE_ROOT` for a root that
 * is no folder.
 */
export function createLocator({ root, cwd, platform = process.platform }: LocatorOptions = {}): Locator {
  const realRoot = root === undefined ? undefined : realFolder(root);
  const base = cwd ?? realRoot ?? process.cwd();
  return {
    root: realRoot,
    locate(path) {
      const why = whyNotHere(path, platform);
      if (realRoot === undefined) {
        return why === undefined
          ? { kind: "here", path: cwd === undefined ? path : resolve(base, path) }
          : { kind: "elsewhere", why };
      }
      if (why !== undefined) throw new OutsideRoot();
      const found = followLinks(withinRoot(resolve(base, path), resolve(root ?? ""), realRoot));
      if (!isInside(found, realRoot)) throw new OutsideRoot();
      return { kind: "here", path: found };
    },
    join: (folder, name) => (isWindowsPath(folder) ? win32.join(folder, name) : join(folder, name)),
  };
}

/** True for `C:\x`, `C:/x` and `\\server\share`. */
export function isWindowsPath(path: string): boolean {
  return /^(?:[A-Za-z]:[\\/]|\\\\)/.test(path);
}

/** True when `path` is `root` or lies in it; both absolute and normalised. */
export function isInside(path: string, root: string): boolean {
  return path === root || path.startsWith(root.endsWith(sep) ? root : root + sep);
}

const SYSTEMS: Readonly<Record<string, string>> = { linux: "Linux", darwin: "macOS", win32: "Windows" };

function whyNotHere(path: string, platform: NodeJS.Platform): string | undefined {
  if (platform !== "win32") {
    if (!isWindowsPath(path)) return undefined;
    return `${path} is a Windows path, and this machine runs ${SYSTEMS[platform] ?? platform}`;
  }
  return /^[\\/]{2}[.?][\\/]/.test(path) ? `${path} is a device, no file` : undefined;
}

function realFolder(root: string): string {
  try {
    return realpathSync(root);
  } catch (cause) {
    throw waymarkError("WM_SERVE_ROOT", `the root "${root}" is no folder that can be read`, { cause });
  }
}

/** The root may itself be named through links; a path below its written name is below the real one. */
function withinRoot(path: string, written: string, real: string): string {
  return isInside(path, written) ? join(real, path.slice(written.length)) : path;
}

const MOST_LINKS = 40;

/** Resolves every link, whether or not its target exists; what is not there stays as written. */
function followLinks(path: string): string {
  let [done, ...rest] = split(path);
  let links = 0;
  for (let part = rest.shift(); part !== undefined; part = rest.shift()) {
    const next = join(done, part);
    const target = linkTarget(next);
    if (target === undefined) {
      done = next;
      continue;
    }
    links += 1;
    if (links > MOST_LINKS) throw new OutsideRoot(); // a circle leads nowhere
    [done, ...rest] = split([resolve(done, target), ...rest].join(sep));
  }
  return done;
}

/** The file system's root, then each name. */
function split(path: string): [string, ...string[]] {
  const whole = resolve(path);
  const { root } = parse(whole);
  return [
    root,
    ...whole
      .slice(root.length)
      .split(sep)
      .filter((part) => part !== ""),
  ];
}

function linkTarget(path: string): string | undefined {
  try {
    return lstatSync(path).isSymbolicLink() ? readlinkSync(path) : undefined;
  } catch {
    return undefined; // not there, or not to be seen: whoever opens it finds out
  }
}

/** Whether a path is absolute in either way of writing. */
export function isAbsoluteAnywhere(path: string): boolean {
  return isAbsolute(path) || isWindowsPath(path);
}
