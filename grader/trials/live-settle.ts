import { setTimeout as delay } from "node:timers/promises";
import type { SeriesStand } from "./live-stand.ts";

export interface SettleTimes {
  /** Nothing new for so long: what was to come has come. */
  readonly idleMs: number;
  /** Waiting ends here in any case. */
  readonly limitMs: number;
}

const LOOK_MS = 100;

/**
 * Waits until the series have been quiet for the idle time, or the limit is reached; `tick` lines are no news. Answers
 * which it was, how long it took, and where the series stand. Rejects with what `look` rejects with, and at the signal.
 */
export async function settleSeries(
  look: () => Promise<readonly SeriesStand[]>,
  { idleMs, limitMs, signal }: SettleTimes & { readonly signal?: AbortSignal },
): Promise<{ readonly why: "idle" | "limit"; readonly waited_ms: number; readonly stands: readonly SeriesStand[] }> {
  const begun = performance.now();
  let stands = await look();
  let quietSince = begun;
  for (;;) {
    const now = performance.now();
    const waited_ms = Math.round(now - begun);
    if (now - quietSince >= idleMs) return { why: "idle", waited_ms, stands };
    if (now - begun >= limitMs) return { why: "limit", waited_ms, stands };
    const rest = Math.min(LOOK_MS, quietSince + idleMs - now, begun + limitMs - now);
    await delay(Math.max(rest, 1), undefined, signal === undefined ? {} : { signal });
    const next = await look();
    if (newsOf(next) !== newsOf(stands)) quietSince = performance.now();
    stands = next;
  }
}

function newsOf(stands: readonly SeriesStand[]): string {
  return stands.map(({ folder, name, last_seq, offset }) => `${folder}/${name} ${last_seq ?? offset}`).join("\n");
}
