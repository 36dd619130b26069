import type { JsonObject, JsonValue } from "../../proxy/record/json.ts";
import type { Column, Columns } from "./columns.ts";
import { roleOf, standsInLayer } from "./event-words.ts";
import { keyPath, MOST_DEPTH, NO_FACTS } from "./leaves.ts";

/** A place in the events of a name. */
interface Spot {
  readonly id: string;
  readonly path: string;
  readonly role: "answer" | "word" | undefined;
  /** By key of a map, or by place in a list. */
  readonly below: Map<string | number, Spot>;
  column: Column | undefined;
}

const MOST_SPOTS = 5000;

/**
 * Spells the events of one name: two events with the same spelling distil to the same item. What varies without end is
 * left out, so that the many events of a long run have few spellings, and most of them need not be taken apart (ten runs
 * of 100,000 events: a third of the time).
 */
export class Signatures {
  readonly #leaves: Columns;
  readonly #outcomes: Columns;
  readonly #root: Spot;
  #spots = 0;
  #text = "";

  constructor(leaves: Columns, outcomes: Columns) {
    this.#leaves = leaves;
    this.#outcomes = outcomes;
    this.#root = this.#spotFor("", undefined);
  }

  /** The spelling; undefined when the events of this name have keys without end. */
  of(event: JsonObject): string | undefined {
    if (this.#spots > MOST_SPOTS) return undefined;
    this.#text = "";
    for (const key in event) {
      const value = event[key];
      if (value === undefined || NO_FACTS.has(key)) continue;
      this.#spell(value, this.#child(this.#root, key), { depth: 0, isWhole: false });
    }
    return this.#text;
  }

  #spell(value: JsonValue, spot: Spot, at: { readonly depth: number; readonly isWhole: boolean }): void {
    const { role } = spot;
    const isWhole = at.isWhole || (role === "answer" && this.#outcomes.get(spot.path)?.endless !== true);
    if (typeof value === "object" && value !== null) {
      if (role !== undefined) this.#text += `${spot.id}o`;
      if (at.depth > MOST_DEPTH + 1) return;
      const inner = { depth: at.depth + 1, isWhole };
      if (Array.isArray(value)) this.#spellList(value, spot, inner);
      else for (const key in value) this.#spell((value as JsonObject)[key] ?? null, this.#child(spot, key), inner);
      return;
    }
    if (!isWhole && this.#isEndless(spot)) {
      if (role !== undefined) this.#text += `${spot.id}${hint(value)}`;
      return;
    }
    this.#text +=
      typeof value === "string" ? `${spot.id}"${value.length}:${value}` : `${spot.id}${typeof value}${value}`;
  }

  /** Elements that are scalars are one value, the whole list; others have places of their own. */
  #spellList(list: readonly JsonValue[], spot: Spot, inner: { depth: number; isWhole: boolean }): void {
    const isFlat = list.every((item) => typeof item !== "object" || item === null);
    if (isFlat && !inner.isWhole && this.#isEndless(spot)) return;
    this.#text += `${spot.id}[${list.length}`;
    for (const [index, item] of list.entries()) {
      if (isFlat) this.#text += typeof item === "string" ? `"${item.length}:${item}` : `,${typeof item}${item}`;
      else this.#spell(item, this.#child(spot, index), inner);
    }
  }

  #isEndless(spot: Spot): boolean {
    spot.column ??= this.#leaves.get(spot.path);
    return spot.column?.endless === true;
  }

  #child(parent: Spot, key: string | number): Spot {
    const known = parent.below.get(key);
    if (known !== undefined) return known;
    const path = typeof key === "number" ? `${parent.path}[${key}]` : keyPath(parent.path, key);
    const isLayer = parent === this.#root || standsInLayer(parent.path);
    const made = this.#spotFor(path, isLayer ? roleOf(String(key)) : undefined);
    parent.below.set(key, made);
    return made;
  }

  #spotFor(path: string, role: Spot["role"]): Spot {
    return { id: `\u0001${this.#spots++}`, path, role, below: new Map(), column: undefined };
  }
}

/** What a word says of its event even where its values vary without end. */
function hint(value: JsonValue): string {
  if (typeof value === "string") return /./.test(value) ? "told" : "empty";
  return typeof value === "boolean" ? String(value) : typeof value;
}
