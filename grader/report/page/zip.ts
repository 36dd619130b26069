import { createWriteStream } from "node:fs";
import { rename, rm } from "node:fs/promises";
import { pipeline } from "node:stream/promises";
import { ZipFile } from "yazl";
import { waymarkError } from "../../../proxy/record/fault.ts";

export interface ZipEntry {
  /** With `/`, no `..`. */
  readonly name: string;
  readonly file: string;
}

/** 1980, the first year a zip knows, local time as zips have it: the same page packs to the same archive. */
const DAY_ONE = { mtime: new Date(1980, 0, 1), mode: 0o100644, compress: false };

/**
 * Packs files into a zip as they are, since pages and videos are packed already; whole or not at all. Throws
 * `WM_OUTPUT_FAILED`.
 */
export async function writeZip(archive: string, entries: readonly ZipEntry[]): Promise<void> {
  const draft = `${archive}.${process.pid}.tmp`;
  const zip = new ZipFile();
  const written = pipeline(zip.outputStream, createWriteStream(draft));
  const failed = new Promise<never>((_resolve, reject) => zip.once("error", reject));
  for (const ending of [written, failed]) ending.catch(() => undefined); // told below, where it is waited for
  try {
    for (const { name, file } of entries) zip.addFile(file, name, DAY_ONE);
    zip.end();
    await Promise.race([written, failed]);
    await rename(draft, archive);
  } catch (cause) {
    (zip.outputStream as unknown as { destroy(): void }).destroy();
    await written.catch(() => undefined); // the first failure is the one that is told
    await rm(draft, { force: true });
    const why = cause instanceof Error ? cause.message : String(cause);
    throw waymarkError("WM_OUTPUT_FAILED", `the archive ${archive} cannot be written: ${why}`, { cause });
  }
}
