import { open } from "node:fs/promises";
import { isObject, type JsonObject, parseJson } from "../../proxy/record/json.ts";
import { kindOf } from "../../proxy/record/record.ts";
import { findLogs } from "../read/series.ts";

const TAIL_BYTES = 262_144;

/** Name, time and file of the event that stands last in logs; undefined when their ends hold none that can be read. */
export async function lastEventOf(logs: readonly string[]): Promise<JsonObject | undefined> {
  const { series } = await findLogs([...new Set(logs)]).catch(() => ({ series: [] }));
  const files = series.flatMap(({ segments }) => segments.map(({ file }) => file)).reverse();
  for (const file of files) {
    const event = await lastEventIn(file);
    if (event !== undefined) return event;
  }
  return undefined;
}

async function lastEventIn(file: string): Promise<JsonObject | undefined> {
  const lines = (await tailOf(file)).split("\n").reverse();
  for (const line of lines) {
    const record = parse(line);
    if (record === undefined || kindOf(record) !== "event") continue;
    const meta = record["$capture"];
    const at = record["time"] ?? (isObject(meta) ? meta["at"] : undefined);
    return { name: record["name"] ?? null, ...(at === undefined ? {} : { at }), file };
  }
  return undefined;
}

async function tailOf(file: string): Promise<string> {
  const handle = await open(file, "r").catch(() => undefined); // gone meanwhile: then it says nothing
  if (handle === undefined) return "";
  try {
    const { size } = await handle.stat();
    const start = Math.max(0, size - TAIL_BYTES);
    const { buffer, bytesRead } = await handle.read(
      Buffer.alloc(Math.min(size, TAIL_BYTES)),
      0,
      Math.min(size, TAIL_BYTES),
      start,
    );
    return buffer.subarray(0, bytesRead).toString("utf8");
  } finally {
    await handle.close();
  }
}

function parse(line: string): JsonObject | undefined {
  try {
    const value = parseJson(line);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined; // the tail begins inside a line, or the line is torn
  }
}
