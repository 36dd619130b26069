import type { Settled } from "../../trials/trial.ts";

export interface QuietRule {
  readonly idleMs: number;
  readonly maxMs: number;
}

export const DEFAULT_QUIET: QuietRule = { idleMs: 2000, maxMs: 15_000 };

const POLL_MS = 100;

/** Waits until a log has not grown for the idle time, at most the longest time. `size` tells its bytes. */
export async function untilQuiet(
  { idleMs, maxMs }: QuietRule,
  size: () => Promise<number>,
  signal: AbortSignal,
): Promise<Settled> {
  const startedAt = performance.now();
  let last = await size();
  let changedAt = startedAt;
  for (;;) {
    const now = performance.now();
    const waited_ms = Math.round(now - startedAt);
    if (now - changedAt >= idleMs) return { why: "idle", waited_ms, awaited: [] };
    if (now - startedAt >= maxMs || signal.aborted) return { why: "limit", waited_ms, awaited: [] };
    await new Promise((resolve) => setTimeout(resolve, Math.min(POLL_MS, idleMs, maxMs)));
    const grown = await size();
    if (grown !== last) changedAt = performance.now();
    last = grown;
  }
}
