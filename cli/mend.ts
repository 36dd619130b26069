import { readFileSync, renameSync, writeFileSync } from "node:fs";
import type { Fault } from "../proxy/record/fault.ts";

/**
 * Applies the mends that faults carry to their file, whole or not at all (through a neighbour that takes its place).
 * Comments and layout stay. Returns how many were made.
 */
export function mendFile(file: string, faults: readonly Fault[]): number {
  const mends = faults.flatMap(({ place, replacement }) =>
    place === undefined || replacement === undefined || place.file !== file ? [] : [{ place, replacement }],
  );
  if (mends.length === 0) return 0;
  const lines = readFileSync(file, "utf8").split("\n");
  // From the end, so that a mend does not move the places of those before it.
  mends.sort((a, b) => b.place.line - a.place.line || b.place.column - a.place.column);
  for (const { place, replacement } of mends) {
    const line = lines[place.line - 1] ?? "";
    const start = place.column - 1;
    lines[place.line - 1] = `${line.slice(0, start)}${replacement}${line.slice(start + (place.length ?? 0))}`;
  }
  const neighbour = `${file}.${process.pid}.tmp`;
  writeFileSync(neighbour, lines.join("\n"));
  renameSync(neighbour, file);
  return mends.length;
}
