const AT_ONCE = 1024;

/**
 * Takes entries out of a map from the eldest on, each in near constant time. `map.keys().next()` is not that: a fresh
 * iterator walks over every key that was deleted before the first that is left, and one that is kept keeps alive all
 * tables that the map has outgrown. A key that is set anew has to get another value, by which it counts as young again.
 */
export class Eldest<K, V extends object> {
  readonly #map: Map<K, V>;
  /** Entries that were the eldest when they were looked up; any of them may have gone or been set anew since. */
  #known: (readonly [K, V])[] = [];
  #at = 0;

  constructor(map: Map<K, V>) {
    this.#map = map;
  }

  /** Deletes the entry that was set before all others, if there is one. */
  drop(): void {
    for (let entry = this.#next(); entry !== undefined; entry = this.#next()) {
      if (this.#map.get(entry[0]) !== entry[1]) continue;
      this.#map.delete(entry[0]);
      return;
    }
  }

  #next(): readonly [K, V] | undefined {
    if (this.#at >= this.#known.length) this.#look();
    return this.#known[this.#at++];
  }

  #look(): void {
    this.#known = [];
    this.#at = 0;
    for (const entry of this.#map) if (this.#known.push(entry) === AT_ONCE) return;
  }
}
