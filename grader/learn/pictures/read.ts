import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { type Picture, preparePicture } from "./compare.ts";

/** Reads pictures of any usual format, each file once. */
export interface PictureReader {
  /** Undefined for a file that cannot be read or is no picture; `unread` names it then. */
  read(file: string): Promise<Picture | undefined>;
  readonly unread: readonly string[];
}

/** The little of `sharp` that is used; the package is optional and need not be there. */
type Sharp = (input: Buffer, options: { readonly limitInputPixels: number }) => SharpPicture;

interface SharpPicture {
  greyscale(): SharpPicture;
  flatten(): SharpPicture;
  raw(): SharpPicture;
  toBuffer(options: { readonly resolveWithObject: true }): Promise<{
    readonly data: Buffer;
    readonly info: { readonly width: number; readonly height: number; readonly channels: number };
  }>;
}

const PACKAGE: string = "sharp";
const MOST_PIXELS = 100_000_000;

/** A reader of pictures; undefined where the optional package `sharp` is not installed. */
export async function openPictureReader(): Promise<PictureReader | undefined> {
  const sharp = await loadSharp();
  if (sharp === undefined) return undefined;
  const known = new Map<string, Picture | undefined>();
  const unread: string[] = [];
  return {
    unread,
    async read(file) {
      if (known.has(file)) return known.get(file);
      const picture = await readPicture(sharp, file).catch(() => undefined); // `unread` says so
      if (picture === undefined) unread.push(file);
      known.set(file, picture);
      return picture;
    },
  };
}

async function loadSharp(): Promise<Sharp | undefined> {
  try {
    const module = (await import(PACKAGE)) as { readonly default: Sharp };
    return module.default;
  } catch {
    return undefined; // not installed, or not for this system: learning goes on without pictures and says so
  }
}

async function readPicture(sharp: Sharp, file: string): Promise<Picture> {
  const bytes = readFileSync(file);
  const raw = sharp(bytes, { limitInputPixels: MOST_PIXELS }).flatten().greyscale().raw();
  const { data, info } = await raw.toBuffer({ resolveWithObject: true });
  const { width, height, channels } = info;
  const pixels = new Uint8Array(width * height);
  for (let at = 0; at < pixels.length; at++) pixels[at] = data[at * channels] ?? 0;
  return preparePicture(createHash("sha256").update(bytes).digest("hex"), file, { width, height, pixels });
}
