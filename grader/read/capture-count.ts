import type { JsonObject, JsonValue } from "../../proxy/record/json.ts";

/** Counts the records of a capture, to hold against them what its `stop` line says (docs/record-format.md). */
export class CaptureCount {
  /** Undefined while not all of the capture is read. */
  #records: number | undefined;
  #hasLoss = false;
  #hasStopped = false;

  /** A `start` line; `isWhole` when all records from here on will be counted and are graded. */
  start(isWhole: boolean): void {
    this.#records = isWhole ? 0 : undefined;
    this.#hasLoss = false;
    this.#hasStopped = false;
  }

  /** A line with an event, or with a body that could not be decoded. */
  record(count = 1): void {
    if (this.#records !== undefined) this.#records += count;
  }

  /** A `loss` line: it says better than the `stop` line where records are missing. */
  loss(): void {
    this.#hasLoss = true;
  }

  /**
   * A `stop` line. Returns what it says against the evidence, records its writer lost or another number of records than
   * those counted; undefined when it says nothing against it.
   */
  stop({ lost, records }: JsonObject): string | undefined {
    this.#hasStopped = true;
    if (this.#hasLoss) return undefined;
    if (lost !== undefined && lost !== 0) return `its writer lost ${amount(lost)}`;
    if (records === undefined || this.#records === undefined || records === this.#records) return undefined;
    return `its writer wrote ${amount(records)}, and ${this.#records} stand there`;
  }

  /** No `stop` line stands before what comes now. */
  get isOpen(): boolean {
    return !this.#hasStopped;
  }

  /** True when this record, the one that comes now, stands behind a `stop` line; only for the first such. */
  goesOnAfterStop(): boolean {
    const goesOn = this.#hasStopped;
    this.#hasStopped = false;
    return goesOn;
  }
}

function amount(value: JsonValue): string {
  return typeof value === "number" ? `${value} record${value === 1 ? "" : "s"}` : "an unreadable number of records";
}
