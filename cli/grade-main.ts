#!/usr/bin/env node
// The bin `grade`. A file of its own, because Windows' command shims hide the name a bin was called by.
import { runWaymark } from "./waymark.ts";

await runWaymark(["grade", ...process.argv.slice(2)]);
