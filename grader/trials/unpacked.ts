import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { unpackArchive } from "./archive-read.ts";
import { readTrial } from "./folder.ts";
import type { Trial } from "./trial.ts";

/** True for a file whose name ends as an exported archive's does. */
export function isArchive(path: string): boolean {
  if (!/\.zip$/i.test(path)) return false;
  return statSync(path, { throwIfNoEntry: false })?.isFile() === true;
}

const unpacked = new Map<string, Promise<readonly Trial[]>>();

/**
 * The runs in an exported zip, unpacked into a temporary folder that goes when the process ends; a zip that is named
 * twice is unpacked once. Throws what `unpackArchive` throws.
 */
export function trialsInArchive(file: string): Promise<readonly Trial[]> {
  const path = resolve(file);
  const known = unpacked.get(path) ?? unpack(path);
  unpacked.set(path, known);
  return known;
}

async function unpack(path: string): Promise<readonly Trial[]> {
  const folder = mkdtempSync(join(tmpdir(), "waymark-archive-"));
  process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
  const { ids } = await unpackArchive(path, folder);
  return ids.map((id) => readTrial(join(folder, "runs", id)));
}
