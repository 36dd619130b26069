import { type FileHandle, open, truncate } from "node:fs/promises";
import { isObject } from "../record/json.ts";
import { lossLine } from "./control.ts";
import { ignoreMissing } from "./series-files.ts";
import { lastNewline, parsed, readBytes } from "./tail.ts";

/** A file of the series and how many bytes of whole lines it holds. */
export interface Written {
  readonly path: string;
  readonly bytes: number;
}

interface Mark {
  readonly path: string;
  readonly start: number;
  /** What stood there. */
  readonly original: Buffer;
  /** What stands there now: a `loss` line, padded with blanks to the same length. */
  readonly shown: Buffer;
}

/** What a settled mark gave up for good, and how long its file is now. */
export interface Settled extends Written {
  readonly records: number;
}

/**
 * A `loss` line in the place of the last whole lines of a capture, put there as soon as writing fails. It takes no room
 * on a full disk, because it overwrites in place what is kept in memory meanwhile. So a writer that is killed while its
 * disk is full leaves a capture that says it is incomplete; one that can write again puts the lines back.
 */
export class LossMark {
  #mark: Mark | undefined;

  /**
   * Makes the mark stand at the end of what is written, in the last of these files (newest first) that has lines to give.
   * Without any, there is none. Throws the system's error when the file cannot be read or written.
   */
  async set(files: readonly Written[], why: string, at: number): Promise<void> {
    const old = this.#mark;
    const last = files.find(({ bytes }) => bytes > 0);
    if (last === undefined || (old?.path === last.path && endOf(old) === last.bytes)) return;
    const next = await this.#cover(last, why, at);
    if (next === undefined) return;
    this.#mark = next;
    if (old !== undefined && (old.path !== next.path || old.start < next.start)) await putBack(old);
  }

  /** Puts back what the mark covers: nothing is missing any more, or other lines say it. */
  async lift(): Promise<void> {
    if (this.#mark !== undefined) await putBack(this.#mark);
    this.#mark = undefined;
  }

  /** Leaves an exact `loss` line in the place of the mark and cuts its file off there; undefined when there is no mark. */
  async settle(lost: number, why: string, at: number): Promise<Settled | undefined> {
    const mark = this.#mark;
    if (mark === undefined) return undefined;
    const covered = countLines(mark.original);
    const line = lossLine(at, { records: lost + covered.records + covered.lost, why });
    await overwrite(mark.path, mark.start, padded(line, mark.original.length));
    this.#mark = undefined;
    const bytes = mark.start + Buffer.byteLength(line);
    await endLine(mark.path, bytes);
    return { path: mark.path, bytes, records: covered.records };
  }

  /** Covers as many of a file's last lines as the line needs; an old mark among them keeps what it covered itself. */
  async #cover({ path, bytes }: Written, why: string, at: number): Promise<Mark | undefined> {
    const line = lossLine(at, { records: null, why });
    const room = Buffer.byteLength(lossLine(at, { records: Number.MAX_SAFE_INTEGER, why }));
    const file = await open(path, "r+");
    try {
      let start = bytes;
      while (start > 0 && bytes - start < room) start = (await lastNewline(file, start - 1)) + 1;
      if (bytes - start < room) return undefined;
      const old = this.#mark;
      const isOver = old?.path === path && start < endOf(old);
      if (isOver) start = Math.min(start, old.start);
      const original = await readBytes(file, start, bytes);
      if (isOver) old.original.copy(original, old.start - start);
      const shown = padded(line, original.length);
      await writeAt(file, shown, start);
      return { path, start, original, shown };
    } finally {
      await file.close();
    }
  }
}

function endOf({ start, original }: Mark): number {
  return start + original.length;
}

function padded(line: string, length: number): Buffer {
  const buffer = Buffer.alloc(length, " ");
  buffer.write(line.slice(0, -1));
  buffer.write("\n", length - 1);
  return buffer;
}

/** A file that is gone, or that another program changed there, is left alone. */
async function putBack({ path, start, original, shown }: Mark): Promise<void> {
  const file = await open(path, "r+").catch(ignoreMissing);
  if (file === undefined) return;
  try {
    if (!(await readBytes(file, start, start + shown.length)).equals(shown)) return;
    await writeAt(file, original, start);
  } finally {
    await file.close();
  }
}

async function overwrite(path: string, start: number, bytes: Buffer): Promise<void> {
  const file = await open(path, "r+");
  await writeAt(file, bytes, start).finally(() => file.close());
}

/** Cuts a padded line's blanks off: its line end is written first, so that the line is whole at every moment. */
async function endLine(path: string, bytes: number): Promise<void> {
  await overwrite(path, bytes - 1, Buffer.from("\n"));
  await truncate(path, bytes);
}

async function writeAt(file: FileHandle, bytes: Buffer, start: number): Promise<void> {
  for (let done = 0; done < bytes.length; ) {
    done += (await file.write(bytes, done, bytes.length - done, start + done)).bytesWritten;
  }
}

/** Records among these lines, and the records that `loss` lines among them stand for. */
function countLines(lines: Buffer): { records: number; lost: number } {
  let records = 0;
  let lost = 0;
  for (const line of lines.toString("utf8").split("\n")) {
    const value = parsed(line);
    const meta = isObject(value) ? value["$capture"] : undefined;
    if (!isObject(meta)) continue;
    if (typeof meta["seq"] === "number") records++;
    else if (meta["control"] === "loss") lost += typeof meta["records"] === "number" ? meta["records"] : 1;
  }
  return { records, lost };
}
