import { createWriteStream, type WriteStream } from "node:fs";
import { dirname } from "node:path";
import type { Readable } from "node:stream";
import { makeFolder } from "../record/folder.ts";

export interface OutputOptions {
  readonly file: string;
  /** The file never holds more than this and one line of notice. */
  readonly maxBytes: number;
  /** Told each piece that goes to the file. */
  readonly onChunk?: ((chunk: Buffer) => void) | undefined;
}

/** What became of one output stream of a launch. */
export interface OutputSummary {
  /** Bytes the program wrote. */
  readonly bytes: number;
  /** Bytes left out of the file. */
  readonly omitted: number;
  /** Its last lines, at most 20, for error messages. */
  readonly lastLines: readonly string[];
  /** Why the file is not whole, besides the cap: the disk is full, the folder cannot be written. */
  readonly problem?: string;
}

export interface Output {
  /** Writes what is held back and closes the file; the stream is read no further. Safe to call twice. */
  close(): Promise<OutputSummary>;
  summary(): OutputSummary;
}

/** The end of the output that is kept beside its beginning when the middle has to go. */
const MAX_TAIL_BYTES = 65_536;
const LAST_LINES = 20;
/**
 * Once the file is full, what a flooding program writes is read in slices of this size at this pace (some 25 MB/s), so that
 * it is slowed rather than stopped and reading it takes a few per cent of a core.
 */
const SLICE_BYTES = 262_144;
const SLICE_MS = 10;

/**
 * Copies a program's output into a file: its beginning, up to the cap, and its last 64 KiB; in between stands one line that
 * says how much is left out. The program is never stopped by it: a file that cannot be written is a `problem`, and reading
 * goes on.
 */
export function collectOutput(stream: Readable, { file, maxBytes, onChunk }: OutputOptions): Output {
  const tailBytes = Math.min(MAX_TAIL_BYTES, Math.floor(maxBytes / 4));
  const headBytes = maxBytes - tailBytes;
  const tail = keepLast(Math.max(tailBytes, 4_096));
  const sink = openSink(file);
  let bytes = 0;
  let slice = 0;
  const hold = (ms: number): void => {
    stream.pause();
    setTimeout(() => stream.resume(), ms);
  };
  stream.on("error", () => undefined); // the program's end of it broke; its exit tells
  stream.on("data", (chunk: Buffer) => {
    const room = Math.max(0, headBytes - bytes);
    bytes += chunk.length;
    tail.push(chunk);
    if (room > 0) {
      const kept = chunk.subarray(0, room);
      onChunk?.(kept);
      if (!sink.write(kept)) {
        stream.pause();
        sink.onceReady(() => stream.resume());
      }
      return;
    }
    slice += chunk.length;
    if (slice >= SLICE_BYTES) {
      slice = 0;
      hold(SLICE_MS);
    }
  });
  const rest = (): { omitted: number; kept: Buffer } => {
    const beyond = Math.max(0, bytes - headBytes);
    const kept = tail.bytes().subarray(-Math.min(beyond, tailBytes) || undefined);
    return { omitted: Math.max(0, beyond - tailBytes), kept: beyond === 0 ? Buffer.alloc(0) : kept };
  };
  const summary = (): OutputSummary => {
    const problem = sink.problem();
    const lastLines = linesOf(tail.bytes());
    return { bytes, omitted: rest().omitted, lastLines, ...(problem === undefined ? {} : { problem }) };
  };
  const close = async (): Promise<OutputSummary> => {
    stream.destroy();
    const { omitted, kept } = rest();
    if (omitted > 0) sink.write(Buffer.from(`\n[waymark: ${omitted} bytes left out here, the file is full]\n`));
    sink.write(kept);
    await sink.close();
    return summary();
  };
  let closing: Promise<OutputSummary> | undefined;
  return {
    summary,
    close() {
      closing ??= close();
      return closing;
    },
  };
}

interface Sink {
  /** False when more should wait. */
  write(bytes: Buffer): boolean;
  onceReady(then: () => void): void;
  problem(): string | undefined;
  close(): Promise<void>;
}

function openSink(file: string): Sink {
  let problem: string | undefined;
  const waiting: (() => void)[] = [];
  const release = (): void => {
    for (const then of waiting.splice(0)) then();
  };
  const fail = (cause: unknown): void => {
    problem ??= `${file} could not be written: ${cause instanceof Error ? cause.message : String(cause)}`;
    release();
  };
  const stream = openFile(file, fail);
  stream?.on("error", fail).on("drain", release);
  return {
    write(bytes) {
      if (stream === undefined || problem !== undefined || bytes.length === 0) return true;
      return stream.write(bytes);
    },
    onceReady: (then) => waiting.push(then),
    problem: () => problem,
    close: () =>
      new Promise((resolve) => {
        if (stream === undefined || stream.closed) resolve();
        else stream.once("close", resolve).end();
      }),
  };
}

function openFile(file: string, fail: (cause: unknown) => void): WriteStream | undefined {
  try {
    makeFolder(dirname(file));
    return createWriteStream(file);
  } catch (cause) {
    fail(cause);
    return undefined;
  }
}

/** The last `size` bytes of what was pushed, or a little more. */
function keepLast(size: number): { push(chunk: Buffer): void; bytes(): Buffer } {
  const held: Buffer[] = [];
  let total = 0;
  return {
    push(chunk) {
      held.push(chunk);
      total += chunk.length;
      for (let first = held[0]; first !== undefined && total - first.length >= size; first = held[0]) {
        total -= first.length;
        held.shift();
      }
    },
    bytes: () => Buffer.concat(held),
  };
}

function linesOf(bytes: Buffer): string[] {
  const lines = bytes
    .toString("utf8")
    .replace(/\r?\n$/, "")
    .split(/\r?\n/);
  return lines.length === 1 && lines[0] === "" ? [] : lines.slice(-LAST_LINES);
}
