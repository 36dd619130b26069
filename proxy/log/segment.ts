import { type BigIntStats, statSync, writeSync } from "node:fs";
import { type FileHandle, open, stat, truncate, unlink } from "node:fs/promises";
import { errnoOf, ignoreMissing } from "./series-files.ts";
import { lastNewline } from "./tail.ts";

/** What another program did to a file under its writer. */
export type Tampering = { readonly kind: "truncated"; readonly bytes: number } | { readonly kind: "gone" };

/** How far a write came. `error` is set when it did not reach the end. */
export interface WriteOutcome {
  readonly written: number;
  readonly error?: unknown;
}

export interface SegmentPlace {
  readonly path: string;
  readonly index: number;
  readonly openedAt: number;
  /**
   * Writing may hold up its thread, which then has nothing else to do. Measured by `bench -- proxy`: a sixth less CPU time
   * of decoding and writing than by Node's pool of threads, whose waking costs more than a short write.
   */
  readonly mayBlock?: boolean;
}

/** One open file of a series. It is only ever appended to, so a file cut by another program gets no hole. */
export class Segment {
  readonly path: string;
  readonly index: number;
  readonly openedAt: number;
  /** Records written into this file. */
  records = 0;
  readonly #file: FileHandle;
  readonly #inode: bigint;
  readonly #mayBlock: boolean;
  /** Bytes in this file that another program put there. */
  foreign = 0;
  #bytes = 0;
  #isTorn = false;

  private constructor(file: FileHandle, place: SegmentPlace, inode: bigint) {
    this.#file = file;
    this.path = place.path;
    this.index = place.index;
    this.openedAt = place.openedAt;
    this.#inode = inode;
    this.#mayBlock = place.mayBlock === true;
  }

  /** Creates the file; fails with EEXIST when something of that name is there. */
  static async create(place: SegmentPlace): Promise<Segment> {
    const file = await open(place.path, "ax+", 0o600);
    const { ino } = await file.stat({ bigint: true });
    return new Segment(file, place, ino);
  }

  /** Bytes of whole lines; what was torn is not counted. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Appends all of it, or tells how far it came. `commit` says how much of it stays. */
  async write(buffer: Buffer): Promise<WriteOutcome> {
    let written = 0;
    try {
      while (written < buffer.length) {
        written += await this.#writeSome(buffer, written);
      }
      return { written };
    } catch (error) {
      this.#isTorn = true;
      return { written, error };
    }
  }

  /** Appends from `start` on, perhaps not to the end, and returns the bytes that were written. */
  async #writeSome(buffer: Buffer, start: number): Promise<number> {
    const length = buffer.length - start;
    if (this.#mayBlock) return writeSync(this.#file.fd, buffer, start, length);
    return (await this.#file.write(buffer, start, length)).bytesWritten;
  }

  async #stat(): Promise<BigIntStats> {
    return this.#mayBlock ? statSync(this.path, { bigint: true }) : stat(this.path, { bigint: true });
  }

  /** Counts bytes as written for good. */
  commit(bytes: number): void {
    this.#bytes += bytes;
  }

  /**
   * Looks whether the file is still the one that was opened and as long as it was left. A torn line of ours is cut off.
   * A file that another program cut shorter is taken as it is from then on, without the half line at its end; what another
   * program appended stays, and gets a line end if it has none.
   */
  async check(): Promise<Tampering | undefined> {
    const info = await this.#stat().catch(ignoreGone);
    if (info === undefined || info.ino !== this.#inode) return { kind: "gone" };
    const size = Number(info.size);
    const expected = this.#bytes;
    if (size > expected && this.#isTorn) await this.cutBack();
    else if (size > expected) await this.#keepForeign(size);
    else if (size < expected) await this.cutBack((await lastNewline(this.#file, size)) + 1);
    this.#isTorn = false;
    return size < expected ? { kind: "truncated", bytes: expected - this.#bytes } : undefined;
  }

  /** Cuts the file back to its whole lines, or further, to `bytes`. */
  async cutBack(bytes: number = this.#bytes): Promise<void> {
    await truncate(this.path, bytes);
    this.#bytes = bytes;
    this.#isTorn = false;
  }

  async #keepForeign(size: number): Promise<void> {
    this.foreign += size - this.#bytes;
    this.#bytes = size;
    if ((await lastNewline(this.#file, size)) !== size - 1) this.#bytes += (await this.#file.write("\n")).bytesWritten;
  }

  /** Closes and deletes a file nothing could be written to. */
  async discard(): Promise<void> {
    await this.#file.close().finally(() => unlink(this.path));
  }

  /** Hands the data to the disk and closes. */
  async finish(): Promise<void> {
    await this.#file.datasync().finally(() => this.#file.close());
  }
}

/** Appends one line, whole; throws when it does not fit, and then `cutBack` is due. */
export async function writeLine(segment: Segment, line: string): Promise<void> {
  const { written, error } = await segment.write(Buffer.from(line, "utf8"));
  if (error !== undefined) throw error;
  segment.commit(written);
}

/** A file in the place of the folder means that the log is gone too. */
function ignoreGone(cause: unknown): undefined {
  return errnoOf(cause) === "ENOTDIR" ? undefined : ignoreMissing(cause);
}
