import { createWriteStream } from "node:fs";
import { pipeline } from "node:stream/promises";
import { crc32 } from "node:zlib";
import { ZipFile } from "yazl";

/** A zip by the library, of texts by name. */
export async function packZip(file: string, entries: Readonly<Record<string, string>>): Promise<void> {
  const zip = new ZipFile();
  for (const [name, text] of Object.entries(entries)) zip.addBuffer(Buffer.from(text), name);
  zip.end();
  await pipeline(zip.outputStream, createWriteStream(file));
}

/** One entry of a zip made by hand, as no honest program makes it. */
export interface RawEntry {
  readonly name: string;
  readonly data?: string;
  /** What the directory claims of it, instead of the truth. */
  readonly size?: number;
  readonly crc?: number;
  /** Unix mode, such as 0o120777 for a link. */
  readonly mode?: number;
  readonly flags?: number;
  readonly method?: number;
  /** Use the local entry of this one again, as a zip bomb of overlapping entries does. */
  readonly sameAs?: number;
}

/** The bytes of a zip of stored entries (APPNOTE.TXT 4.3.7, 4.3.12, 4.3.16), whatever they claim. */
export function rawZip(entries: readonly RawEntry[]): Buffer {
  const parts: Buffer[] = [];
  const central: Buffer[] = [];
  const offsets: number[] = [];
  let at = 0;
  for (const entry of entries) {
    const { name, data = "", mode = 0o100644, flags = 0x800, method = 0, sameAs } = entry;
    const [bytes, text] = [Buffer.from(name), Buffer.from(data)];
    const size = entry.size ?? text.length;
    const sum = entry.crc ?? crc32(text);
    const offset = sameAs === undefined ? at : (offsets[sameAs] ?? 0);
    offsets.push(offset);
    if (sameAs === undefined) {
      const local = Buffer.alloc(30);
      local.writeUInt32LE(0x04034b50, 0);
      local.writeUInt16LE(20, 4);
      local.writeUInt16LE(flags, 6);
      local.writeUInt16LE(method, 8);
      local.writeUInt32LE(sum, 14);
      local.writeUInt32LE(size, 18);
      local.writeUInt32LE(size, 22);
      local.writeUInt16LE(bytes.length, 26);
      parts.push(local, bytes, text);
      at += 30 + bytes.length + text.length;
    }
    const header = Buffer.alloc(46);
    header.writeUInt32LE(0x02014b50, 0);
    header.writeUInt16LE((3 << 8) | 20, 4);
    header.writeUInt16LE(20, 6);
    header.writeUInt16LE(flags, 8);
    header.writeUInt16LE(method, 10);
    header.writeUInt32LE(sum, 16);
    header.writeUInt32LE(size, 20);
    header.writeUInt32LE(size, 24);
    header.writeUInt16LE(bytes.length, 28);
    header.writeUInt32LE((mode << 16) >>> 0, 38);
    header.writeUInt32LE(offset, 42);
    central.push(header, bytes);
  }
  const directory = Buffer.concat(central);
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt16LE(entries.length, 8);
  end.writeUInt16LE(entries.length, 10);
  end.writeUInt32LE(directory.length, 12);
  end.writeUInt32LE(at, 16);
  return Buffer.concat([...parts, directory, end]);
}
