import { createReadStream, statSync } from "node:fs";
import { isObject, type JsonObject, parseJson } from "../../../proxy/record/json.ts";
import { kindOf } from "../../../proxy/record/record.ts";
import { findLogs } from "../../read/series.ts";
import { markLog } from "./marks.ts";

const POLL_MS = 200;
/** Bytes that are read of one file at one turn. */
const MOST_AT_ONCE = 4_194_304;

/** Hands on every event that a log grows by from now on, until the signal comes. What is no event is passed over. */
export async function tailLog(log: string, signal: AbortSignal, onEvent: (event: JsonObject) => void): Promise<void> {
  const read = new Map(Object.entries((await markLog(log, "")).files));
  while (!signal.aborted) {
    for (const file of await filesOf(log)) read.set(file, await readOn(file, read.get(file) ?? 0, onEvent));
    await pause(signal);
  }
}

async function filesOf(log: string): Promise<readonly string[]> {
  const { series } = await findLogs([log]);
  return series.flatMap(({ before, segments }) => [...before, ...segments].map(({ file }) => file));
}

/** Answers where the next turn begins: behind the last whole line. */
async function readOn(file: string, from: number, onEvent: (event: JsonObject) => void): Promise<number> {
  const size = statSync(file, { throwIfNoEntry: false })?.size ?? 0;
  const start = from > size ? 0 : from;
  if (start === size) return size;
  const parts: Buffer[] = [];
  const end = Math.min(size, start + MOST_AT_ONCE) - 1;
  for await (const chunk of createReadStream(file, { start, end }) as AsyncIterable<Buffer>) parts.push(chunk);
  const bytes = Buffer.concat(parts);
  const last = bytes.lastIndexOf(10);
  if (last < 0) return bytes.length >= MOST_AT_ONCE ? start + bytes.length : start;
  for (const line of bytes.subarray(0, last).toString("utf8").split("\n")) hand(line, onEvent);
  return start + last + 1;
}

function hand(line: string, onEvent: (event: JsonObject) => void): void {
  try {
    const value = parseJson(line);
    if (isObject(value) && kindOf(value) === "event") onEvent(value);
  } catch {
    // a line that is no JSON is no event; grading counts it
  }
}

function pause(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      clearTimeout(timer);
      signal.removeEventListener("abort", done);
      resolve();
    };
    const timer = setTimeout(done, POLL_MS);
    signal.addEventListener("abort", done, { once: true });
  });
}
