import { lstatSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const PREFIX = "waymark-front-";
const LEFT_BEHIND_MS = 3_600_000;

/** Makes a private folder (0700) for the moment of a start, and removes those that killed starts left over an hour ago. */
export function makeFrontFolder(parent = tmpdir(), now = Date.now()): string {
  for (const name of namesIn(parent)) {
    if (name.startsWith(PREFIX)) removeLeftover(join(parent, name), now);
  }
  return mkdtempSync(join(parent, PREFIX));
}

function namesIn(parent: string): string[] {
  try {
    return readdirSync(parent);
  } catch {
    return []; // it may be written into without being listed
  }
}

function removeLeftover(folder: string, now: number): void {
  try {
    const info = lstatSync(folder);
    const isOurs = process.getuid === undefined || info.uid === process.getuid();
    if (info.isDirectory() && isOurs && now - info.mtimeMs > LEFT_BEHIND_MS) rmSync(folder, { recursive: true });
  } catch {
    // gone already by another start, or held on Windows: the next start tries again
  }
}
