import assert from "node:assert/strict";
import { DECODERS } from "../../proxy/decoders/index.ts";
import { createPipeline, type PipelineOptions, type UnnumberedRecord } from "../../proxy/pipeline/pipeline.ts";
import type { RetryLedger } from "../../proxy/pipeline/retries.ts";
import type { Exchange } from "../../proxy/record/exchange.ts";
import { isObject, type JsonObject, type JsonValue, parseJson } from "../../proxy/record/json.ts";

/** A pipeline with every decoder, and a cap of 1 MiB on inflated bodies. */
export function testPipeline(options: Partial<PipelineOptions> = {}) {
  return createPipeline({ decoders: DECODERS, maxInflatedBytes: 1_048_576, redactPaths: [], ...options });
}

/** The records an exchange becomes, parsed, numbered from 1. */
export function recordsOf(exchange: Exchange, ledger?: RetryLedger, options?: Partial<PipelineOptions>): JsonObject[] {
  return testPipeline(options)
    .records(exchange, ledger)
    .map((record, index) => parseRecord(lineOf(record, index + 1)));
}

/** The line a record becomes when it gets this number. */
export function lineOf({ before, after }: Pick<UnnumberedRecord, "before" | "after">, seq: number): string {
  return `${before}${seq}${after}`;
}

/** A line as a record; fails the test when it is none. */
export function parseRecord(line: string): JsonObject {
  const value = parseJson(line);
  assert.ok(isObject(value), line);
  return value;
}

/** The value at a path of own keys; undefined when there is none. */
export function at(value: JsonValue | undefined, ...path: string[]): JsonValue | undefined {
  let here = value;
  for (const key of path) {
    if (!isObject(here) || !Object.hasOwn(here, key)) return undefined;
    here = here[key];
  }
  return here;
}
