import type { Parsed } from "./http1-head.ts";

/** Heads that are remembered, and the characters of the longest: some 100 KB in all. */
const MAX_HEADS = 64;
const MAX_CHARS = 2_048;

/**
 * A reader of heads that remembers what it read last. An app that reports says the same head again and again, and what is
 * the same object needs to be taken apart, described and carried to another thread once only.
 */
export function remembering<Head>(parse: (text: string) => Parsed<Head>): (text: string) => Parsed<Head> {
  const known = new Map<string, Parsed<Head>>();
  return (text) => {
    const before = known.get(text);
    if (before !== undefined) return before;
    const parsed = parse(text);
    if (text.length > MAX_CHARS) return parsed;
    if (known.size === MAX_HEADS) known.clear();
    known.set(text, parsed);
    return parsed;
  };
}
