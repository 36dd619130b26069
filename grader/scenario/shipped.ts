import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const SCHEMA = "scenario.schema.json";

/** Folder of the scenarios that come with waymark: beside the sources, and beside the build. */
export function shippedFolder(): string {
  let folder = dirname(fileURLToPath(import.meta.url));
  while (!existsSync(join(folder, "markers", SCHEMA)) && dirname(folder) !== folder) folder = dirname(folder);
  return join(folder, "markers");
}

/** The JSON Schema of scenarios that stands there; undefined when it cannot be read. */
export function shippedSchema(): unknown {
  try {
    return JSON.parse(readFileSync(join(shippedFolder(), SCHEMA), "utf8"));
  } catch {
    return undefined; // the check that does without it takes longer and says the same
  }
}
