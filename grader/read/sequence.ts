/** What a `$capture.seq` says about the record that carries it. */
export type SequenceStep = "next" | "gap" | "late" | "repeat" | "below";

/** A step that is no next one, with the number that made it and the largest one before it. */
export interface Setback {
  readonly step: Exclude<SequenceStep, "next">;
  readonly seq: number;
  readonly last: number | undefined;
}

/** What is wrong, in words; `where` names the record's place. */
export function stepText({ step, seq, last }: Setback, where: string): string {
  const texts = {
    gap: `records ${(last ?? 0) + 1} to ${seq - 1} are missing before ${where}`,
    late: `record ${seq} stands out of order at ${where}`,
    repeat: `record ${seq} stands a second time at ${where}`,
    below: `record ${seq} stands at ${where}, before the first one that its capture announced`,
  };
  return texts[step];
}

/** Known holes kept; records that fill a hole beyond these count as repeats. */
const MAX_HOLES = 1000;

/**
 * Follows `$capture.seq` (1, 2, 3... without gap or repeat) through a range. `gap`: numbers before this one have not
 * been seen. `late`: one of those after all, so lines stand out of order. `repeat`: this number was seen before.
 * `below`: it is smaller than the first number that the capture's `start` line promised.
 */
export class Sequence {
  #last: number | undefined;
  #holes: { from: number; to: number }[] = [];
  #afterStart = false;
  /** The number promised for the first record, where nothing stands before it. */
  #first = 1;

  /** A `start` line: numbering goes on, or begins again at 1. `firstSeq` is the number it promises for its first record. */
  restart(firstSeq?: number): void {
    this.#afterStart = firstSeq === undefined || firstSeq === 1;
    if (firstSeq === undefined || (this.#last !== undefined && firstSeq !== 1)) return;
    this.#last = firstSeq - 1;
    this.#first = firstSeq;
    this.#holes = [];
  }

  /** The largest number so far. */
  get last(): number | undefined {
    return this.#last;
  }

  /** The number that a record has to have to change nothing but `last`; 0 when that depends on more than its number. */
  get next(): number {
    return this.#last === undefined || this.#last === 0 || this.#afterStart ? 0 : this.#last + 1;
  }

  /** Records came, without gap or repeat, from `next` to the one before `next`. */
  passTo(next: number): void {
    if (next > 1) this.#last = next - 1;
  }

  step(seq: number): SequenceStep {
    const last = this.#last;
    const mayBeginAgain = this.#afterStart;
    this.#afterStart = false;
    if (last === undefined || seq === last + 1 || (mayBeginAgain && seq === 1)) return this.#moveTo(seq, "next");
    if (seq < this.#first) return "below";
    if (seq > last) {
      if (this.#holes.length < MAX_HOLES) this.#holes.push({ from: last + 1, to: seq - 1 });
      return this.#moveTo(seq, "gap");
    }
    return this.#fill(seq) ? "late" : "repeat";
  }

  #moveTo(seq: number, step: SequenceStep): SequenceStep {
    if (seq === 1) {
      this.#holes = [];
      this.#first = 1;
    }
    this.#last = seq;
    return step;
  }

  #fill(seq: number): boolean {
    const at = this.#holes.findIndex(({ from, to }) => from <= seq && seq <= to);
    const hole = this.#holes[at];
    if (hole === undefined) return false;
    const parts = [
      { from: hole.from, to: seq - 1 },
      { from: seq + 1, to: hole.to },
    ].filter(({ from, to }) => from <= to);
    this.#holes.splice(at, 1, ...parts);
    return true;
  }
}
