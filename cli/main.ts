#!/usr/bin/env node
import { keepCompiled } from "./compiled.ts";

keepCompiled();
const [verb, ...words] = process.argv.slice(2);
if (verb === "grade") await (await import("./grade-program.ts")).runGrade(words);
else await (await import("./waymark.ts")).runWaymark(process.argv.slice(2));
