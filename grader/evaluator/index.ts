/** The evaluator server as a library, and its look at the final state for whoever runs a live run. */

export { type LookOptions, lookAtState } from "./look.ts";
export { openApiDocument } from "./openapi.ts";
export { type BatchFacts, type SummariseBatch, summariseRuns } from "./runs/statistics.ts";
export { DEFAULT_PORT, type EvaluatorOptions, type EvaluatorServer, startEvaluator } from "./server.ts";
