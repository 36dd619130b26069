import { createWriteStream, existsSync, mkdirSync, renameSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { type EventSource, eventSource } from "./events.ts";
import { MARKERS } from "./markers.ts";

/** What is special about a log; the marker events stand at the same places in each. */
export const LOG_KINDS = {
  sparse: "background events, a few look-alikes; the last marker near the end",
  never: "as sparse, without the last marker: the whole log has to be read for nothing",
  dense: "three lines in ten have a marker's event name and the wrong gesture",
  literal: "every line contains every value the markers ask for, in the wrong place",
  escaped: "every line has harmless \\u escapes",
  hidden: "every line has a \\u escape that could spell a value the markers ask for",
  tiny: "lines of about 40 bytes",
  long: "one line that is nine tenths of the log",
  malformed: "one line in a thousand is no JSON",
} as const;

export type LogKind = keyof typeof LOG_KINDS;

export interface LogSpec {
  readonly kind: LogKind;
  /** Size to reach, in bytes; the log ends with the first line that reaches it. */
  readonly bytes: number;
  readonly seed: number;
}

/** Where in the log each marker's event stands, as a share of its bytes. */
const PLACES = [0.15, 0.35, 0.55, 0.75, 0.995];

/**
 * The text of a log, in pieces whose ends need not be line ends; the joined pieces are lines that each end in a newline.
 * The same spec gives the same text on every machine. Every line is a JSON object, except in the kind `malformed`.
 */
export function* logText({ kind, bytes, seed }: LogSpec): Generator<string> {
  const source = eventSource(seed);
  let written = 0;
  let placed = 0;
  function* put(pieces: Iterable<string>): Generator<string> {
    for (const piece of pieces) {
      written += Buffer.byteLength(piece);
      yield piece;
    }
  }
  if (kind === "long") yield* put(longLine(source, bytes * 0.9));
  while (written < bytes) {
    const marker = MARKERS[placed];
    if (marker !== undefined && written >= (PLACES[placed] ?? 1) * bytes) {
      placed += 1;
      if (kind !== "never" || placed < MARKERS.length) yield* put([markerLine(source, placed)]);
    } else yield* put([`${lineOf(kind, source)}\n`]);
  }
  while (kind !== "never" && placed < MARKERS.length) yield markerLine(source, ++placed);
}

/** The line that satisfies the marker counted from 1. The second one has spaces around its colons, as some writers do. */
function markerLine(source: EventSource, position: number): string {
  const marker = MARKERS[position - 1];
  const text = marker === undefined ? "{}" : JSON.stringify(source.satisfying(marker));
  return `${position === 2 ? text.replace(/":/g, '" : ') : text}\n`;
}

function lineOf(kind: LogKind, source: EventSource): string {
  const { random } = source;
  switch (kind) {
    case "tiny":
      return `{"name":"ev${random.below(100)}","t":${1e6 + random.below(9e6)},"ok":true}`;
    case "dense":
      return withSomeEscapes(source, JSON.stringify(random.chance(0.3) ? source.lookalike() : source.background()));
    case "literal":
      return JSON.stringify({ ...source.background(), recent: AWAITED });
    case "escaped":
      return escaped(JSON.stringify({ ...source.background(), html: `<b>${source.words(2)}</b> & 'x' é` }));
    case "hidden":
      return JSON.stringify(source.background()).replace('"Gesture":"', '"G\\u0065sture":"');
    case "malformed":
      return random.chance(0.001) ? broken(source) : sparseLine(source);
    default:
      return sparseLine(source);
  }
}

const AWAITED = MARKERS.flatMap(({ event, where }) => [event, ...Object.values(where)]);

/** A background line; rarely one that has a marker's event name, or a marker's event name in the wrong field. */
function sparseLine(source: EventSource): string {
  const { random } = source;
  if (random.chance(0.0002)) return JSON.stringify(source.lookalike());
  const event = source.background();
  if (random.chance(0.0002)) event["previous"] = random.pick(MARKERS).event;
  return withSomeEscapes(source, JSON.stringify(event));
}

/** One line in twenty comes from a writer that escapes all that is not ASCII. */
function withSomeEscapes({ random }: EventSource, json: string): string {
  return random.chance(0.05) ? escaped(json) : json;
}

function escaped(json: string): string {
  return json.replace(/[<>&'\u0080-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

function broken(source: EventSource): string {
  const json = JSON.stringify(source.background());
  const ways = [json.slice(0, 1 + source.random.below(json.length - 1)), `${json}}`, json.replace(":", " ")];
  return source.random.pick([...ways, json.replace('"ver":"4.0"', '"ver":4.0.1')]);
}

function* longLine(source: EventSource, bytes: number): Generator<string> {
  let written = 0;
  yield '{"name":"big","data":{"rows":[0';
  while (written < bytes) {
    const row = `,{"key":"${source.hex(80)}","value":${source.random.bits()},"text":"${source.words(70)}"}`;
    written += row.length;
    yield row;
  }
  yield "]}}\n";
}

/** Changes whenever the text of a spec does, so that an older file in the cache is not taken for it. */
const TEXT_VERSION = 1;
const BLOCK_CHARACTERS = 1 << 20;

/** Folder of the bench's files, in the system's folder for temporary files; made when absent. */
export function benchFolder(): string {
  const folder = join(tmpdir(), "waymark-bench");
  mkdirSync(folder, { recursive: true });
  return folder;
}

/**
 * Path of a file with the log's text, written at the first call and kept for the next ones. It streams to the disk:
 * memory does not grow with the size. A file cut short by an error or an interruption is never taken for a whole one.
 */
export async function logFile(spec: LogSpec): Promise<string> {
  const name = `${spec.kind}-${spec.bytes}-${spec.seed}-v${TEXT_VERSION}.log`;
  const path = join(benchFolder(), name);
  if (existsSync(path) && statSync(path).size >= spec.bytes) return path;
  const partial = `${path}.${process.pid}.partial`;
  try {
    await pipeline(Readable.from(blocks(logText(spec))), createWriteStream(partial));
    renameSync(partial, path);
  } finally {
    rmSync(partial, { force: true });
  }
  return path;
}

function* blocks(pieces: Iterable<string>): Generator<Buffer> {
  let block: string[] = [];
  let size = 0;
  for (const piece of pieces) {
    block.push(piece);
    size += piece.length;
    if (size < BLOCK_CHARACTERS) continue;
    yield Buffer.from(block.join(""));
    block = [];
    size = 0;
  }
  yield Buffer.from(block.join(""));
}
