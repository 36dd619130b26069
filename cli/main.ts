#!/usr/bin/env node
import { runWaymark } from "./waymark.ts";

await runWaymark(process.argv.slice(2));
