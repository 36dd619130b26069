import { isUtf8 } from "node:buffer";
import { brotliDecompressSync, constants, gunzipSync, inflateRawSync, inflateSync } from "node:zlib";

/**
 * What became of one compressed body. Its stream may be `cut` before its end, or `untidy`: whole, but with a wrong
 * checksum or with other bytes behind it.
 */
export type Unpacked =
  | { readonly ok: true; readonly bytes: Uint8Array; readonly end: "clean" | "untidy" | "cut" }
  | { readonly ok: false; readonly why: string; readonly tooLarge?: true };

type Inflate = (body: Uint8Array, options: { maxOutputLength: number; finishFlush?: number }) => Uint8Array;

/** True for the first bytes of gzip (RFC 1952) with its only method, deflate. */
export function isGzip(body: Uint8Array): boolean {
  return body[0] === 0x1f && body[1] === 0x8b && body[2] === 0x08;
}

/** True for a zlib header (RFC 1950): method 8, and a check that is a multiple of 31. */
export function isZlib(body: Uint8Array): boolean {
  const first = body[0] ?? 0;
  const second = body[1] ?? 0;
  return body.length > 2 && (first & 0x0f) === 8 && first >> 4 <= 7 && (first * 256 + second) % 31 === 0;
}

/** True for the first bytes of a zstd frame (RFC 8878). */
export function isZstd(body: Uint8Array): boolean {
  return body[0] === 0x28 && body[1] === 0xb5 && body[2] === 0x2f && body[3] === 0xfd;
}

/** True for gzip whose bytes were taken for Latin-1 text and written as UTF-8: `1f 8b` has become `1f c2 8b`. */
export function isGzipAsText(body: Uint8Array): boolean {
  return body[0] === 0x1f && body[1] === 0xc2 && body[2] === 0x8b && body[3] === 0x08 && isUtf8(body);
}

/** Takes UTF-8 text back to the Latin-1 bytes it was made from. */
export function undoText(body: Uint8Array): Uint8Array {
  return Buffer.from(asBuffer(body).toString("utf8"), "latin1");
}

/** True for bytes that can only be text: UTF-8 without control characters other than tab and line ends. */
export function isPlainText(body: Uint8Array): boolean {
  return isUtf8(body) && !body.some((byte) => byte < 0x20 && byte !== 0x09 && byte !== 0x0a && byte !== 0x0d);
}

/** Gunzips; a body whose end is missing or whose checksum is wrong gives what can be read of it. */
export function gunzip(body: Uint8Array, maxBytes: number): Unpacked {
  const whole = unpack(gunzipSync, body, maxBytes);
  if (whole.ok || whole.tooLarge === true) return whole;
  // The checksum does not fit, or bytes follow: the deflate stream inside may still be whole.
  const inside = unpack(inflateRawSync, body.subarray(gzipHeaderLength(body)), maxBytes);
  return inside.ok && inside.bytes.length > 0 ? { ...inside, end: inside.end === "clean" ? "untidy" : "cut" } : whole;
}

/** Inflates a zlib stream; a body whose end is missing gives what can be read of it. */
export function inflateZlib(body: Uint8Array, maxBytes: number): Unpacked {
  return unpack(inflateSync, body, maxBytes);
}

/** Inflates a deflate stream without any header (RFC 1951). */
export function inflateRaw(body: Uint8Array, maxBytes: number): Unpacked {
  return unpack(inflateRawSync, body, maxBytes);
}

/** Decodes brotli (RFC 7932), which has no magic bytes. */
export function unbrotli(body: Uint8Array, maxBytes: number): Unpacked {
  const finishFlush = constants.BROTLI_OPERATION_FLUSH;
  return unpack((bytes, options) => brotliDecompressSync(bytes, options), body, maxBytes, finishFlush);
}

function unpack(
  inflate: Inflate,
  body: Uint8Array,
  maxBytes: number,
  finishFlush: number = constants.Z_SYNC_FLUSH,
): Unpacked {
  try {
    return { ok: true, bytes: inflate(body, { maxOutputLength: maxBytes }), end: "clean" };
  } catch (cause) {
    if (codeOf(cause) !== "Z_BUF_ERROR") return failed(cause, maxBytes);
  }
  try {
    // "unexpected end of file": flush what is there
    return { ok: true, bytes: inflate(body, { maxOutputLength: maxBytes, finishFlush }), end: "cut" };
  } catch (cause) {
    return failed(cause, maxBytes);
  }
}

function failed(cause: unknown, maxBytes: number): Unpacked {
  if (codeOf(cause) === "ERR_BUFFER_TOO_LARGE") {
    return { ok: false, why: `inflates to more than ${maxBytes} bytes`, tooLarge: true };
  }
  return { ok: false, why: cause instanceof Error ? cause.message : String(cause) };
}

function codeOf(cause: unknown): unknown {
  return typeof cause === "object" && cause !== null && "code" in cause ? cause.code : undefined;
}

function asBuffer(body: Uint8Array): Buffer {
  return Buffer.from(body.buffer, body.byteOffset, body.length);
}

/** Length of a gzip header with its optional fields (RFC 1952 section 2.3). */
function gzipHeaderLength(body: Uint8Array): number {
  const flags = body[3] ?? 0;
  let at = 10;
  if ((flags & 4) !== 0) at += 2 + (body[at] ?? 0) + 256 * (body[at + 1] ?? 0);
  if ((flags & 8) !== 0) at = afterZero(body, at);
  if ((flags & 16) !== 0) at = afterZero(body, at);
  return (flags & 2) !== 0 ? at + 2 : at;
}

function afterZero(body: Uint8Array, from: number): number {
  const zero = body.indexOf(0, from);
  return zero < 0 ? body.length : zero + 1;
}
