import { createWriteStream, type WriteStream } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { makeFolder } from "../../../proxy/record/folder.ts";
import { jpegSize, type PictureSize } from "./jpeg-size.ts";

/** One picture of a page and when it was shown, in milliseconds since 1970. */
export interface Frame {
  readonly file: string;
  readonly atMs: number;
}

/** The pictures of one page, as they are written. */
export interface FrameFolder {
  readonly folder: string;
  /** Keeps a picture; answers at once, the disk is written behind it. */
  add(jpeg: Buffer, atMs: number): void;
  /** Resolves when all pictures are on disk, with those that could be written. Never rejects. */
  finish(): Promise<{ readonly frames: readonly Frame[]; readonly size: PictureSize; readonly lost: number }>;
}

/** Name of the list of frames beside them: one line `{"file", "at"}` each, in the order shown. */
export const FRAME_LIST = "frames.ndjson";

/**
 * A folder of frames with its list, which grows line by line, so that what a killed waymark leaves behind can be played
 * too. Times never step back: a frame that claims to be older than the one before it counts as shown with it.
 */
export function frameFolder(folder: string): FrameFolder {
  const frames: Frame[] = [];
  let list: WriteStream | undefined;
  let [count, lost, lastMs] = [0, 0, Number.NEGATIVE_INFINITY];
  let size: PictureSize = { width: 2, height: 2 };
  let work: Promise<void> = Promise.resolve();
  const keep = async (jpeg: Buffer, frame: Frame): Promise<void> => {
    try {
      list ??= openList(folder);
      await writeFile(join(folder, frame.file), jpeg);
      list.write(`${JSON.stringify({ file: frame.file, at: new Date(frame.atMs).toISOString() })}\n`);
      frames.push(frame);
    } catch {
      lost++; // told with the others when the recording ends
    }
  };
  return {
    folder,
    add(jpeg, atMs) {
      lastMs = Math.max(lastMs, atMs);
      const own = jpegSize(jpeg);
      if (own !== undefined) {
        size = { width: Math.max(size.width, own.width), height: Math.max(size.height, own.height) };
      }
      const frame = { file: `${String(++count).padStart(6, "0")}.jpg`, atMs: lastMs };
      work = work.then(() => keep(jpeg, frame));
    },
    async finish() {
      await work;
      await new Promise<void>((resolve) => (list === undefined ? resolve() : list.end(() => resolve())));
      return { frames, size, lost };
    },
  };
}

function openList(folder: string): WriteStream {
  makeFolder(folder);
  const stream = createWriteStream(join(folder, FRAME_LIST));
  stream.on("error", () => stream.destroy()); // the frames themselves say that the disk is full
  return stream;
}
