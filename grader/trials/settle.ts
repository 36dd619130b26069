import type { Settled } from "./trial.ts";

/** How long to wait for late events when the command has ended, in milliseconds. */
export interface SettleRule {
  /** Nothing came for so long. */
  readonly idleMs: number;
  /** Never longer than this. */
  readonly maxMs: number;
}

/** SDKs send in batches a second or so apart, and retry; Metabase's tests of Snowplow needed up to 5 s. */
export const DEFAULT_SETTLE: SettleRule = { idleMs: 2000, maxMs: 15_000 };

/** What settling looks at. */
export interface SettleView {
  /** Anything that differs when more came from the app: connections, requests, events. */
  readonly activity: () => string;
  /** Nothing that comes could change a verdict. */
  readonly isDecided: () => boolean;
  /** What is still waited for, in words. */
  readonly awaited: () => readonly string[];
  readonly signal: AbortSignal;
}

export interface Clock {
  /** Milliseconds, never backwards. */
  now(): number;
  /** Resolves after so long, or at once when the signal fires. */
  wait(ms: number, signal: AbortSignal): Promise<void>;
}

/** The proxy counts and has no event for it; a look every 50 ms costs nothing beside a run. */
const LOOK_MS = 50;

/**
 * Waits for late events: until nothing came for `idleMs`, at most `maxMs`, and no longer than a verdict can still change.
 * Says why it ended and what was awaited then. An abort ends it at once, as `limit`.
 */
export async function settle(rule: SettleRule, view: SettleView, clock: Clock = realClock()): Promise<Settled> {
  const begin = clock.now();
  let seen = view.activity();
  let lastAt = begin;
  const done = (why: Settled["why"]): Settled => {
    return { why, waited_ms: Math.round(clock.now() - begin), awaited: why === "decided" ? [] : view.awaited() };
  };
  for (;;) {
    if (view.isDecided()) return done("decided");
    const now = clock.now();
    const activity = view.activity();
    if (activity !== seen) lastAt = now;
    seen = activity;
    if (now - lastAt >= rule.idleMs) return done("idle");
    if (now - begin >= rule.maxMs || view.signal.aborted) return done("limit");
    const left = Math.min(lastAt + rule.idleMs, begin + rule.maxMs) - now;
    await clock.wait(Math.max(1, Math.min(LOOK_MS, left)), view.signal);
  }
}

function realClock(): Clock {
  return {
    now: () => performance.now(),
    wait: (ms, signal) =>
      new Promise((resolve) => {
        const end = (): void => {
          clearTimeout(timer);
          signal.removeEventListener("abort", end);
          resolve();
        };
        const timer = setTimeout(end, ms);
        signal.addEventListener("abort", end, { once: true });
        if (signal.aborted) end();
      }),
  };
}
