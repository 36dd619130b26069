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

const NO_BYTES = Buffer.alloc(0);

/** The head a connection repeats, known by its bytes: then it need not even be made into text. */
export class KnownHead<Head> {
  #head: Head | undefined;
  #bytes: Buffer = NO_BYTES;

  /** Bytes of the head, its empty line included. */
  get length(): number {
    return this.#bytes.length;
  }

  /** The head, when the chunk says it again from `at` on. */
  in(chunk: Buffer, at: number): Head | undefined {
    const end = at + this.#bytes.length;
    if (end === at || end > chunk.length || this.#bytes.compare(chunk, at, end) !== 0) return undefined;
    return this.#head;
  }

  /** The head just read, which stands at that place; it is kept when it is the very one that was read before it. */
  said(head: Head, bytes: Buffer, { from, end }: { readonly from: number; readonly end: number }): void {
    const isAgain = head === this.#head && end - from <= MAX_CHARS;
    this.#head = head;
    this.#bytes = isAgain ? Buffer.from(bytes.subarray(from, end)) : NO_BYTES;
  }
}
