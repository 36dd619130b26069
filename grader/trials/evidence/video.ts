import { rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { runFfmpeg } from "./ffmpeg.ts";
import type { Frame } from "./frames.ts";
import type { PictureSize } from "./jpeg-size.ts";

/** What a video is made of. */
export interface VideoOrder {
  readonly ffmpeg: string;
  /** The folder the frames are in. */
  readonly folder: string;
  readonly frames: readonly Frame[];
  readonly size: PictureSize;
  /** Until when the last frame was shown, in milliseconds since 1970. */
  readonly endMs: number;
  /** Path of the video without its extension. */
  readonly target: string;
}

export type Video = { readonly ok: true; readonly file: string } | { readonly ok: false; readonly why: string };

/** A picture that stands for long is repeated, so that a player can seek into the middle of it. */
const REPEAT_MS = 1000;
const LEAST_MS = 40;
const LIMIT_MS = 180_000;

/** Not every build of ffmpeg has every encoder. */
const ENCODERS = [
  { extension: "webm", args: "-c:v libvpx -deadline realtime -cpu-used 8 -b:v 1M -crf 20 -auto-alt-ref 0" },
  { extension: "mp4", args: "-c:v libx264 -preset veryfast -crf 28 -movflags +faststart" },
  { extension: "mp4", args: "-c:v mpeg4 -q:v 6 -movflags +faststart" },
] as const;
/** `-fps_mode` came with ffmpeg 5.1, `-vsync` goes after it. */
const ATTEMPTS = ["-fps_mode", "-vsync"].flatMap((sync) => ENCODERS.map((encoder) => ({ ...encoder, sync })));

/**
 * Makes a video of frames, each shown as long as it was shown on the page (ffmpeg's concat demuxer with durations), so
 * that a moment's offset in the video is its time minus that of the first frame. Pages that changed their size are
 * fitted into the largest. Never throws.
 */
export async function makeVideo(order: VideoOrder): Promise<Video> {
  const { ffmpeg, folder, target } = order;
  const list = join(folder, "frames.txt");
  let why = "there are no frames";
  try {
    await writeFile(list, concatList(order));
    for (const { extension, args, sync } of ATTEMPTS) {
      const file = `${target}.${extension}`;
      const input = ["-f", "concat", "-safe", "0", "-i", list, sync, "vfr"];
      const words = [...input, ...fitted(order.size), ...args.split(" "), file];
      const failed = await runFfmpeg(ffmpeg, words, { cwd: folder, limitMs: LIMIT_MS });
      if (failed === undefined && (await isFilled(file))) return { ok: true, file };
      why = failed ?? "it wrote nothing";
      await rm(file, { force: true });
    }
  } catch (cause) {
    why = cause instanceof Error ? cause.message : String(cause);
  } finally {
    await rm(list, { force: true });
  }
  return { ok: false, why };
}

/** The demuxer ignores the duration of the last file, so that one stands twice. */
function concatList({ frames, endMs }: VideoOrder): string {
  const lines = ["ffconcat version 1.0"];
  for (const [index, { file, atMs }] of frames.entries()) {
    let left = Math.max((frames[index + 1]?.atMs ?? endMs) - atMs, LEAST_MS);
    for (; left > REPEAT_MS + LEAST_MS; left -= REPEAT_MS) lines.push(`file ${file}`, `duration ${REPEAT_MS / 1000}`);
    lines.push(`file ${file}`, `duration ${(left / 1000).toFixed(4)}`);
  }
  const last = frames.at(-1);
  return `${[...lines, ...(last === undefined ? [] : [`file ${last.file}`])].join("\n")}\n`;
}

/** Encoders of 4:2:0 want even sides. */
function fitted({ width, height }: PictureSize): readonly string[] {
  const [w, h] = [width + (width % 2), height + (height % 2)];
  const filter = `scale=${w}:${h}:force_original_aspect_ratio=decrease,pad=${w}:${h}:(ow-iw)/2:(oh-ih)/2,setsar=1`;
  return ["-vf", filter, "-pix_fmt", "yuv420p", "-g", "30", "-an"];
}

async function isFilled(file: string): Promise<boolean> {
  const info = await stat(file).catch(() => undefined); // ffmpeg ended well and wrote nothing
  return info !== undefined && info.size > 0;
}
