#!/usr/bin/env node
// The bin `grade`. A file of its own, because Windows' command shims hide the name a bin was called by.
import { keepCompiled } from "./compiled.ts";

keepCompiled();
const { runGrade } = await import("./grade-program.ts");
await runGrade(process.argv.slice(2));
