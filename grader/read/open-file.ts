import { readSync } from "node:fs";
import { open } from "node:fs/promises";

/** What tells a file from others, and how large it is. */
export interface FileFacts {
  readonly size: number;
  readonly dev: number;
  readonly ino: number;
  readonly birthtimeMs: number;
}

/** An open file. Reading it brings what there is from a position on, up to the length of `into`, and says how many bytes. */
export interface OpenFile {
  read(into: Buffer, position: number): Promise<number>;
  /** As `read`, by this very thread. */
  readNow(into: Buffer, position: number): number;
  stat(): Promise<FileFacts>;
  /** True once it was left before its end: its last line may be longer than what was read of it. */
  readonly isLeft?: boolean;
  close(): Promise<void>;
}

/** Opens a file to read. Rejects with the system's error. */
export async function openFile(file: string): Promise<OpenFile> {
  const handle = await open(file, "r");
  return {
    read: async (into, position) => (await handle.read(into, 0, into.length, position)).bytesRead,
    readNow: (into, position) => readSync(handle.fd, into, 0, into.length, position),
    stat: () => handle.stat(),
    close: () => handle.close(),
  };
}

/** Tells a file from another one that takes its name. */
export function identityOf({ dev, ino, birthtimeMs }: FileFacts): string {
  return `${dev}:${ino}:${birthtimeMs}`;
}
