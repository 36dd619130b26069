import { command } from "./command.ts";
import type { Evaluator } from "./evaluator.ts";
import { fileExists } from "./file-exists.ts";
import { jsonFile } from "./json-file.ts";
import { processRunning } from "./process-running.ts";
import { sqliteQuery } from "./sqlite-query.ts";

/** Every evaluator of the final state, in the order in which messages list them. Telemetry is graded, not looked at: see telemetry.ts. */
export const EVALUATORS: readonly Evaluator[] = [fileExists, processRunning, command, jsonFile, sqliteQuery];
