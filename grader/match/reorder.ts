/** What waits to be released: a time, and the order of arrival for ties. */
interface Waiting<T> {
  readonly at: number;
  readonly arrival: number;
  readonly item: T;
}

/** Items by time, ties in the order of arrival: a binary heap. */
export class ReorderBuffer<T> {
  readonly #heap: Waiting<T>[] = [];
  #arrivals = 0;

  get size(): number {
    return this.#heap.length;
  }

  push(at: number, item: T): void {
    const entry = { at, arrival: this.#arrivals++, item };
    let child = this.#heap.push(entry) - 1;
    while (child > 0) {
      const parent = (child - 1) >> 1;
      if (!this.#isBefore(child, parent)) return;
      this.#swap(child, parent);
      child = parent;
    }
  }

  /** Takes out the earliest item if its time is at most `limit`. */
  pop(limit: number): T | undefined {
    const [first] = this.#heap;
    if (first === undefined || first.at > limit) return undefined;
    const last = this.#heap.pop();
    if (last !== undefined && this.#heap.length > 0) {
      this.#heap[0] = last;
      this.#sink();
    }
    return first.item;
  }

  #sink(): void {
    let parent = 0;
    for (;;) {
      const left = 2 * parent + 1;
      let next = parent;
      if (this.#isBefore(left, next)) next = left;
      if (this.#isBefore(left + 1, next)) next = left + 1;
      if (next === parent) return;
      this.#swap(next, parent);
      parent = next;
    }
  }

  #isBefore(a: number, b: number): boolean {
    const one = this.#heap[a];
    const other = this.#heap[b];
    if (one === undefined || other === undefined) return false;
    return one.at < other.at || (one.at === other.at && one.arrival < other.arrival);
  }

  #swap(a: number, b: number): void {
    const one = this.#heap[a];
    const other = this.#heap[b];
    if (one === undefined || other === undefined) return;
    this.#heap[a] = other;
    this.#heap[b] = one;
  }
}
