import { Decompress } from "fzstd";
import type { Unpacked } from "./codings.ts";

/** One frame of a body (RFC 8878 section 3.1): where it stands and what it asks for. */
interface Frame {
  readonly bytes: Uint8Array;
  /** Memory the frame needs to be decoded. */
  readonly windowBytes: number;
  readonly isSkippable: boolean;
  readonly isCut: boolean;
}

/** RFC 8878 section 3.1.1.1.2 asks decoders to support windows of at least 8 MiB. */
const MIN_WINDOW_LIMIT = 8 * 1024 * 1024;

/**
 * Decodes zstd frames one after the other. A body whose end is missing gives its whole blocks. Nothing is inflated beyond
 * `maxBytes`, and no frame may ask for a larger window than that (or 8 MiB, if that is more).
 */
export function unzstd(body: Uint8Array, maxBytes: number): Unpacked {
  const parts: Uint8Array[] = [];
  let [size, isCut] = [0, false];
  try {
    for (const frame of framesOf(body)) {
      isCut ||= frame.isCut;
      if (frame.isSkippable) continue;
      if (frame.windowBytes > Math.max(maxBytes, MIN_WINDOW_LIMIT)) return tooLarge(maxBytes);
      inflateFrame(frame, (chunk) => {
        size += chunk.length;
        if (size > maxBytes) throw new TooLarge();
        parts.push(chunk);
      });
    }
  } catch (cause) {
    if (cause instanceof TooLarge) return tooLarge(maxBytes);
    return { ok: false, why: cause instanceof Error ? cause.message : String(cause) };
  }
  return { ok: true, bytes: Buffer.concat(parts), end: isCut ? "cut" : "clean" };
}

class TooLarge extends Error {}

function tooLarge(maxBytes: number): Unpacked {
  return { ok: false, why: `inflates to more than ${maxBytes} bytes`, tooLarge: true };
}

function inflateFrame(frame: Frame, take: (chunk: Uint8Array) => void): void {
  new Decompress((chunk) => take(chunk.slice())).push(frame.bytes, !frame.isCut);
}

const MAGIC = 0xfd2fb528;
const SKIPPABLE = 0x184d2a50;

/** Walks over frames and their blocks by their sizes, without decoding. Throws `RangeError` where no frame begins. */
function framesOf(body: Uint8Array): Frame[] {
  const view = new DataView(body.buffer, body.byteOffset, body.length);
  const frames: Frame[] = [];
  for (let at = 0; at < body.length; ) {
    const left = body.length - at;
    const magic = left >= 4 ? view.getUint32(at, true) : 0;
    const isSkippable = (magic & 0xfffffff0) >>> 0 === SKIPPABLE;
    if (magic !== MAGIC && !isSkippable) throw new RangeError("no zstd frame where one should begin");
    const frame = isSkippable ? skippable(body, at, view) : dataFrame(body, at, view);
    frames.push(frame);
    at += frame.bytes.length;
  }
  return frames;
}

function skippable(body: Uint8Array, at: number, view: DataView): Frame {
  const length = at + 8 <= body.length ? 8 + view.getUint32(at + 4, true) : body.length - at + 1;
  const bytes = body.subarray(at, at + length);
  return { bytes, windowBytes: 0, isSkippable: true, isCut: bytes.length < length };
}

function dataFrame(body: Uint8Array, at: number, view: DataView): Frame {
  const { headerBytes, windowBytes, hasChecksum } = frameHeader(body, at, view);
  let end = at + headerBytes;
  for (let isLast = false; !isLast; ) {
    if (end + 3 > body.length) return { bytes: body.subarray(at), windowBytes, isSkippable: false, isCut: true };
    const head = (body[end] ?? 0) | ((body[end + 1] ?? 0) << 8) | ((body[end + 2] ?? 0) << 16);
    isLast = (head & 1) === 1;
    const isRepeated = ((head >> 1) & 3) === 1;
    end += 3 + (isRepeated ? 1 : head >> 3);
  }
  if (hasChecksum) end += 4;
  return { bytes: body.subarray(at, end), windowBytes, isSkippable: false, isCut: end > body.length };
}

interface FrameHeader {
  readonly headerBytes: number;
  readonly windowBytes: number;
  readonly hasChecksum: boolean;
}

/** The frame header (RFC 8878 section 3.1.1.1). */
function frameHeader(body: Uint8Array, at: number, view: DataView): FrameHeader {
  const descriptor = body[at + 4] ?? 0;
  const isSingle = (descriptor & 0x20) !== 0;
  const dictionaryBytes = [0, 1, 2, 4][descriptor & 3] ?? 0;
  const sizeFlag = descriptor >> 6;
  const sizeBytes = sizeFlag === 0 ? (isSingle ? 1 : 0) : 1 << sizeFlag;
  const sizeAt = at + 5 + (isSingle ? 0 : 1) + dictionaryBytes;
  const hasChecksum = (descriptor & 4) !== 0;
  if (sizeAt + sizeBytes > body.length) return { headerBytes: body.length - at, windowBytes: 0, hasChecksum };
  const windowByte = body[at + 5] ?? 0;
  const base = 2 ** (10 + (windowByte >> 3));
  const windowBytes = isSingle ? sizeOf(view, sizeAt, sizeBytes) : base + (base / 8) * (windowByte & 7);
  return { headerBytes: sizeAt + sizeBytes - at, windowBytes, hasChecksum };
}

function sizeOf(view: DataView, at: number, bytes: number): number {
  if (bytes === 8) return Number(view.getBigUint64(at, true));
  if (bytes === 4) return view.getUint32(at, true);
  return bytes === 2 ? view.getUint16(at, true) + 256 : view.getUint8(at);
}
