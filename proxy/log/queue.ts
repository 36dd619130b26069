import type { Loss } from "./control.ts";

/** A record that gets its number when it is written: the line is `before`, the `seq`, `after`. */
export interface UnnumberedLine {
  readonly before: string;
  readonly after: string;
}

/** What waits to be written, in the order in which it will stand. */
export type Waiting =
  | { readonly kind: "record"; readonly line: UnnumberedLine }
  | { readonly kind: "loss"; readonly loss: Loss }
  | { readonly kind: "tick" };

/**
 * Lines that wait for the disk, bounded in characters. When it is full, records are turned away until it is half empty,
 * and a loss stands in the queue at just the place where they are missing.
 */
export class LineQueue {
  readonly #maxChars: number;
  #entries: Waiting[] = [];
  #chars = 0;
  #isTurningAway = false;

  constructor(maxChars: number) {
    this.#maxChars = maxChars;
  }

  get length(): number {
    return this.#entries.length;
  }

  /** Records that still wait, and records whose loss still waits to be told. */
  remains(): { records: number; lost: number } {
    let records = 0;
    let lost = 0;
    for (const entry of this.#entries) {
      if (entry.kind === "record") records++;
      else if (entry.kind === "loss") lost += entry.loss.records ?? 1;
    }
    return { records, lost };
  }

  /** False when the record was turned away; `why` then goes into the loss. */
  push(line: UnnumberedLine, why: string): boolean {
    const chars = line.before.length + line.after.length;
    if (this.#isTurningAway && this.#chars <= this.#maxChars / 2) this.#isTurningAway = false;
    if (this.#isTurningAway || (this.#chars > 0 && this.#chars + chars > this.#maxChars)) {
      this.#isTurningAway = true;
      this.lose({ records: 1, why });
      return false;
    }
    this.#entries.push({ kind: "record", line });
    this.#chars += chars;
    return true;
  }

  /** Puts a loss at the end; adjoining losses with the same reason become one. */
  lose(loss: Loss): void {
    const last = this.#entries.at(-1);
    if (last?.kind === "loss" && last.loss.why === loss.why && last.loss.records !== null && loss.records !== null) {
      this.#entries[this.#entries.length - 1] = {
        kind: "loss",
        loss: { ...last.loss, records: last.loss.records + loss.records },
      };
    } else {
      this.#entries.push({ kind: "loss", loss });
    }
  }

  /** Puts a loss before everything that waits. */
  loseFirst(loss: Loss): void {
    this.#entries.unshift({ kind: "loss", loss });
  }

  tick(): void {
    this.#entries.push({ kind: "tick" });
  }

  /** The first entries, as many as hold about `maxChars`, at least one; they stay until `drop`. */
  peek(maxChars: number): readonly Waiting[] {
    if (this.#chars < maxChars) return this.#entries.slice();
    let chars = 0;
    const end = this.#entries.findIndex((entry) => {
      chars += charsOf(entry);
      return chars >= maxChars;
    });
    return end < 0 ? this.#entries.slice() : this.#entries.slice(0, end + 1);
  }

  /** Takes the first `count` entries off. */
  drop(count: number): readonly Waiting[] {
    if (count === this.#entries.length) return this.#dropAll();
    const dropped = this.#entries.slice(0, count);
    this.#entries = this.#entries.slice(count);
    for (const entry of dropped) this.#chars -= charsOf(entry);
    return dropped;
  }

  #dropAll(): readonly Waiting[] {
    const dropped = this.#entries;
    this.#entries = [];
    this.#chars = 0;
    return dropped;
  }
}

function charsOf(entry: Waiting): number {
  return entry.kind === "record" ? entry.line.before.length + entry.line.after.length : 0;
}
