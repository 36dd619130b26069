import { waymarkError } from "../../proxy/record/fault.ts";

/**
 * Turns an error of the operating system into `WM_LOG_UNREADABLE`. Everything else, waymark's own faults and its bugs
 * among them, is handed back as it is.
 */
export function asUnreadable(log: string, error: unknown): unknown {
  if (!isSystemError(error)) return error;
  return waymarkError("WM_LOG_UNREADABLE", `${log} cannot be read (${error.code})`, { cause: error });
}

/** True for an error that a system call gave, such as ENOENT. */
export function isSystemError(error: unknown): error is Error & { readonly code: string } {
  return error instanceof Error && "syscall" in error && "code" in error && typeof error.code === "string";
}

/** True when a system call found no file of that name. */
export function isGone(error: unknown): boolean {
  return isSystemError(error) && (error.code === "ENOENT" || error.code === "ENOTDIR");
}
