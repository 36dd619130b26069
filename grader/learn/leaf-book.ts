import type { JsonValue } from "../../proxy/record/json.ts";
import { spelledKey } from "../operators/spelled.ts";
import type { Leaf } from "./trace.ts";

/** A text, or a number that a double holds. */
export type Plain = string | number;

/**
 * Leaves by number: each is kept once, however many items have it. A plain value (see `plainOf`) is kept as itself, without
 * its key, because at their peak long runs have a thousand values at each of their paths (half a million in all).
 */
export class LeafBook {
  readonly #paths: (string | undefined)[] = [];
  readonly #kept: (Plain | Leaf | undefined)[] = [];
  readonly #made = new Map<number, Leaf>();

  /** The number of a leaf that is new. */
  add(leaf: Leaf, isPlain: boolean): number {
    this.#kept.push(isPlain ? (leaf.value as Plain) : leaf);
    return this.#paths.push(leaf.path) - 1;
  }

  /** Forgets a leaf; its number is not given again. */
  drop(number: number): void {
    this.#paths[number] = undefined;
    this.#kept[number] = undefined;
    this.#made.delete(number);
  }

  isKept(number: number): boolean {
    return this.#paths[number] !== undefined;
  }

  /** The leaf of a number; undefined when it was forgotten. The same object each time. */
  leaf(number: number): Leaf | undefined {
    const [path, kept] = [this.#paths[number], this.#kept[number]];
    if (path === undefined || kept === undefined || typeof kept === "object") return kept as Leaf | undefined;
    let made = this.#made.get(number);
    if (made === undefined) {
      made = { path, key: spelledKey(kept), value: kept };
      this.#made.set(number, made);
    }
    return made;
  }
}

/** The one text or number that `spelledKey` writes with this key, apart from other spellings of that number; undefined for all else. */
export function plainOf(key: string): Plain | undefined {
  if (key.startsWith('"')) return key.slice(1);
  const number = key.startsWith("n") ? Number(key.slice(1)) : undefined;
  return number !== undefined && `n${number}` === key ? number : undefined;
}

/** True for a leaf right in an event that `plainOf` gives back from its key. */
export function isPlainLeaf({ key, value, within }: Leaf): boolean {
  if (within !== undefined) return false;
  return typeof value === "string" ? key.startsWith('"') : typeof value === "number" && key === `n${value}`;
}

/** True for what is neither a list nor a map. */
export function isScalar(value: JsonValue): value is null | boolean | number | bigint | string {
  return typeof value !== "object" || value === null;
}
