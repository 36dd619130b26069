import { headerOf, type RawHeaders } from "../record/exchange.ts";
import type { AnswerBudget } from "./answer-copy.ts";

/** Of a body that cannot be kept whole so much is kept, enough to see what it was. */
export const PREFIX_BYTES = 1 << 20;

export interface BodyCopyParts {
  readonly maxBytes: number;
  /** Shared by all bodies that are longer than the prefix. */
  readonly budget: AnswerBudget;
  readonly headers: RawHeaders;
}

/**
 * A bounded copy of one request's body. One over the cap, known as soon as its length is declared, is cut to the prefix,
 * as is one for which the budget has no room: uploads of any size, and many at once, cost little memory.
 */
export class BodyCopy {
  readonly #parts: BodyCopyParts;
  #chunks: Uint8Array[] = [];
  #kept = 0;
  #borrowed = 0;
  #isCut = false;

  constructor(parts: BodyCopyParts) {
    this.#parts = parts;
  }

  /** Bytes have gone by that are not in the copy. */
  get isCut(): boolean {
    return this.#isCut;
  }

  add(bytes: Uint8Array): void {
    const room = this.#parts.maxBytes - this.#kept;
    if (bytes.length > room) this.#isCut = true;
    if (this.#kept + bytes.length > PREFIX_BYTES) this.#addLarge(bytes);
    else if (room > 0) this.#keep(bytes.length > room ? bytes.subarray(0, room) : bytes);
  }

  /** The copy so far. */
  bytes(): Uint8Array {
    const [only] = this.#chunks;
    return this.#chunks.length === 1 && only !== undefined ? only : Buffer.concat(this.#chunks, this.#kept);
  }

  /** Forgets the copy. */
  release(): void {
    this.#chunks = [];
    this.#giveBack();
  }

  #addLarge(bytes: Uint8Array): void {
    const { headers, budget, maxBytes } = this.#parts;
    this.#isCut ||= Number(headerOf(headers, "content-length") ?? 0) > maxBytes;
    if (!this.#isCut) {
      const taken = budget.take(bytes.length);
      this.#borrowed += taken;
      if (taken === bytes.length) {
        this.#keep(bytes);
        return;
      }
      this.#isCut = true;
    }
    this.#shorten(bytes, Math.min(maxBytes, PREFIX_BYTES));
  }

  #shorten(more: Uint8Array, limit: number): void {
    if (this.#kept < limit) this.#keep(more.subarray(0, limit - this.#kept));
    if (this.#kept > limit) {
      this.#chunks = [Buffer.concat(this.#chunks, limit)];
      this.#kept = limit;
    }
    this.#giveBack();
  }

  #keep(bytes: Uint8Array): void {
    this.#chunks.push(bytes);
    this.#kept += bytes.length;
  }

  #giveBack(): void {
    this.#parts.budget.giveBack(this.#borrowed);
    this.#borrowed = 0;
  }
}
