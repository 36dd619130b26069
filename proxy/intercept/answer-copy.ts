import type { ExchangeResponse, RawHeaders } from "../record/exchange.ts";

/** Bytes that all copies of answers may hold at once; shared, so that many open streams cannot fill the memory. */
export class AnswerBudget {
  #left: number;

  constructor(maxBytes: number) {
    this.#left = maxBytes;
  }

  /** Takes what is left of the bytes wanted. */
  take(bytes: number): number {
    const taken = Math.min(bytes, this.#left);
    this.#left -= taken;
    return taken;
  }

  giveBack(bytes: number): void {
    this.#left += bytes;
  }
}

/** A bounded copy of one answer, for decoders that read it. What does not fit marks it as truncated and flows on. */
export class AnswerCopy {
  readonly #budget: AnswerBudget;
  readonly #maxBytes: number;
  #head: { readonly status: number; readonly headers: RawHeaders } | undefined;
  #chunks: Uint8Array[] = [];
  #kept = 0;
  #isCut = false;

  constructor(maxBytes: number, budget: AnswerBudget) {
    this.#maxBytes = maxBytes;
    this.#budget = budget;
  }

  begin(status: number, headers: RawHeaders): void {
    this.#head ??= { status, headers };
  }

  add(bytes: Uint8Array): void {
    const room = this.#isCut ? 0 : this.#budget.take(Math.min(bytes.length, this.#maxBytes - this.#kept));
    if (room < bytes.length) this.#isCut = true;
    if (room === 0) return;
    this.#chunks.push(room < bytes.length ? bytes.subarray(0, room) : bytes);
    this.#kept += room;
  }

  /** The answer as far as it came, and the end of the copy; undefined when there was none. */
  take(isWhole: boolean): ExchangeResponse | undefined {
    const body = Buffer.concat(this.#chunks, this.#kept);
    this.#chunks = [];
    this.#budget.giveBack(this.#kept);
    this.#kept = 0;
    return this.#head && { ...this.#head, body, truncated: this.#isCut || !isWhole };
  }
}
