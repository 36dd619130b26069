import { readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";

const BLOCK = 512;

/**
 * The regular files of a `.tar.gz`, by path (ustar, POSIX.1-1988, with its name prefix and GNU long names). Throws on an
 * archive that is cut.
 */
export function readTarGz(file: string): ReadonlyMap<string, Buffer> {
  const bytes = gunzipSync(readFileSync(file));
  const files = new Map<string, Buffer>();
  let longName: string | undefined;
  for (let at = 0; at + BLOCK <= bytes.length; ) {
    const header = bytes.subarray(at, at + BLOCK);
    if (header[0] === 0) break;
    const size = Number.parseInt(text(header, 124, 12).trim() || "0", 8);
    const content = bytes.subarray(at + BLOCK, at + BLOCK + size);
    if (content.length < size) throw new Error(`${file} is cut`);
    const kind = text(header, 156, 1);
    const prefix = text(header, 345, 155);
    const name = longName ?? (prefix === "" ? text(header, 0, 100) : `${prefix}/${text(header, 0, 100)}`);
    longName = kind === "L" ? text(content, 0, size) : undefined;
    if (kind === "0" || kind === "") files.set(name.replace(/^\.\//, ""), content);
    at += BLOCK + Math.ceil(size / BLOCK) * BLOCK;
  }
  return files;
}

function text(bytes: Buffer, start: number, length: number): string {
  const field = bytes.subarray(start, start + length);
  const end = field.indexOf(0);
  return field.subarray(0, end === -1 ? length : end).toString("utf8");
}
