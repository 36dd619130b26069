import { formatEndpoint } from "./intercept/authority.ts";
import type { Endpoint } from "./intercept/interceptor.ts";

/** A busy app may try a host many times a second; the log need not hold each. */
const FOLD_MS = 1_000;
const MAX_HOSTS = 1_000;

export interface GapMarkParts {
  /** Hosts that the capture promises to show. */
  readonly isNamed: (host: Endpoint) => boolean;
  /** Puts a mark where the next record would stand. */
  readonly mark: (why: string) => void;
  readonly now: () => number;
}

/**
 * Marks in the log where telemetry of a host that was to be shown may have gone by unread: a grade that misses something
 * is then inconclusive, since what it misses may be just that. One mark a second for each host and reason; past a thousand
 * of them, one for all others.
 */
export function createGapMarks({ isNamed, mark, now }: GapMarkParts): (host: Endpoint, why: string) => void {
  const markedAt = new Map<string, number>();
  return (host, why) => {
    if (!isNamed(host)) return;
    const text = `${formatEndpoint(host)} went by unread: ${why}`;
    const key = markedAt.has(text) || markedAt.size < MAX_HOSTS ? text : "";
    if (now() - (markedAt.get(key) ?? Number.NEGATIVE_INFINITY) < FOLD_MS) return;
    markedAt.set(key, now());
    mark(text);
  };
}
