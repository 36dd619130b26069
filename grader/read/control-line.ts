import { waymarkError } from "../../proxy/record/fault.ts";
import { isObject, type JsonObject, type JsonValue } from "../../proxy/record/json.ts";
import { RECORD_FORMAT } from "../../proxy/record/record.ts";
import type { LinePlace } from "./intake.ts";

/** What a record or control line carries under `$capture`; empty when that is no object. */
export function captureOf(line: JsonObject): JsonObject {
  const meta = line["$capture"];
  return isObject(meta) ? meta : {};
}

/** A number as `seq` and `first_seq` are: whole and at least 1; undefined for everything else. */
export function positive(value: JsonValue | undefined): number | undefined {
  return typeof value === "number" && Number.isSafeInteger(value) && value > 0 ? value : undefined;
}

/** What a `loss` line says, in words: `12 records lost at t-0.log:7 (disk full)`. */
export function lossText({ records, why }: JsonObject, place: LinePlace): string {
  const lost = typeof records === "number" ? `${records} record${records === 1 ? "" : "s"}` : "records";
  return `${lost} lost at ${place.file}:${place.line}${typeof why === "string" ? ` (${why})` : ""}`;
}

/**
 * Throws `WM_LOG_NEWER_FORMAT` when a `start` line announces a record format by a number this reader does not know: all
 * but the integers from 1 to its own. Returns false when it announces one that is no number at all, so that nobody can
 * tell; a line without `record_format` counts as format 1.
 */
export function isKnownFormat(start: JsonObject, place: LinePlace): boolean {
  const format = start["record_format"];
  if (format === undefined) return true;
  if (typeof format !== "number" && typeof format !== "bigint") return false;
  const known = positive(format);
  if (known !== undefined && known <= RECORD_FORMAT) return true;
  throw waymarkError(
    "WM_LOG_NEWER_FORMAT",
    `${place.file} is written in record format ${format}; this waymark reads formats up to ${RECORD_FORMAT}`,
    { place: { file: place.file, line: place.line, column: 1 } },
  );
}
