import { randomBytes } from "node:crypto";
import {
  chmodSync,
  constants,
  copyFileSync,
  linkSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  type Stats,
  statSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { type FaultCode, fault, WaymarkError } from "../proxy/record/fault.ts";
import { makeFolder } from "../proxy/record/folder.ts";

const IS_POSIX = process.platform !== "win32";
const PAIR = /^waymark-ca-(?<generation>[1-9][0-9]{0,8})\.key\.pem$/;
const OTHERS = 0o077;
const OTHERS_WRITE = 0o022;

/** Key and certificate as one file's text, so that the two can never come from different authorities. */
export interface StoredPair {
  readonly generation: number;
  readonly text: string;
}

/**
 * Makes the folder (0700). One that is there is refused when others can put files into it; when they can only look into
 * it, it is closed to them if it is this user's, else refused. Throws WM_CERTS_UNWRITABLE, WM_CERTS_KEY_EXPOSED.
 */
export function prepareFolder(folder: string): void {
  wrapped("WM_CERTS_UNWRITABLE", `cannot make the folder "${folder}"`, () => {
    makeFolder(folder, 0o700);
    if (IS_POSIX && readdirSync(folder).length === 0) chmodSync(folder, 0o700);
  });
  if (IS_POSIX) closeFolder(folder);
}

function closeFolder(folder: string): void {
  const { mode, uid } = statSync(folder);
  if ((mode & OTHERS) === 0) return;
  const fix = `chmod 700 "${folder}"`;
  if ((mode & OTHERS_WRITE) !== 0)
    throw exposed(`other users can write into "${folder}", where the authority's key is kept`, fix);
  if (uid !== process.getuid?.())
    throw exposed(`"${folder}", where the authority's key is kept, is another user's and open to others`, fix);
  wrapped("WM_CERTS_UNWRITABLE", `cannot close the folder "${folder}" to other users`, () => chmodSync(folder, 0o700));
}

/** Number of the newest pair, whatever state it is in. */
export function latestGeneration(folder: string): number | undefined {
  const known = generations(folder);
  return known.length === 0 ? undefined : Math.max(...known);
}

/** The newest pair, its permissions checked before it is read; undefined when there is none. */
export function latestPair(folder: string): StoredPair | undefined {
  const generation = Math.max(0, ...generations(folder));
  if (generation === 0) return undefined;
  const file = pairFile(folder, generation);
  const what = `cannot read "${file}"`;
  const info = wrapped("WM_CERTS_UNREADABLE", what, () => regularFile(file));
  if (IS_POSIX) checkPrivate(file, info);
  return { generation, text: wrapped("WM_CERTS_UNREADABLE", what, () => readFileSync(file, "utf8")) };
}

/**
 * Stores a pair under its generation unless another process was first, and returns the text that stands there then.
 * The file appears whole and with mode 0600: written under another name, then linked, which fails when the name is taken.
 */
export function storePair(folder: string, generation: number, text: string): string {
  const file = pairFile(folder, generation);
  const draft = join(folder, `.draft-${randomBytes(8).toString("hex")}`);
  return wrapped("WM_CERTS_UNWRITABLE", `cannot store the authority in "${folder}"`, () => {
    try {
      writeFileSync(draft, text, { mode: 0o600, flag: "wx" });
      claimName(draft, file);
      regularFile(file);
      return readFileSync(file, "utf8");
    } finally {
      rmSync(draft, { force: true });
    }
  });
}

/** Removes pairs before `generation`; one that is already gone, or held open on Windows, is no matter. */
export function removeOlder(folder: string, generation: number): void {
  for (const older of generations(folder).filter((known) => known < generation)) {
    try {
      rmSync(pairFile(folder, older), { force: true });
    } catch (cause) {
      if (IS_POSIX) throw unwritable(`cannot remove an old key from "${folder}"`, cause);
    }
  }
}

/** Puts a public file in place whole (written beside, then renamed); leaves one that already says the same alone. */
export function writeWhole(file: string, content: string | Buffer): void {
  if (holds(file, content)) return;
  const draft = `${file}.${randomBytes(6).toString("hex")}`;
  try {
    writeFileSync(draft, content, { mode: 0o644, flag: "wx" });
    renameSync(draft, file);
  } catch (cause) {
    rmSync(draft, { force: true });
    // Windows refuses to replace a file that another process reads; fine when that process wrote the same.
    if (!holds(file, content)) throw unwritable(`cannot write "${file}"`, cause);
  }
}

function holds(file: string, content: string | Buffer): boolean {
  try {
    regularFile(file);
    return readFileSync(file).equals(Buffer.from(content));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return false;
    throw unwritable(`cannot read "${file}"`, error);
  }
}

/** A pipe or a device would block whoever reads it. */
function regularFile(file: string): Stats {
  const info = statSync(file);
  if (!info.isFile()) throw new Error("it is no regular file");
  return info;
}

function claimName(draft: string, file: string): void {
  try {
    linkSync(draft, file);
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    if (code === "EEXIST") return;
    if (code === "ENOENT" || code === "ENOSPC") throw error;
    copyUnlessTaken(draft, file); // a file system without hard links
  }
}

function copyUnlessTaken(draft: string, file: string): void {
  try {
    copyFileSync(draft, file, constants.COPYFILE_EXCL);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  }
}

function checkPrivate(file: string, { mode, uid }: Stats): void {
  if ((mode & OTHERS) !== 0) {
    const shown = (mode & 0o777).toString(8).padStart(4, "0");
    throw exposed(`the authority's key "${file}" can be read by other users (mode ${shown})`, `chmod 600 "${file}"`);
  }
  const self = process.getuid?.() ?? 0;
  if (self !== 0 && uid !== self) {
    throw exposed(
      `the authority's key "${file}" belongs to another user`,
      "set WAYMARK_CA_DIR to a folder of your own",
    );
  }
}

function generations(folder: string): number[] {
  return wrapped("WM_CERTS_UNREADABLE", `cannot list "${folder}"`, () => readdirSync(folder)).flatMap((name) => {
    const generation = PAIR.exec(name)?.groups?.["generation"];
    return generation === undefined ? [] : [Number(generation)];
  });
}

function pairFile(folder: string, generation: number): string {
  return join(folder, `waymark-ca-${generation}.key.pem`);
}

function wrapped<T>(code: FaultCode, message: string, act: () => T): T {
  try {
    return act();
  } catch (cause) {
    if (cause instanceof WaymarkError) throw cause;
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new WaymarkError(fault(code, `${message}: ${why}`), { cause });
  }
}

function exposed(message: string, fix: string): WaymarkError {
  return new WaymarkError(fault("WM_CERTS_KEY_EXPOSED", message, { fix }));
}

function unwritable(message: string, cause: unknown): WaymarkError {
  return new WaymarkError(fault("WM_CERTS_UNWRITABLE", message), { cause });
}
