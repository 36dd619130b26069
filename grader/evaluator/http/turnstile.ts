import { Refusal } from "../refusal.ts";

/** Lets so many requests work at once; those that wait for events are counted apart. */
export interface Turnstile {
  /** Takes a place until the returned function is called. Throws a 429. */
  enter(kind: "working" | "waiting"): () => void;
  readonly inside: Readonly<Record<"working" | "waiting", number>>;
}

/** Waiting costs little, so more may wait than work. */
const WAITING_PER_WORKING = 4;

export function createTurnstile(most: number): Turnstile {
  const inside = { working: 0, waiting: 0 };
  const limits = { working: most, waiting: most * WAITING_PER_WORKING };
  return {
    inside,
    enter(kind) {
      if (inside[kind] >= limits[kind]) {
        throw new Refusal(429, "WM_SERVE_BUSY", `${limits[kind]} requests are ${kind} already`, {
          retryAfterSeconds: 1,
        });
      }
      inside[kind] += 1;
      let isInside = true;
      return () => {
        if (isInside) inside[kind] -= 1;
        isInside = false;
      };
    },
  };
}
