import { type JsonValue, stringifyJson } from "../../proxy/record/json.ts";
import { isPlainLeaf, isScalar, type LeafBook, plainOf } from "./leaf-book.ts";
import type { Leaf } from "./trace.ts";

/**
 * A path with more values than this varies without end; what varies without end is no fact. Of a name that comes often
 * less is kept, because nobody tells its occurrences apart any more, and because the ways in which many paths of few
 * values go together have no end either.
 */
const LIMITS = [
  { upTo: 2000, values: 1000 },
  { upTo: 5000, values: 10 },
  { upTo: Infinity, values: 2 },
] as const;

/** What is known of the values at one path of the events of a name. */
export interface Column {
  readonly endless: boolean;
}

/** The values seen at one path; none once they are known to vary without end. */
interface OpenColumn {
  /** Numbers of leaves that are a scalar right in the event, by that scalar; of all others, by how they are spelled. */
  readonly scalars: Map<JsonValue, number>;
  readonly others: Map<string, number>;
  /** Keys of those whose value alone does not tell their key. */
  readonly keys: Set<string>;
  /** How many different keys there are. */
  values: number;
  endless: boolean;
}

/**
 * What is known of the values at the paths of the events of one name. A path counts as endless exactly when it has more
 * values than the number of events allows; both only grow, so the order of the events does not matter.
 */
export class Columns {
  readonly #book: LeafBook;
  readonly #byPath = new Map<string, OpenColumn>();
  #events = 0;
  #tier = 0;

  constructor(book: LeafBook) {
    this.#book = book;
  }

  get(path: string): Column | undefined {
    return this.#byPath.get(path);
  }

  entries(): Iterable<[string, Column]> {
    return this.#byPath;
  }

  /** Notes the value of a leaf and gives the leaf's number; undefined when it is at a path that varies without end. */
  numberOf(leaf: Leaf): number | undefined {
    const column = this.#columnAt(leaf.path);
    if (column.endless) return undefined;
    const isDirect = leaf.within === undefined && isScalar(leaf.value);
    const spelling = isDirect ? "" : spellingOf(leaf);
    const known = isDirect ? column.scalars.get(leaf.value) : column.others.get(spelling);
    if (known !== undefined) return known;
    const isPlain = isPlainLeaf(leaf);
    countKey(column, leaf.key, isPlain);
    if (!this.#fits(column)) return undefined;
    const number = this.#book.add(leaf, isPlain);
    if (isDirect) column.scalars.set(leaf.value, number);
    else column.others.set(spelling, number);
    return number;
  }

  /** Counts events of the name; true when paths that were kept vary without end from now on. */
  count(events = 1): boolean {
    this.#events += events;
    if (this.#events <= (LIMITS[this.#tier]?.upTo ?? Infinity)) return false;
    this.#tier = tierOf(this.#events);
    for (const column of this.#byPath.values()) if (!column.endless) this.#fits(column);
    return true;
  }

  /** Goes by so many events in all from the start, which keeps few values in memory where more would come. */
  expect(events: number): void {
    this.#tier = tierOf(events);
  }

  /** False when fewer events came than were expected, so that paths may have been taken for endless which are not. */
  get isAsExpected(): boolean {
    return tierOf(this.#events) === this.#tier;
  }

  /** Takes a path for endless, as another learning found it. */
  setEndless(path: string): void {
    this.#close(this.#columnAt(path));
  }

  #columnAt(path: string): OpenColumn {
    let column = this.#byPath.get(path);
    if (column === undefined) {
      column = { scalars: new Map(), others: new Map(), keys: new Set(), values: 0, endless: false };
      this.#byPath.set(path, column);
    }
    return column;
  }

  #fits(column: OpenColumn): boolean {
    if (column.values <= (LIMITS[this.#tier]?.values ?? 0)) return true;
    this.#close(column);
    return false;
  }

  #close(column: OpenColumn): void {
    const { scalars, others, keys } = column;
    column.endless = true;
    for (const numbers of [scalars, others]) for (const number of numbers.values()) this.#book.drop(number);
    for (const values of [scalars, others, keys]) values.clear();
  }
}

function tierOf(events: number): number {
  return LIMITS.findIndex(({ upTo }) => events <= upTo);
}

/** Two leaves are counted as one value exactly when their keys are equal. */
function countKey(column: OpenColumn, key: string, isPlain: boolean): void {
  const { scalars, keys } = column;
  const plain = isPlain ? undefined : plainOf(key);
  if (keys.has(key) || (plain !== undefined && scalars.has(plain))) return;
  if (!isPlain) keys.add(key);
  column.values++;
}

function spellingOf({ key, value, within }: Leaf): string {
  const own = isScalar(value) && typeof value !== "string" ? "" : stringifyJson(value);
  return `${key}\u0001${typeof value}${own}${within === undefined ? "" : stringifyJson([within.path, within.keys])}`;
}
