import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, posix } from "node:path";
import { PROJECT } from "./project.ts";

const IMPORT =
  /(?:^|\n)\s*(?:import|export)\b(?:[^"'`;]*?\bfrom\s*)?["']([^"']+)["']|\bimport\(\s*["']([^"']+)["']\s*\)/g;

/** The project's own files that a source file imports, types and dynamic imports included; paths from the root, with `/`. */
export function importsOf(file: string): readonly string[] {
  const text = readFileSync(join(PROJECT, file), "utf8");
  return [...text.matchAll(IMPORT)]
    .map((match) => match[1] ?? match[2] ?? "")
    .filter((specifier) => specifier.startsWith("."))
    .map((specifier) => posix.join(dirname(file).replaceAll("\\", "/"), specifier));
}

/** Every file that the given ones lead to by imports, themselves included. */
export function reachableFrom(files: readonly string[]): ReadonlySet<string> {
  const reached = new Set<string>();
  const open = [...files];
  for (let file = open.pop(); file !== undefined; file = open.pop()) {
    if (reached.has(file) || !/\.tsx?$/.test(file)) continue;
    reached.add(file);
    open.push(...importsOf(file));
  }
  return reached;
}

/** The source files below a folder of the project, from the root, with `/`. */
export function sourcesIn(folder: string): readonly string[] {
  return readdirSync(join(PROJECT, folder), { recursive: true, encoding: "utf8" })
    .filter((file) => /\.tsx?$/.test(file))
    .map((file) => posix.join(folder, file.replaceAll("\\", "/")));
}
