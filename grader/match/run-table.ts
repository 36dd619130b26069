import type { Occurrence } from "./occurrence.ts";
import type { Run } from "./runs.ts";

/** The open runs, merged: of two runs at one position only those stay of which neither covers the other. */
export class RunTable {
  readonly #fronts = new Map<string, Run[]>();
  readonly #drops: (a: Run, b: Run) => boolean;
  size = 0;

  /** `drops(a, b)`: with `a` in the table, `b` of the same position is not needed. */
  constructor(drops: (a: Run, b: Run) => boolean) {
    this.#drops = drops;
  }

  /** The runs the event can move or end. A copy: the table may change meanwhile. */
  touchedBy(_event: Occurrence): Run[] {
    const runs: Run[] = [];
    for (const front of this.#fronts.values()) runs.push(...front);
    return runs;
  }

  insert(run: Run): void {
    const { key } = run.rank;
    const front = this.#fronts.get(key);
    if (front === undefined) {
      this.#fronts.set(key, [run]);
      this.size += 1;
      return;
    }
    if (front.some((other) => this.#drops(other, run))) return;
    const kept = front.filter((other) => !this.#drops(run, other));
    kept.push(run);
    this.size += kept.length - front.length;
    this.#fronts.set(key, kept);
  }

  delete(run: Run): void {
    const { key } = run.rank;
    const front = this.#fronts.get(key);
    const at = front?.indexOf(run) ?? -1;
    if (front === undefined || at < 0) return;
    front.splice(at, 1);
    this.size -= 1;
    if (front.length === 0) this.#fronts.delete(key);
  }

  /** Drops the runs that came first until at most `max` are left. */
  dropOldest(max: number): void {
    const byAge = [...this.#fronts.values()].flat().sort((a, b) => a.born - b.born);
    for (const run of byAge.slice(0, Math.max(0, this.size - max))) this.delete(run);
  }

  clear(): void {
    this.#fronts.clear();
    this.size = 0;
  }
}
