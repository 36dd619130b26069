import { errnoOf } from "./series-files.ts";

const WORDS: Readonly<Record<string, string>> = {
  ENOSPC: "the disk is full",
  EDQUOT: "the disk quota is used up",
  EFBIG: "the file may not grow further",
  EROFS: "the disk is read-only",
  EIO: "the disk reports an error",
  EACCES: "permission was denied",
  EPERM: "permission was denied",
  ENOENT: "the folder is gone",
  EMFILE: "too many files are open",
};

/** Why writing failed, in words with the system's code: `the disk is full (ENOSPC)`. */
export function reasonOf(cause: unknown): string {
  const code = errnoOf(cause);
  const message = cause instanceof Error ? cause.message : String(cause);
  return code === "" ? message : `${WORDS[code] ?? message} (${code})`;
}
