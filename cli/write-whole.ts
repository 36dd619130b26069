import { closeSync, openSync, renameSync, rmSync, statSync, writeSync } from "node:fs";

/**
 * Writes a file whole or not at all: into a neighbour that takes its place at the end. What stands there and is no plain
 * file (a pipe, a device) is written to as it is. Throws the system's error and leaves nothing of its own behind.
 */
export function writeWhole(file: string, parts: readonly string[]): void {
  const there = statSync(file, { throwIfNoEntry: false });
  if (there !== undefined && !there.isFile()) {
    writeParts(file, parts);
    return;
  }
  const draft = `${file}.${process.pid}.tmp`;
  try {
    writeParts(draft, parts);
    renameSync(draft, file);
  } catch (cause) {
    rmSync(draft, { force: true });
    throw cause;
  }
}

function writeParts(file: string, parts: readonly string[]): void {
  const descriptor = openSync(file, "w");
  try {
    for (const part of parts) {
      for (let rest = Buffer.from(part); rest.length > 0; ) rest = rest.subarray(writeSync(descriptor, rest));
    }
  } finally {
    closeSync(descriptor);
  }
}
