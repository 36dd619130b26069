import { existsSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/** Root of the project, from dist/test/support. */
export const PROJECT = fileURLToPath(new URL("../../../", import.meta.url));

/** The bin of both `waymark` and `grade`, as built. */
export const MAIN = join(PROJECT, "dist", "cli", "main.js");

/** Shared test material beside the project (oracles, captures, cases); not part of the project. */
export const SHARED = join(PROJECT, "..", "shared");

/** Test option that skips, with its reason, where the shared material is absent: `test("...", needsShared(), ...)`. */
export function needsShared(...parts: string[]): { skip: false | string } {
  const path = join(SHARED, ...parts);
  return { skip: existsSync(path) ? false : `${["shared", ...parts].join("/")} is not here` };
}
