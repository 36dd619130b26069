import type { JsonValue } from "../../proxy/record/json.ts";

/** One marker or rule as it will be written, with the comment that says why it is there. */
export interface DraftItem {
  readonly name: string;
  readonly body: { readonly [key: string]: JsonValue };
  readonly why: string;
}

/** A learned scenario before it is text. */
export interface Draft {
  readonly id: string;
  readonly title?: string;
  /** Lines for the head of the file. */
  readonly about: readonly string[];
  /** Why a pass proves little; empty when it does not. */
  readonly provisional: readonly string[];
  readonly params: readonly DraftItem[];
  /** Patterns that markers and rules name. */
  readonly define: readonly DraftItem[];
  readonly markers: readonly DraftItem[];
  readonly rules: readonly DraftItem[];
}

/** Hands out names, each once. */
export class UniqueNames {
  readonly #taken = new Set<string>();

  /** The name itself, else with the hint behind it, else with a number. */
  give(name: string, hint?: string): string {
    const wished = name === "" ? "(no name)" : name;
    const candidates = [wished, ...(hint === undefined ? [] : [`${wished} (${hint})`])];
    for (const candidate of candidates) if (this.#take(candidate)) return candidate;
    const base = candidates.at(-1) ?? wished;
    for (let count = 2; ; count++) if (this.#take(`${base} ${count}`)) return `${base} ${count}`;
  }

  #take(name: string): boolean {
    if (this.#taken.has(name)) return false;
    this.#taken.add(name);
    return true;
  }
}
