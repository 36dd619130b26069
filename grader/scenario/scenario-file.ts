import { closeSync, constants, fstatSync, openSync, readSync, type Stats, statSync } from "node:fs";
import { waymarkError } from "../../proxy/record/fault.ts";

/** As many bytes as the characters a scenario may have can take in UTF-8. */
const MAX_BYTES = 800_000;

/**
 * The text of a scenario file. Only regular files are read, since pipes and devices may never end, and no more of one
 * than a scenario may have. Throws a `WaymarkError`: WM_SCENARIO_UNREADABLE, or WM_SCENARIO_YAML_LIMIT when it is too long.
 */
export function readScenarioText(file: string): string {
  const bytes = readBytes(file);
  if (bytes.length > MAX_BYTES) {
    const place = { file, line: 1, column: 1 };
    throw waymarkError("WM_SCENARIO_YAML_LIMIT", `the file has more than ${MAX_BYTES} bytes`, { place });
  }
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (cause) {
    throw waymarkError("WM_SCENARIO_UNREADABLE", `"${file}" is not UTF-8 text`, { cause, fix: "Save it as UTF-8." });
  }
}

/** The first part of a file, enough to tell what it is, with whatever is no UTF-8 replaced. Throws like `readScenarioText`. */
export function readBeginning(file: string): string {
  return new TextDecoder().decode(readBytes(file));
}

/** What kind of thing a path names; undefined when nothing is there, or nothing that can be looked at. Never throws. */
export function kindOf(path: string): "file" | "folder" | "other" | undefined {
  try {
    return kind(statSync(path));
  } catch {
    return undefined;
  }
}

function kind(stats: Stats): "file" | "folder" | "other" {
  if (stats.isFile()) return "file";
  return stats.isDirectory() ? "folder" : "other";
}

function readBytes(file: string): Uint8Array {
  try {
    mustBeFile(statSync(file)); // before it is opened: opening a pipe waits for its other end
    const descriptor = openSync(file, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
    try {
      mustBeFile(fstatSync(descriptor));
      return readAtMost(descriptor, MAX_BYTES + 1);
    } finally {
      closeSync(descriptor);
    }
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw waymarkError("WM_SCENARIO_UNREADABLE", `"${file}" cannot be read: ${why}`, { cause });
  }
}

function mustBeFile(stats: Stats): void {
  if (stats.isFile()) return;
  throw new Error(stats.isDirectory() ? "it is a folder" : "it is a pipe, socket or device, not a file");
}

function readAtMost(descriptor: number, limit: number): Uint8Array {
  const parts: Buffer[] = [];
  let size = 0;
  while (size < limit) {
    const part = Buffer.allocUnsafe(Math.min(64 * 1024, limit - size));
    const count = readSync(descriptor, part);
    if (count === 0) break;
    parts.push(part.subarray(0, count));
    size += count;
  }
  return Buffer.concat(parts);
}
