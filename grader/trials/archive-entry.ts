import type { Entry } from "yauzl";
import { type WaymarkError, waymarkError } from "../../proxy/record/fault.ts";

/** Name of the entry that says what the archive is and which runs it holds. */
export const INDEX_FILE = "waymark-runs.json";
export const ARCHIVE_SCHEMA = "waymark.export/1";

/** A run's id: it becomes the name of a folder. */
export const RUN_ID = /^[0-9A-Za-z][0-9A-Za-z_-]{0,63}$/;

const RESERVED = /^(?:con|prn|aux|nul|com[0-9]|lpt[0-9])(?:\.|$)/i;
const MOST_PATH = 1000;

/**
 * True for a relative path with `/` that stays inside its folder on every system: no `..`, no drive, no stream (`:`), no
 * device, no name that Windows would shorten, no character that some system forbids.
 */
export function isSafePath(path: string): boolean {
  const parts = path.split("/");
  return path.length <= MOST_PATH && parts.every(isSafeName);
}

function isSafeName(name: string): boolean {
  if (name === "" || name === "." || name === "..") return false;
  return !/[\\:*?"<>|\p{Cc}]/u.test(name) && !/[. ]$/.test(name) && !RESERVED.test(name);
}

export interface ArchiveLimits {
  /** Most bytes the archive may unpack to. */
  readonly maxBytes: number;
  readonly maxEntries: number;
}

const DIRECTORY = 0o040000;
const REGULAR = 0o100000;
const TYPE_MASK = 0o170000;
const UNIX = 3;
const MACOS = 19;
const METHODS = [0, 8]; // stored, deflated

/**
 * Holds the entries of an archive against everything that could harm whoever unpacks it: paths that lead out, links and
 * devices, names that mean the same file (also on systems that ignore case, or compose letters), entries that overlap,
 * and more bytes than the limits allow. Returns the files, in order. Throws `WM_RUN_ARCHIVE_UNSAFE` and
 * `WM_RUN_ARCHIVE_SIZE`; nothing has to be unpacked for it.
 */
export function checkEntries(
  entries: readonly Entry[],
  { file, bytes, limits }: { readonly file: string; readonly bytes: number; readonly limits: ArchiveLimits },
): readonly Entry[] {
  const names = new Map<string, "file" | "folder">();
  let [packed, total] = [0, 0];
  const files: Entry[] = [];
  for (const entry of entries) {
    const isFolder = entry.fileName.endsWith("/");
    const path = isFolder ? entry.fileName.slice(0, -1) : entry.fileName;
    const trouble = troubleWith(entry, path) ?? collision(names, path, isFolder);
    if (trouble !== undefined) throw unsafe(file, `${trouble}: "${entry.fileName}"`);
    packed += entry.compressedSize;
    total += entry.uncompressedSize;
    if (!isFolder) files.push(entry);
  }
  if (packed > bytes) throw unsafe(file, "its entries overlap, as those of a zip bomb do");
  if (total > limits.maxBytes) throw tooLarge(file, total, limits.maxBytes);
  return files;
}

function troubleWith(entry: Entry, path: string): string | undefined {
  if (!isSafePath(path)) return "a name in it leads out of its folder, or cannot be a file's name everywhere";
  const system = entry.versionMadeBy >>> 8;
  const type = (entry.externalFileAttributes >>> 16) & TYPE_MASK;
  const isUnix = system === UNIX || system === MACOS;
  if (isUnix && type !== 0 && type !== REGULAR && type !== DIRECTORY) return "it holds a link or a device";
  if (entry.isEncrypted()) return "an entry is encrypted";
  return METHODS.includes(entry.compressionMethod) ? undefined : "an entry is packed in a way that is not known";
}

/** Notes the path and the folders above it; what is there already as something else, or a second time, collides. */
function collision(names: Map<string, "file" | "folder">, path: string, isFolder: boolean): string | undefined {
  const parts = path.normalize("NFC").toLowerCase().split("/");
  for (let count = 1; count <= parts.length; count++) {
    const name = parts.slice(0, count).join("/");
    const kind = count < parts.length || isFolder ? "folder" : "file";
    const known = names.get(name);
    if (known !== undefined && (known === "file" || kind === "file")) return "two entries have the same name";
    names.set(name, kind);
  }
  return undefined;
}

export function unsafe(file: string, why: string): WaymarkError {
  return waymarkError("WM_RUN_ARCHIVE_UNSAFE", `${file} is refused: ${why}`);
}

function tooLarge(file: string, total: number, most: number): WaymarkError {
  const message = `${file} would unpack to ${total} bytes; at most ${most} are unpacked`;
  return waymarkError("WM_RUN_ARCHIVE_SIZE", message);
}
