import { createHash } from "node:crypto";

/** Remembers which events failed to be delivered, so that the same event sent again can be told from a second, equal one. */
export interface RetryLedger {
  /** Notes the events of one request, in order, and says of each whether it is one that was sent before. */
  seen(requestId: string, events: readonly SentEvent[]): boolean[];
  /** The request's answer has arrived, or (undefined) it ended without one. */
  answered(requestId: string, status: number | undefined): void;
}

export interface SentEvent {
  /** The event as it would be written, without capture metadata: equal bytes mean an equal event. */
  readonly text: string;
  /** The format's own event id, when it is stable and unique. */
  readonly id?: string | undefined;
}

export interface RetryLimits {
  /** Characters of events kept whose answer is awaited. */
  readonly maxPendingChars: number;
  /** Events kept whose delivery failed, and event ids kept. */
  readonly maxRemembered: number;
}

/** Events of one request whose answer is awaited. */
interface Pending {
  readonly events: readonly SentEvent[];
  readonly chars: number;
}

const NOTHING_PENDING: Pending = { events: [], chars: 0 };

/** Answers kept that arrived before their request was handed on (a server may answer before the body has ended). */
const MAX_EARLY = 1_000;

const LIMITS: RetryLimits = { maxPendingChars: 8_000_000, maxRemembered: 50_000 };

/**
 * A ledger of bounded memory. An event without an id is a retry when an equal event's delivery failed (status of 400 and
 * above, or no answer) and that failure was not yet made good: two equal clicks, both delivered, stay two. An event with
 * an id is a retry whenever the id was seen before. What had to be forgotten counts as never seen, so an event is rather
 * kept twice than lost.
 */
export function createRetryLedger(limits: RetryLimits = LIMITS): RetryLedger {
  const pending = new Map<string, Pending>();
  const failed = new Map<string, number>();
  const ids = createRecentIds(limits.maxRemembered);
  const early = new Map<string, boolean>();
  let pendingChars = 0;

  const forgetPending = (requestId: string): readonly SentEvent[] => {
    const { events, chars } = pending.get(requestId) ?? NOTHING_PENDING;
    pending.delete(requestId);
    pendingChars -= chars;
    return events;
  };

  const noteFailure = (events: readonly SentEvent[]): void => {
    for (const event of events) {
      if (event.id !== undefined) continue;
      const key = hashOf(event.text);
      const count = failed.get(key) ?? 0;
      failed.delete(key); // so that the youngest stand last
      failed.set(key, count + 1);
    }
    while (failed.size > limits.maxRemembered) failed.delete(first(failed.keys()));
  };

  return {
    seen(requestId, events) {
      const retried = events.map((event) => (event.id === undefined ? takeFailure(failed, event) : ids.saw(event.id)));
      const hasFailed = early.get(requestId);
      if (hasFailed !== undefined) early.delete(requestId);
      if (hasFailed === true) noteFailure(events);
      if (hasFailed !== undefined) return retried;
      const withoutId = events.filter(({ id }) => id === undefined); // those with an id were noted above, once for all
      const chars = charsOf(withoutId);
      pending.set(requestId, { events: withoutId, chars });
      pendingChars += chars;
      while (pendingChars > limits.maxPendingChars && pending.size > 0) forgetPending(first(pending.keys()));
      return retried;
    },
    answered(requestId, status) {
      const hasFailed = status === undefined || status >= 400;
      if (!pending.has(requestId)) {
        early.set(requestId, hasFailed);
        if (early.size > MAX_EARLY) early.delete(first(early.keys()));
        return;
      }
      const events = forgetPending(requestId);
      if (hasFailed) noteFailure(events);
    },
  };
}

/** True when an equal event is known to have failed; each failure is made good once. No hash is made while nothing failed. */
function takeFailure(failed: Map<string, number>, event: SentEvent): boolean {
  if (failed.size === 0) return false;
  const key = hashOf(event.text);
  const count = failed.get(key) ?? 0;
  if (count === 0) return false;
  if (count === 1) failed.delete(key);
  else failed.set(key, count - 1);
  return true;
}

/**
 * The latest ids, between half of `most` and `most` of them. Two sets, the older thrown away whole: to take single ids
 * from the front of one set costs as much as were taken before.
 */
function createRecentIds(most: number): { saw(id: string): boolean } {
  let young = new Set<string>();
  let old = new Set<string>();
  return {
    saw(id) {
      const isKnown = young.has(id) || old.has(id);
      young.add(id);
      if (young.size * 2 >= most) {
        old = young;
        young = new Set();
      }
      return isKnown;
    },
  };
}

function hashOf(text: string): string {
  return createHash("sha256").update(text).digest("base64");
}

function charsOf(events: readonly SentEvent[]): number {
  let chars = 0;
  for (const { text } of events) chars += text.length;
  return chars;
}

function first(keys: Iterator<string>): string {
  const { value } = keys.next();
  return typeof value === "string" ? value : "";
}
