import { constants, copyFileSync, mkdirSync, renameSync, rmSync, statSync } from "node:fs";
import { type FileHandle, open, readFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { waymarkError } from "../../../proxy/record/fault.ts";
import type { BesideFile, Collected } from "./collect.ts";
import type { PageData } from "./data.ts";
import { PAGE_TAIL, pageChunk, pageHead } from "./render.ts";
import type { Report } from "./report.ts";
import { writeZip } from "./zip.ts";

export interface Written {
  /** What was written last: the page, or the archive. */
  readonly file: string;
  /** Size of the page. */
  readonly bytes: number;
  /** Files beside the page, relative to it. */
  readonly beside: readonly string[];
}

/** Writes a report, and with `zip` packs it with what stands beside it into `FILE.zip`. Throws `WM_OUTPUT_FAILED`. */
export async function writeReport(
  file: string,
  { data, collected }: Report,
  { zip }: { zip: boolean },
): Promise<Written> {
  const bytes = await writePage(file, data, collected);
  const beside = collected.beside.map(({ to }) => to);
  if (!zip) return { file, bytes, beside };
  const archive = `${file.replace(/\.html?$/i, "")}.zip`;
  const entries = [
    { name: basename(file), file },
    ...beside.map((name) => ({ name, file: join(dirname(file), ...name.split("/")) })),
  ];
  await writeZip(archive, entries);
  return { file: archive, bytes, beside };
}

/**
 * Writes the page, piece by piece, and the heavy files beside it: whole or not at all, through a neighbour that is renamed
 * at the end. Answers the page's size in bytes. Throws `WM_OUTPUT_FAILED`, and then leaves no page, not even an empty one.
 */
export async function writePage(file: string, data: PageData, collected: Collected): Promise<number> {
  const draft = `${file}.${process.pid}.tmp`;
  try {
    const out = await open(draft, "w");
    try {
      await writePieces(out, data, collected);
    } finally {
      await out.close();
    }
    for (const one of collected.beside) copyBeside(dirname(file), one);
    renameSync(draft, file);
    return statSync(file).size;
  } catch (cause) {
    rmSync(draft, { force: true });
    const why = cause instanceof Error ? cause.message : String(cause);
    throw waymarkError("WM_OUTPUT_FAILED", `the report ${file} cannot be written: ${why}`, { cause });
  }
}

async function writePieces(out: FileHandle, data: PageData, { chunks, embedded }: Collected): Promise<void> {
  await out.appendFile(pageHead(data));
  for (const chunk of chunks) await out.appendFile(pageChunk(chunk));
  for (const { id, file } of embedded) {
    await out.appendFile(pageChunk({ id, encoding: "none", bytes: await readFile(file) }));
  }
  await out.appendFile(PAGE_TAIL);
}

/** Copies a heavy file to where the page looks for it. */
export function copyBeside(folder: string, { from, to }: BesideFile): void {
  const target = join(folder, ...to.split("/"));
  mkdirSync(dirname(target), { recursive: true });
  copyFileSync(from, target, constants.COPYFILE_FICLONE);
}
