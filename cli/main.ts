#!/usr/bin/env node
import { keepCompiled } from "./compiled.ts";
import { startGrade } from "./start-grade.ts";

const [verb, ...words] = process.argv.slice(2);
if (verb === "grade") await startGrade(words);
else {
  keepCompiled();
  await (await import("./waymark.ts")).runWaymark(process.argv.slice(2));
}
