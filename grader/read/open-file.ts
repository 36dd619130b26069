/** What tells a file from others, and how large it is. */
export interface FileFacts {
  readonly size: number;
  readonly dev: number;
  readonly ino: number;
  readonly birthtimeMs: number;
}

/** An open file. A `FileHandle` of Node is one. */
export interface OpenFile {
  read(into: Buffer, offset: number, length: number, position: number): Promise<{ readonly bytesRead: number }>;
  stat(): Promise<FileFacts>;
  close(): Promise<void>;
}

/** Tells a file from another one that takes its name. */
export function identityOf({ dev, ino, birthtimeMs }: FileFacts): string {
  return `${dev}:${ino}:${birthtimeMs}`;
}
