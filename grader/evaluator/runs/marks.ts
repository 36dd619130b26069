import { once } from "node:events";
import { createReadStream, createWriteStream, statSync } from "node:fs";
import { open } from "node:fs/promises";
import { basename, join } from "node:path";
import { makeFolder } from "../../../proxy/record/folder.ts";
import { findLogs } from "../../read/series.ts";

/** How far a log that serves several runs stood when a run began: bytes per file. */
export interface LogMarks {
  readonly log: string;
  readonly at: string;
  readonly files: Readonly<Record<string, number>>;
}

/** Notes where every file of a log ends now. A log that is not there yet has no files. */
export async function markLog(log: string, at: string): Promise<LogMarks> {
  const { series } = await findLogs([log]);
  const files = series.flatMap(({ before, segments }) => [...before, ...segments].map(({ file }) => file));
  return { log, at, files: Object.fromEntries(files.map((file) => [file, sizeOf(file)])) };
}

/** Bytes that a log has grown by since it was marked; a file that became smaller was written anew and counts whole. */
export async function grownBytes(marks: LogMarks): Promise<number> {
  return (await partsSince(marks)).reduce((sum, { from, to }) => sum + to - from, 0);
}

/**
 * Copies what a log grew by since its marks into a folder, as a capture of its own: a `start` line, then the whole lines
 * that began after the marks. Answers how many bytes were taken. What another program writes meanwhile is not taken.
 */
export async function copySince(marks: LogMarks, folder: string): Promise<number> {
  makeFolder(folder);
  const started = new Set<string>();
  let taken = 0;
  for (const { file, from, to } of await partsSince(marks)) {
    const target = join(folder, basename(file));
    const series = basename(file).replace(/-[0-9]+(?=\.[^.]+$)/, "");
    const out = createWriteStream(target);
    if (!started.has(series)) out.write(startLine(marks, file));
    started.add(series);
    taken += await copyWholeLines(file, { from, to }, out);
    out.end();
    await once(out, "close");
  }
  return taken;
}

interface Part {
  readonly file: string;
  readonly from: number;
  readonly to: number;
}

async function partsSince({ log, files }: LogMarks): Promise<readonly Part[]> {
  const { series } = await findLogs([log]);
  const all = series.flatMap(({ before, segments }) => [...before, ...segments].map(({ file }) => file));
  return all.flatMap((file) => {
    const to = sizeOf(file);
    const marked = files[file] ?? 0;
    const from = marked > to ? 0 : marked;
    return from < to ? [{ file, from, to }] : [];
  });
}

function startLine({ at, log }: LogMarks, file: string): string {
  return `${JSON.stringify({ name: null, $capture: { control: "start", at, format: 1, run_of: log, file: basename(file) } })}\n`;
}

/** A line that was begun before `from` is none of ours, and one that is not whole at `to` came too late. */
async function copyWholeLines(
  file: string,
  { from, to }: { from: number; to: number },
  out: NodeJS.WritableStream,
): Promise<number> {
  let skip = from > 0 && !(await endsLine(file, from));
  let rest: Buffer = Buffer.alloc(0);
  let taken = 0;
  for await (const chunk of createReadStream(file, { start: from, end: to - 1 }) as AsyncIterable<Buffer>) {
    let bytes = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    if (skip) {
      const first = bytes.indexOf(10);
      if (first < 0) continue;
      bytes = bytes.subarray(first + 1);
      skip = false;
    }
    const last = bytes.lastIndexOf(10);
    rest = bytes.subarray(last + 1);
    if (last < 0) continue;
    taken += last + 1;
    if (!out.write(bytes.subarray(0, last + 1))) await once(out, "drain");
  }
  return taken;
}

async function endsLine(file: string, at: number): Promise<boolean> {
  const handle = await open(file, "r");
  try {
    const { buffer } = await handle.read(Buffer.alloc(1), 0, 1, at - 1);
    return buffer[0] === 10;
  } finally {
    await handle.close();
  }
}

function sizeOf(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0;
}
