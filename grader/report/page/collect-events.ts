import { createReadStream, statSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { promisify } from "node:util";
import { gzip } from "node:zlib";
import { isObject, parseJson } from "../../../proxy/record/json.ts";
import { createLineSplitter } from "../../read/lines.ts";
import type { EventsHeader } from "./events-header.ts";
import { fileName } from "./page-result.ts";

export interface WantedLine {
  /** The last part of the file's path. */
  readonly file: string;
  /** From 1. */
  readonly line: number;
  /** Whether the time of its event is asked for as well. */
  readonly timed?: boolean;
}

export interface EventsFound {
  readonly files: readonly string[];
  /** The chunk, packed; see `EventsHeader`. */
  readonly packed?: Uint8Array;
  readonly why?: string;
  readonly times: ReadonlyMap<string, string>;
  readonly redacted: number;
}

const pack = promisify(gzip);
/** Logs beyond this are not taken whole: a browser would have to hold them. */
const MOST_BYTES = 64_000_000;
/** Packed telemetry is at least about this much smaller; decides whether a log is packed at all. */
const LEAST_RATIO = 4;
const LEVEL = { level: 5 };

/** Packs the lines of a log; when they do not fit into `room` bytes, only the wanted ones. */
export async function collectEvents(
  files: readonly string[],
  wanted: readonly WantedLine[],
  room: number,
): Promise<EventsFound> {
  const names = files.map(fileName);
  const bytes = files.reduce((sum, file) => sum + (statSync(file, { throwIfNoEntry: false })?.size ?? 0), 0);
  if (bytes > MOST_BYTES || bytes / LEAST_RATIO > Math.max(0, room) * 2) return some(files, names, wanted, bytes);
  const texts = await Promise.all(files.map((file) => readFile(file)));
  const whole = texts.map(endedByLine);
  const header: EventsHeader = { files: whole.map((text) => ({ lines: countLines(text) })) };
  const packed = await pack(Buffer.concat([Buffer.from(`${JSON.stringify(header)}\n`), ...whole]), LEVEL);
  if (packed.length > room) return some(files, names, wanted, bytes);
  const redacted = whole.reduce((sum, text) => sum + countRedacted(text), 0);
  return { files: names, packed, times: timesIn(whole, names, wanted), redacted };
}

function endedByLine(text: Buffer): Buffer {
  return text.length === 0 || text.at(-1) === LF ? text : Buffer.concat([text, Buffer.from("\n")]);
}

const LF = 10;

function countLines(text: Buffer): number {
  let count = 0;
  for (let at = text.indexOf(LF); at !== -1; at = text.indexOf(LF, at + 1)) count++;
  return count;
}

const REDACTED = Buffer.from('"redacted":');

/** Adds up what the proxy says of each record. */
function countRedacted(text: Buffer): number {
  let count = 0;
  for (let at = text.indexOf(REDACTED); at !== -1; at = text.indexOf(REDACTED, at + 1)) {
    const digits = /^[0-9]{1,9}/.exec(text.toString("latin1", at + REDACTED.length, at + REDACTED.length + 9));
    count += Number(digits?.[0] ?? 0);
  }
  return count;
}

function timesIn(texts: readonly Buffer[], names: readonly string[], wanted: readonly WantedLine[]) {
  const times = new Map<string, string>();
  for (const { file, line } of wanted.filter(({ timed }) => timed === true)) {
    const at = names.indexOf(file);
    const text = texts[at];
    if (text === undefined) continue;
    const time = timeIn(lineOf(text, line));
    if (time !== undefined) times.set(`${at}:${line}`, time);
  }
  return times;
}

function lineOf(text: Buffer, line: number): string {
  let start = 0;
  for (let at = 1; at < line; at++) start = text.indexOf(LF, start) + 1;
  return text.toString("utf8", start, text.indexOf(LF, start));
}

/** The time of a record: its own, else its arrival. */
function timeIn(line: string): string | undefined {
  try {
    const record = parseJson(line);
    if (!isObject(record)) return undefined;
    const capture = record["$capture"];
    const time = record["time"] ?? (isObject(capture) ? capture["at"] : undefined);
    return typeof time === "string" ? time : undefined;
  } catch {
    return undefined; // a line that cannot be read has no time
  }
}

async function some(
  files: readonly string[],
  names: readonly string[],
  wanted: readonly WantedLine[],
  bytes: number,
): Promise<EventsFound> {
  const parts: { readonly header: EventsHeader["files"][number]; readonly lines: readonly string[] }[] = [];
  const times = new Map<string, string>();
  for (const [at, file] of files.entries()) {
    const numbers = wanted.filter((one) => one.file === names[at]).map(({ line }) => line);
    const lines = await linesOf(file, new Set(numbers));
    const kept = [...lines.keys()].sort((a, b) => a - b);
    for (const number of kept) {
      const time = timeIn(lines.get(number) ?? "");
      if (time !== undefined) times.set(`${at}:${number}`, time);
    }
    parts.push({ header: { lines: kept.length, numbers: kept }, lines: kept.map((number) => lines.get(number) ?? "") });
  }
  const header: EventsHeader = { files: parts.map((part) => part.header) };
  const text = [JSON.stringify(header), ...parts.flatMap(({ lines }) => lines)].join("\n");
  const why = `only the events that markers name are here; the whole log has ${(bytes / 1e6).toFixed(1)} MB`;
  return { files: names, packed: await pack(`${text}\n`, LEVEL), why, times, redacted: 0 };
}

const LONGEST_LINE = 1_000_000;

async function linesOf(file: string, numbers: ReadonlySet<number>): Promise<ReadonlyMap<number, string>> {
  const found = new Map<number, string>();
  if (numbers.size === 0) return found;
  let line = 0;
  const splitter = createLineSplitter(LONGEST_LINE, {
    line: (bytes, start, end) => {
      line++;
      if (numbers.has(line)) found.set(line, bytes.toString("utf8", start, end));
    },
    tooLong: () => void line++,
  });
  for await (const chunk of createReadStream(file)) splitter.push(chunk as Buffer);
  const rest = splitter.end();
  if (rest.kind === "bytes" && numbers.has(line + 1)) found.set(line + 1, rest.bytes.toString("utf8"));
  return found;
}
