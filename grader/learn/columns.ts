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

/** The values seen at one path of the events of a name; none once they are known to vary without end. */
export interface Column {
  readonly values: Set<string>;
  endless: boolean;
}

/**
 * What is known of the values at the paths of the events of one name. A path counts as endless exactly when it has more
 * values than the number of events allows; both only grow, so the order of the events does not matter.
 */
export class Columns {
  readonly #byPath = new Map<string, Column>();
  #events = 0;
  #tier = 0;

  get(path: string): Column | undefined {
    return this.#byPath.get(path);
  }

  entries(): Iterable<[string, Column]> {
    return this.#byPath;
  }

  /** Notes the value of a leaf; false when it is at a path that varies without end. */
  keeps({ path, key }: Leaf): boolean {
    let column = this.#byPath.get(path);
    if (column === undefined) {
      column = { values: new Set(), endless: false };
      this.#byPath.set(path, column);
    }
    if (column.endless) return false;
    column.values.add(key);
    return this.#fits(column);
  }

  /** Counts events of the name; true when paths that were kept vary without end from now on. */
  count(events = 1): boolean {
    this.#events += events;
    const before = this.#tier;
    while (this.#events > (LIMITS[this.#tier]?.upTo ?? Infinity)) this.#tier++;
    if (this.#tier === before) return false;
    for (const column of this.#byPath.values()) if (!column.endless) this.#fits(column);
    return true;
  }

  /** Takes a path for endless, as another learning found it. */
  setEndless(path: string): void {
    const column = this.#byPath.get(path) ?? { values: new Set(), endless: true };
    column.endless = true;
    column.values.clear();
    this.#byPath.set(path, column);
  }

  #fits(column: Column): boolean {
    if (column.values.size <= (LIMITS[this.#tier]?.values ?? 0)) return true;
    column.endless = true;
    column.values.clear();
    return false;
  }
}
