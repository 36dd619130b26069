import { randomBytes } from "node:crypto";

const ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
const RANDOM_CHARACTERS = 16;

/**
 * Makes run ids: 26 characters of Crockford's base 32, 48 bits of time before 80 random ones (the ULID layout), so that
 * ids sort by the time they were made. Ids of the same millisecond count up, so those of one maker always sort.
 */
export function createRunIds(nowMs: () => number, random: (bytes: number) => Uint8Array = randomBytes): () => string {
  let lastMs = -1;
  let digits: number[] = [];
  return () => {
    const now = Math.max(nowMs(), lastMs);
    digits = now === lastMs ? increment(digits) : freshDigits(random);
    lastMs = now;
    return timeDigits(now) + digits.map((digit) => ALPHABET[digit]).join("");
  };
}

/** The first digit stays in the lower half, so that counting up has room and never comes back to 0. */
function freshDigits(random: (bytes: number) => Uint8Array): number[] {
  return Array.from(random(RANDOM_CHARACTERS), (byte, index) => byte & (index === 0 ? 15 : 31));
}

function increment(digits: readonly number[]): number[] {
  const next = [...digits];
  for (let at = next.length - 1; at >= 0; at--) {
    const digit = ((next[at] ?? 0) + 1) & 31;
    next[at] = digit;
    if (digit !== 0) break;
  }
  return next;
}

function timeDigits(ms: number): string {
  let rest = Math.floor(ms);
  let text = "";
  for (let count = 0; count < 10; count++) {
    text = (ALPHABET[rest % 32] ?? "0") + text;
    rest = Math.floor(rest / 32);
  }
  return text;
}
