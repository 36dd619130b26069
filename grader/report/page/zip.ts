import { renameSync, rmSync, statSync } from "node:fs";
import { type FileHandle, open, readFile } from "node:fs/promises";
import { crc32 } from "node:zlib";
import { waymarkError } from "../../../proxy/record/fault.ts";

export interface ZipEntry {
  /** With `/`, no `..`. */
  readonly name: string;
  readonly file: string;
}

const MOST_BYTES = 0xffff_ffff;
const UTF8_NAMES = 0x0800;
/** 1980-01-01, the first day a zip knows: the same page packs to the same archive. */
const DAY_ONE = 0x0021;

/**
 * Packs files into a zip (PKWARE APPNOTE 6.3.10, 4.3.7 to 4.3.16) as they are, since pages and videos are packed already;
 * whole or not at all. Throws `WM_OUTPUT_FAILED`, also when they exceed the 4 GB that need no zip64.
 */
export async function writeZip(archive: string, entries: readonly ZipEntry[]): Promise<void> {
  const draft = `${archive}.${process.pid}.tmp`;
  try {
    const total = entries.reduce((sum, { file }) => sum + statSync(file).size, 0);
    if (total > MOST_BYTES - 1_000_000) throw new Error("its files have more than 4 GB");
    const out = await open(draft, "w");
    try {
      await writeEntries(out, entries);
    } finally {
      await out.close();
    }
    renameSync(draft, archive);
  } catch (cause) {
    rmSync(draft, { force: true });
    const why = cause instanceof Error ? cause.message : String(cause);
    throw waymarkError("WM_OUTPUT_FAILED", `the archive ${archive} cannot be written: ${why}`, { cause });
  }
}

async function writeEntries(out: FileHandle, entries: readonly ZipEntry[]): Promise<void> {
  const directory: Buffer[] = [];
  let offset = 0;
  for (const { name, file } of entries) {
    const bytes = await readFile(file);
    const path = Buffer.from(name, "utf8");
    const common = commonPart(bytes, path);
    const local = Buffer.concat([u32(0x0403_4b50), u16(20), common, u16(0), path]);
    await out.appendFile(local);
    await out.appendFile(bytes);
    directory.push(
      Buffer.concat([
        u32(0x0201_4b50),
        u16(20),
        u16(20),
        common,
        u16(0),
        u16(0),
        u16(0),
        u16(0),
        u32(0),
        u32(offset),
        path,
      ]),
    );
    offset += local.length + bytes.length;
  }
  const listing = Buffer.concat(directory);
  const count = u16(entries.length);
  await out.appendFile(
    Buffer.concat([listing, u32(0x0605_4b50), u16(0), u16(0), count, count, u32(listing.length), u32(offset), u16(0)]),
  );
}

/** Flags, method (stored), time, day, checksum, both sizes and the length of the name: the same in both headers. */
function commonPart(bytes: Buffer, path: Buffer): Buffer {
  const sizes = [u32(crc32(bytes)), u32(bytes.length), u32(bytes.length), u16(path.length)];
  return Buffer.concat([u16(UTF8_NAMES), u16(0), u16(0), u16(DAY_ONE), ...sizes]);
}

function u16(value: number): Buffer {
  const bytes = Buffer.alloc(2);
  bytes.writeUInt16LE(value);
  return bytes;
}

function u32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
}
