/** A signal that comes at a deadline or with another signal, whichever is first. */
export interface Deadline {
  readonly signal: AbortSignal;
  /** Lets go of the timer and of the other signal. To be called when nobody listens any more. */
  readonly clear: () => void;
}

/**
 * Joins a deadline (milliseconds from now) and a signal. By hand, because what `AbortSignal.any` joins is held weakly: a
 * deadline of `AbortSignal.timeout` in it never comes once garbage was collected (seen with Node 20.20).
 */
export function deadlineOf(waitMs: number | undefined, follow: AbortSignal | undefined): Deadline | undefined {
  if (waitMs === undefined) return follow === undefined ? undefined : { signal: follow, clear: () => {} };
  const stop = new AbortController();
  const abort = (): void => stop.abort();
  const timer = setTimeout(abort, Math.ceil(waitMs));
  if (follow?.aborted === true) abort();
  follow?.addEventListener("abort", abort, { once: true });
  return {
    signal: stop.signal,
    clear: () => {
      clearTimeout(timer);
      follow?.removeEventListener("abort", abort);
    },
  };
}
