import { mkdir } from "node:fs/promises";
import type { Loss } from "./control.ts";
import { reasonOf } from "./failure.ts";
import type { SeriesLock } from "./lock.ts";
import { applyRetention, openNext } from "./open-series.ts";
import type { Segment, Tampering } from "./segment.ts";
import type { SeriesOptions } from "./writer.ts";

/** The files of one capture: the one being written, and those that were finished before it. */
export class CaptureFiles {
  readonly #options: SeriesOptions & { readonly now: () => number };
  readonly #lock: SeriesLock;
  readonly #finishing = new Set<Promise<void>>();
  #live: Segment;
  #previous: Segment | undefined;
  #count = 1;
  #finishedBytes = 0;
  #foreign = 0;
  #isForeignTold = false;
  #toldGone: Segment | undefined;
  #isFolderGone = false;

  constructor(options: SeriesOptions & { readonly now: () => number }, live: Segment, lock: SeriesLock) {
    this.#options = options;
    this.#lock = lock;
    this.#live = live;
  }

  get live(): Segment {
    return this.#live;
  }

  /** The live file and the one before it, which is the last with lines while the live one is empty. */
  get newest(): readonly Segment[] {
    return this.#previous === undefined ? [this.#live] : [this.#live, this.#previous];
  }

  get count(): number {
    return this.#count;
  }

  get bytes(): number {
    return this.#finishedBytes + this.#live.bytes;
  }

  /** Bytes in the capture's files that are none of ours. */
  get foreign(): number {
    return this.#foreign + this.#live.foreign;
  }

  async rotate(): Promise<void> {
    const { dir, name, now } = this.#options;
    const next = await openNext(this.#options, this.#live.index + 1, now());
    this.#previous = this.#live;
    this.#live = next;
    this.#count++;
    this.#finishedBytes += this.#previous.bytes;
    this.#foreign += this.#previous.foreign;
    this.#finishLater(this.#previous);
    await applyRetention(dir, name, this.#options);
  }

  /** Looks what another program did to the live file, makes good what can be, and returns what is missing. */
  async lookForTampering(): Promise<Loss | undefined> {
    const tampering = await this.#live.check();
    if (this.#live.foreign > 0 && !this.#isForeignTold) {
      this.#isForeignTold = true;
      this.problem("another program wrote into this file; what it wrote is no evidence");
    }
    if (tampering === undefined) return undefined;
    if (tampering.kind === "gone") return this.#replace();
    const loss = truncationLoss(this.#live, tampering);
    this.problem(loss.why);
    this.#live.records = 0;
    return loss;
  }

  /** A folder that was deleted is made again. The lock went with it, and the capture's earlier files. */
  async #replace(): Promise<Loss> {
    const gone = this.#live;
    const why = "the file was moved or deleted by another program";
    if (this.#toldGone !== gone) this.problem(why);
    this.#toldGone = gone;
    await mkdir(this.#options.dir, { recursive: true });
    this.#isFolderGone ||= await this.#lock.renew();
    const isMoreGone = this.#isFolderGone && this.#count > 1;
    await this.rotate();
    this.#isFolderGone = false;
    return { records: isMoreGone ? null : gone.records, why };
  }

  problem(cause: unknown): void {
    this.#options.onProblem?.(`${this.#live.path}: ${reasonOf(cause)}`);
  }

  /** Hands everything to the disk. Never throws. */
  async close(): Promise<void> {
    this.#finishLater(this.#live);
    await Promise.all(this.#finishing);
  }

  /** Finishing a file may take long; it goes on beside the writing of the next. */
  #finishLater(old: Segment): void {
    const done = old
      .finish()
      .catch((cause: unknown) => this.problem(cause))
      .then(() => void this.#finishing.delete(done));
    this.#finishing.add(done);
  }
}

function truncationLoss({ bytes, records }: Segment, tampering: Tampering & { readonly kind: "truncated" }): Loss {
  const why = "the file was truncated by another program";
  return { records: bytes === 0 ? records : null, why, bytes: tampering.bytes };
}
