import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { placesIn, type TrialPlaces } from "../../grader/trials/folder.ts";
import type { Exchange } from "../../proxy/record/exchange.ts";
import { type JsonObject, stringifyJson } from "../../proxy/record/json.ts";
import { SHARED } from "./project.ts";
import { lineOf, testPipeline } from "./records.ts";
import { exchangeFromBytes } from "./requests.ts";

/** A captured request with its captured answer, when there is one. */
export function capturedExchange(set: string, id: string, answered = true): Exchange {
  const file = (ending: string): Buffer => readFileSync(join(SHARED, "captures", set, `${id}.${ending}`));
  const request = exchangeFromBytes(file("req"));
  if (!answered) return request;
  const { target, headers, body } = exchangeFromBytes(file("res"));
  return { ...request, response: { status: Number(target), headers, body, truncated: false } };
}

/** Writes a run's telemetry: what the proxy's pipeline makes of exchanges, numbered, behind a `start` line. */
export function writeCapture(folder: string, exchanges: readonly Exchange[]): TrialPlaces {
  const pipeline = testPipeline();
  const records = exchanges.flatMap((exchange) => pipeline.records(exchange));
  return writeLines(
    folder,
    records.map((record, index) => lineOf(record, index + 1)),
  );
}

/** Writes a run's telemetry from events as they are, behind a `start` line. */
export function writeEvents(folder: string, events: readonly JsonObject[]): TrialPlaces {
  return writeLines(
    folder,
    events.map((event) => stringifyJson(event)),
  );
}

function writeLines(folder: string, lines: readonly string[]): TrialPlaces {
  const places = placesIn(folder);
  mkdirSync(places.telemetry, { recursive: true });
  const start = stringifyJson({
    name: null,
    $capture: { control: "start", at: "2026-01-31T12:00:00.000Z", record_format: 1, first_seq: 1 },
  });
  writeFileSync(join(places.telemetry, "telemetry-0.log"), [start, ...lines, ""].join("\n"));
  return places;
}
