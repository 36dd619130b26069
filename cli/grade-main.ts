#!/usr/bin/env node
// The bin `grade`. A file of its own, because Windows' command shims hide the name a bin was called by.
import { startGrade } from "./start-grade.ts";

void startGrade(process.argv.slice(2));
