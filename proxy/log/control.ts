import { type JsonObject, stringifyJson } from "../record/json.ts";
import { type ControlKind, RECORD_FORMAT } from "../record/record.ts";
import { WAYMARK_VERSION } from "../record/version.ts";

/** One control line with its line end; `details` follow `control` and `at`. */
export function controlLine(control: ControlKind, at: number, details: JsonObject): string {
  const meta = { control, at: new Date(at).toISOString(), ...details };
  return `${stringifyJson({ name: null, $capture: meta })}\n`;
}

/** The line every capture begins with: who writes, in which format, and the number its first record will have. */
export function startLine(at: number, firstSeq: number, options: JsonObject): string {
  return controlLine("start", at, {
    record_format: RECORD_FORMAT,
    waymark: WAYMARK_VERSION,
    pid: process.pid,
    first_seq: firstSeq,
    options,
  });
}

/** The line that says where and why records are missing. `records` is at least 1 unless their number is unknown (null). */
export function lossLine(at: number, loss: Loss): string {
  const { records, why, bytes } = loss;
  return controlLine("loss", at, { records, why, ...(bytes === undefined ? {} : { bytes }) });
}

export interface Loss {
  readonly records: number | null;
  readonly why: string;
  /** Bytes that were cut away or are gone, where that is known. */
  readonly bytes?: number;
}
