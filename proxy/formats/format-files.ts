import { readdirSync } from "node:fs";
import { join } from "node:path";

/** The format files directly in a folder, by name; none when there is no such folder. What reads them is not loaded for this. */
export function formatFiles(folder: string): string[] {
  try {
    return readdirSync(folder)
      .filter((name) => /\.ya?ml$/i.test(name))
      .sort()
      .map((name) => join(folder, name));
  } catch {
    return []; // no folder, no formats
  }
}
