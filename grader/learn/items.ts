import { stringifyJson } from "../../proxy/record/json.ts";
import type { LeafBook } from "./leaf-book.ts";
import type { Item, Leaf } from "./trace.ts";

/** Numbers the items of all names, and knows which turned out equal. */
export class ItemNumbers {
  /** For each item the one before it that it is equal to, or itself. */
  readonly #into: number[] = [];

  next(): number {
    return this.#into.push(this.#into.length) - 1;
  }

  join(number: number, into: number): void {
    this.#into[number] = into;
  }

  /** What `indexOf` gives for the items that stand for others, for every item. */
  all(indexOf: (number: number) => number): Int32Array {
    const values = new Int32Array(this.#into.length);
    for (const [number, into] of this.#into.entries()) {
      values[number] = into === number ? indexOf(number) : (values[into] ?? 0);
    }
    return values;
  }
}

/** What an item is but for its name, its leaves and its outcome. */
type Traits = Pick<Item, "failed" | "tells" | "isCall" | "writes">;

/**
 * The items of one name. Each is a row of a table: a text of its traits and the numbers of its leaves, some 100 bytes
 * for twenty leaves, since of each of many names thousands stand in memory until it is known what varies without end.
 */
export class Items {
  readonly #name: string;
  readonly #book: LeafBook;
  readonly #numbers: ItemNumbers;
  #rows = new Map<string, number>();

  constructor(name: string, book: LeafBook, numbers: ItemNumbers) {
    this.#name = name;
    this.#book = book;
    this.#numbers = numbers;
  }

  /** The index of the item with these leaves and this outcome. */
  add(traits: Traits, leaves: readonly number[], outcome: number | undefined): number {
    const row = rowOf(traitsUnit(traits), leaves, outcome);
    const known = this.#rows.get(row);
    if (known !== undefined) return known;
    const index = this.#numbers.next();
    this.#rows.set(row, index);
    return index;
  }

  /** Takes leaves that were forgotten out of the items; of those that are equal then, the first stands for the others. */
  settle(): void {
    const rows = new Map<string, number>();
    for (const [row, index] of this.#rows) {
      const slim = this.#slim(row);
      const first = rows.get(slim);
      if (first === undefined) rows.set(slim, index);
      else this.#numbers.join(index, first);
    }
    this.#rows = rows;
  }

  /** The items that are left when all is settled, ascending. */
  *settled(): Generator<{ readonly index: number; readonly item: Item }> {
    this.settle();
    for (const [row, index] of this.#rows) yield { index, item: this.#itemOf(row) };
  }

  #slim(row: string): string {
    const { traits, outcome, leaves } = readRow(row);
    const isKept = (number: number): boolean => this.#book.isKept(number);
    const kept = leaves.filter(isKept);
    const lasting = outcome !== undefined && isKept(outcome) ? outcome : undefined;
    return kept.length === leaves.length && lasting === outcome ? row : rowOf(traits, kept, lasting);
  }

  #itemOf(row: string): Item {
    const { traits, outcome, leaves } = readRow(row);
    return {
      name: this.#name,
      leaves: leaves.flatMap((number): readonly Leaf[] => {
        const leaf = this.#book.leaf(number);
        return leaf === undefined ? [] : [leaf];
      }),
      failed: (traits & FAILED) !== 0,
      tells: (traits & TELLS) !== 0,
      outcome: outcome === undefined ? undefined : this.#book.leaf(outcome),
      isCall: (traits & IS_CALL) !== 0,
      writes: (traits & SAYS_WRITES) === 0 ? undefined : (traits & WRITES) !== 0,
    };
  }
}

const [FAILED, TELLS, IS_CALL, SAYS_WRITES, WRITES] = [1, 2, 4, 8, 16] as const;

function traitsUnit({ failed, tells, isCall, writes }: Traits): number {
  const said = writes === undefined ? 0 : SAYS_WRITES + (writes ? WRITES : 0);
  return (failed ? FAILED : 0) + (tells ? TELLS : 0) + (isCall ? IS_CALL : 0) + said;
}

/** A number is two units of 15 bits, the outcome's is 0 without one. */
function rowOf(traits: number, leaves: readonly number[], outcome: number | undefined): string {
  const units = [traits];
  for (const number of [outcome === undefined ? 0 : outcome + 1, ...leaves]) units.push(number >>> 15, number & 0x7fff);
  return String.fromCharCode(...units);
}

function readRow(row: string): {
  readonly traits: number;
  readonly outcome: number | undefined;
  readonly leaves: readonly number[];
} {
  const [outcome = 0, ...leaves] = Array.from({ length: (row.length - 1) / 2 }, (_, at) => {
    return row.charCodeAt(1 + at * 2) * 0x8000 + row.charCodeAt(2 + at * 2);
  });
  return { traits: row.charCodeAt(0), outcome: outcome === 0 ? undefined : outcome - 1, leaves };
}

/** Spelling is part of it: a scenario has to know whether all runs spell a value in one way. */
export function itemKey({ name, leaves, failed, tells, outcome, isCall: call, writes }: Item): string {
  const parts = leaves.map(
    ({ path, key, value, within }) =>
      `${path}\u0001${key}\u0001${typeof value}${within === undefined ? "" : "~"}${Array.isArray(value) ? stringifyJson(value) : typeof value === "string" ? value : ""}`,
  );
  return [
    name,
    failed ? "x" : tells ? "w" : "",
    call ? "c" : "",
    String(writes),
    outcome === undefined ? "" : `${outcome.path}\u0001${outcome.key}`,
    ...parts,
  ].join("\u0000");
}
