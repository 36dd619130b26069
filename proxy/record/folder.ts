import { mkdirSync, statSync } from "node:fs";
import { dirname, resolve } from "node:path";

/**
 * Makes a folder and what is missing above it, one step at a time, down from the nearest ancestor that is there; one that
 * stands already is fine, also when another process makes it meanwhile. Throws the system's error (`EACCES`, `ENOTDIR`,
 * `ENOENT`...). Node's own recursive `mkdir` never comes back where the system answers ENOENT under a folder that
 * exists, as `/proc` does. `mode` is that of each folder made.
 */
export function makeFolder(path: string, mode?: number): void {
  const missing: string[] = [];
  for (let at = resolve(path); !isThere(at); at = dirname(at)) {
    missing.push(at);
    if (dirname(at) === at) break; // a drive that does not exist
  }
  if (missing.length === 0) makeOne(resolve(path), mode); // tells when what is there is no folder
  for (const folder of missing.reverse()) makeOne(folder, mode);
}

function makeOne(path: string, mode: number | undefined): void {
  try {
    mkdirSync(path, mode === undefined ? {} : { mode });
  } catch (cause) {
    if (!isFolder(path)) throw cause;
  }
}

function isThere(path: string): boolean {
  try {
    statSync(path);
    return true;
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    if (code === "ENOENT" || code === "ENOTDIR") return false;
    throw cause;
  }
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}
