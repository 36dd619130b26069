#!/usr/bin/env node
import { keepCompiled } from "./compiled.ts";
import { startGrade } from "./start-grade.ts";

/** The bin `waymark`. A script without `await` at its top, which is what CommonJS can be made of (assets.mjs). */
async function start([verb, ...words]: readonly string[]): Promise<void> {
  if (verb === "grade") return startGrade(words);
  keepCompiled();
  const { runWaymark } = await import("./waymark.ts");
  return runWaymark(process.argv.slice(2));
}

void start(process.argv.slice(2));
