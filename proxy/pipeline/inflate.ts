import {
  gunzip,
  inflateRaw,
  inflateZlib,
  isGzip,
  isGzipAsText,
  isPlainText,
  isZlib,
  isZstd,
  type Unpacked,
  unbrotli,
  undoText,
} from "./codings.ts";
import { unzstd } from "./zstd.ts";

/** A body without its content coding. With `undecoded` set it could not be had, and `body` is what stood there. */
export interface Inflated {
  readonly body: Uint8Array;
  /** What was odd, one sentence part each. */
  readonly notes: readonly string[];
  readonly undecoded?: string;
  /** A compressed stream ended too early: what stood behind it is missing. */
  readonly isCut?: true;
}

/** Layers taken off beyond what Content-Encoding names. */
const MAX_SNIFFED_LAYERS = 3;

/**
 * Takes the content codings off a body: those of Content-Encoding from right to left, each only when the bytes bear it
 * out, then what is left and betrays itself by magic bytes (gzip, zlib, zstd, gzip that was mangled into UTF-8 text). Several
 * SDKs label their bodies wrongly or not at all. Never throws. Nothing is inflated beyond `maxBytes`, so a bomb costs
 * that much memory and becomes `undecoded`.
 */
export function inflateBody(body: Uint8Array, contentEncoding: string | undefined, maxBytes: number): Inflated {
  let state: Inflated = { body, notes: [] };
  if (body.length === 0) return state;
  if (contentEncoding !== undefined) {
    for (const coding of codingsOf(contentEncoding)) {
      state = takeOff(state, coding, maxBytes);
      if (state.undecoded !== undefined) return state;
    }
  }
  return sniff(state, maxBytes);
}

function codingsOf(contentEncoding: string): string[] {
  return contentEncoding
    .toLowerCase()
    .split(",")
    .map((coding) => coding.trim())
    .filter((coding) => coding !== "" && coding !== "identity")
    .slice(0, 8)
    .reverse();
}

function takeOff(state: Inflated, coding: string, maxBytes: number): Inflated {
  const { body } = state;
  const label = coding.startsWith("x-") ? coding.slice(2) : coding;
  if (label === "gzip" || label === "deflate") return takeOffDeflate(state, label, maxBytes);
  if (label === "zstd") return isZstd(body) ? settle(state, unzstd(body, maxBytes), label) : mislabelled(state, label);
  if (label === "br") {
    const unpacked = unbrotli(body, maxBytes);
    return !unpacked.ok && unpacked.tooLarge !== true && isSelfEvident(body)
      ? mislabelled(state, label)
      : settle(state, unpacked, label);
  }
  return isSelfEvident(body)
    ? mislabelled(state, label)
    : undecoded(state, `content coding ${JSON.stringify(coding.slice(0, 40))} is not known`);
}

function takeOffDeflate(state: Inflated, label: "gzip" | "deflate", maxBytes: number): Inflated {
  const { body } = state;
  if (isGzip(body)) return settle(labelled(state, label, "gzip"), gunzip(body, maxBytes), "gzip");
  const zlib: Unpacked | undefined = isZlib(body) ? inflateZlib(body, maxBytes) : undefined;
  if (zlib?.ok === true || zlib?.tooLarge === true) return settle(labelled(state, label, "deflate"), zlib, "deflate");
  if (label === "gzip" || isPlainText(body) || isGzipAsText(body)) return mislabelled(state, label);
  return settle(state, inflateRaw(body, maxBytes), "deflate");
}

/** Takes off what no header names. A zlib header is only two bytes, so a body that does not inflate is left as it is. */
function sniff(start: Inflated, maxBytes: number): Inflated {
  let state = start;
  for (let layer = 0; layer < MAX_SNIFFED_LAYERS; layer++) {
    const { body } = state;
    if (isZstd(body)) {
      state = settle(noted(state, "zstd without Content-Encoding"), unzstd(body, maxBytes), "zstd");
    } else if (isGzipAsText(body)) {
      state = settle(noted(state, "gzip bytes had been turned into text"), gunzip(undoText(body), maxBytes), "gzip");
    } else if (isGzip(body)) {
      state = settle(noted(state, "gzip without Content-Encoding"), gunzip(body, maxBytes), "gzip");
    } else {
      const unpacked: Unpacked | undefined = isZlib(body) ? inflateZlib(body, maxBytes) : undefined;
      const isBomb = unpacked?.ok === false && unpacked.tooLarge === true;
      if (unpacked === undefined || (!isBomb && (!unpacked.ok || unpacked.bytes.length === 0))) return state;
      state = settle(noted(state, "deflate without Content-Encoding"), unpacked, "deflate");
    }
    if (state.undecoded !== undefined) return state;
  }
  return state;
}

function settle(state: Inflated, unpacked: Unpacked, coding: string): Inflated {
  if (!unpacked.ok) return undecoded(state, `${coding}: ${unpacked.why}`);
  const next = { ...state, body: unpacked.bytes };
  if (unpacked.end === "clean") return next;
  if (unpacked.end === "untidy") return noted(next, `${coding} stream with a wrong checksum or other bytes behind it`);
  return { ...noted(next, `${coding} stream ends too early`), isCut: true };
}

function labelled(state: Inflated, label: string, found: string): Inflated {
  return label === found ? state : noted(state, `Content-Encoding says ${label}, the body is ${found}`);
}

function mislabelled(state: Inflated, label: string): Inflated {
  return noted(state, `Content-Encoding says ${label.slice(0, 40)}, the body is not`);
}

function noted(state: Inflated, note: string): Inflated {
  return { ...state, notes: [...state.notes, note] };
}

function undecoded(state: Inflated, why: string): Inflated {
  return { ...state, undecoded: why };
}

/** Bytes that say by themselves what they are, whatever a header claims. */
function isSelfEvident(body: Uint8Array): boolean {
  return isGzip(body) || isGzipAsText(body) || isPlainText(body);
}
