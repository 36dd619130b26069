import { createReadStream } from "node:fs";
import { realpath, stat } from "node:fs/promises";
import { sep } from "node:path";
import { Readable } from "node:stream";
import { SECURITY_HEADERS } from "../http/doors.ts";
import { Refusal } from "../refusal.ts";

/** The bytes of a file from `start` to `end`, both counted in. */
export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

/**
 * The part of a file that a `Range` header asks for (RFC 9110 section 14.2). Undefined for none, for several at once,
 * and for what is no range: then the whole file is the answer; `unsatisfiable` when it begins behind the end.
 */
export function rangeOf(header: string | undefined, size: number): ByteRange | "unsatisfiable" | undefined {
  const [, from = "", to = ""] = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(header?.trim() ?? "") ?? [];
  if (from === "" && to === "") return undefined;
  if (from === "") {
    const length = Math.min(Number(to), size);
    return length === 0 ? "unsatisfiable" : { start: size - length, end: size - 1 };
  }
  const start = Number(from);
  const end = to === "" ? size - 1 : Math.min(Number(to), size - 1);
  if (to !== "" && Number(to) < start) return undefined;
  return start >= size ? "unsatisfiable" : { start, end };
}

/** Where a path leads, when that is inside the folder, links resolved. Throws a 403, or a 404 for nothing. */
export async function insideFolder(folder: string, file: string): Promise<string> {
  const [root, path] = await Promise.all([folder, file].map((one) => realpath(one).catch(() => undefined)));
  if (root === undefined || path === undefined) throw new Refusal(404, "WM_SERVE_NOT_FOUND", "this file is gone");
  if (path.startsWith(root + sep)) return path;
  throw new Refusal(403, "WM_SERVE_FORBIDDEN", "this file stands outside of its run's folder");
}

/** A file as an answer, whole or the part that is asked for. */
export async function fileAnswer(file: string, type: string, range: string | undefined): Promise<Response> {
  const info = await stat(file);
  if (!info.isFile()) throw new Refusal(404, "WM_SERVE_NOT_FOUND", "this is no file");
  const part = rangeOf(range, info.size);
  const headers = { ...SECURITY_HEADERS, "Accept-Ranges": "bytes", "Content-Type": type };
  if (part === "unsatisfiable") {
    return new Response(null, { status: 416, headers: { ...headers, "Content-Range": `bytes */${info.size}` } });
  }
  const { start, end } = part ?? { start: 0, end: info.size - 1 };
  const length = { "Content-Length": String(end - start + 1) };
  if (info.size === 0) return new Response(null, { headers });
  const body = Readable.toWeb(createReadStream(file, { start, end })) as ReadableStream<Uint8Array>;
  if (part === undefined) return new Response(body, { headers: { ...headers, ...length } });
  const where = { "Content-Range": `bytes ${start}-${end}/${info.size}` };
  return new Response(body, { status: 206, headers: { ...headers, ...length, ...where } });
}
