import { performance } from "node:perf_hooks";
import { type Batch, makeBatch, recordsIn, wholeLines } from "./batch.ts";
import { controlLine, type Loss, lossLine } from "./control.ts";
import { reasonOf } from "./failure.ts";
import type { SeriesLock } from "./lock.ts";
import { LossMark } from "./loss-mark.ts";
import { applyRetention, openNext } from "./open-series.ts";
import { LineQueue, type UnnumberedLine } from "./queue.ts";
import { isRotationDue } from "./rotation.ts";
import { type Segment, writeLine } from "./segment.ts";
import type { SeriesOptions, SeriesWriter, WriterCounts } from "./writer.ts";

const QUEUE_CHARS = 64_000_000;
const BATCH_CHARS = 1_000_000;
const RETRY_MS = 500;
/** Batches begin at least so far apart: looking at the file and writing cost as much as some fifty records. */
const PACE_MS = 5;

/** A series that has been opened, its `start` line written. */
export interface Opened {
  readonly segment: Segment;
  readonly lock: SeriesLock;
  readonly nextSeq: number;
}

/** What `openSeries` hands out: one loop that writes what waits. */
export class QueueingWriter implements SeriesWriter {
  readonly #options: SeriesOptions & { readonly now: () => number };
  readonly #queue: LineQueue;
  readonly #lock: SeriesLock;
  readonly #mark = new LossMark();
  #segment: Segment;
  #previous: Segment | undefined;
  #nextSeq: number;
  #written = 0;
  #lost = 0;
  #files = 1;
  #finishedBytes = 0;
  #work: Promise<void> | undefined;
  #workedAt = Number.NEGATIVE_INFINITY;
  #failure: string | undefined;
  #retry: NodeJS.Timeout | undefined;
  #closing: Promise<WriterCounts> | undefined;
  readonly #finishing = new Set<Promise<void>>();

  constructor(options: SeriesOptions & { readonly now: () => number }, { segment, lock, nextSeq }: Opened) {
    this.#options = options;
    this.#queue = new LineQueue(options.maxQueueChars ?? QUEUE_CHARS);
    this.#segment = segment;
    this.#lock = lock;
    this.#nextSeq = nextSeq;
  }

  get file(): string {
    return this.#segment.path;
  }

  get nextSeq(): number {
    return this.#nextSeq;
  }

  append(record: UnnumberedLine): boolean {
    const isTaken =
      this.#closing === undefined && this.#queue.push(record, this.#failure ?? "the disk is slower than the telemetry");
    if (!isTaken) this.#lost++;
    this.#wake();
    return isTaken;
  }

  lose(records: number, why: string): void {
    this.#lost += records;
    if (this.#closing !== undefined) return;
    this.#queue.lose({ records, why });
    this.#wake();
  }

  tick(): void {
    if (this.#queue.length > 0 || this.#closing !== undefined) return;
    this.#queue.tick();
    this.#wake();
  }

  async flush(): Promise<void> {
    await this.#work;
    if (this.#queue.length > 0) await this.#start();
  }

  counts(): WriterCounts {
    const bytes = this.#finishedBytes + this.#segment.bytes;
    return { written: this.#written, lost: this.#lost, files: this.#files, bytes };
  }

  close(): Promise<WriterCounts> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  /**
   * Starts writing, so that what arrives together is written together: in the next turn of the event loop, or `PACE_MS`
   * after the last start.
   */
  #wake(): void {
    if (this.#work !== undefined || this.#failure !== undefined || this.#closing !== undefined) return;
    const waitMs = this.#workedAt + PACE_MS - performance.now();
    this.#work = new Promise<void>((resolve) => {
      if (waitMs > 0) setTimeout(resolve, waitMs);
      else setImmediate(resolve);
    }).then(() => this.#drain());
  }

  #start(): Promise<void> {
    this.#work ??= this.#drain();
    return this.#work;
  }

  /** Writes all that waits; what comes meanwhile is for the next time. */
  async #drain(): Promise<void> {
    clearTimeout(this.#retry);
    this.#workedAt = performance.now();
    try {
      for (let isAll = this.#queue.length === 0; !isAll; ) isAll = await this.#writeBatch();
      if (this.#queue.remains().lost === 0) await this.#mark.lift();
      this.#failure = undefined;
    } catch (cause) {
      await this.#fail(cause);
    } finally {
      this.#work = undefined;
    }
    if (this.#queue.length > 0) this.#wake();
  }

  /** What waits may be lost from here on, so the capture says it is incomplete until all of it is written. */
  async #fail(cause: unknown): Promise<void> {
    const why = reasonOf(cause);
    if (this.#failure === undefined) {
      this.#options.onProblem?.(`${this.#segment.path}: ${why}; records wait in memory, then they are lost`);
    }
    this.#failure = why;
    this.#retry = setTimeout(() => void this.#start(), RETRY_MS);
    this.#retry.unref();
    await this.#setMark(why);
  }

  async #setMark(why: string): Promise<void> {
    const files = [this.#segment, ...(this.#previous === undefined ? [] : [this.#previous])];
    // Where even that fails (the folder is gone, a disk error), the next attempt to write comes here again.
    await this.#mark.set(files, why, this.#options.now()).catch(() => undefined);
  }

  /** True when nothing is left of what waited as it began to write. */
  async #writeBatch(): Promise<boolean> {
    await this.#lookForTampering();
    const { now } = this.#options;
    if (isRotationDue(this.#segment, 0, now(), this.#options)) await this.#rotate();
    const waiting = this.#queue.length;
    const batch = makeBatch(this.#queue.peek(BATCH_CHARS), this.#nextSeq, now());
    const fitting = wholeLines(batch, this.#options.maxFileBytes - this.#segment.bytes);
    if (fitting.lines > 0) await this.#write(batch, fitting.bytes);
    else if (this.#segment.bytes > 0) await this.#rotate();
    // a single line over the cap has a file to itself
    else await this.#write(batch, batch.buffer.indexOf(0x0a) + 1);
    return fitting.lines === waiting;
  }

  async #write(batch: Batch, bytes: number): Promise<void> {
    const { written, error } = await this.#segment.write(batch.buffer.subarray(0, bytes));
    const whole = wholeLines(batch, written);
    this.#segment.commit(whole.bytes);
    const records = recordsIn(this.#queue.drop(whole.lines));
    this.#segment.records += records;
    this.#written += records;
    this.#nextSeq += records;
    if (error === undefined) return;
    await this.#segment.cutBack();
    throw error;
  }

  async #rotate(): Promise<void> {
    const { dir, name, now } = this.#options;
    const next = await openNext(dir, name, this.#segment.index + 1, now());
    const old = this.#segment;
    this.#previous = old;
    this.#segment = next;
    this.#files++;
    this.#finishedBytes += old.bytes;
    this.#finishLater(old);
    await applyRetention(dir, name, this.#options);
  }

  /** Finishing a file may take long; it goes on beside the writing of the next. */
  #finishLater(old: Segment): void {
    const done = old
      .finish()
      .catch((cause: unknown) => this.#problem(cause))
      .then(() => void this.#finishing.delete(done));
    this.#finishing.add(done);
  }

  async #lookForTampering(): Promise<void> {
    const tampering = await this.#segment.check();
    if (tampering === undefined) return;
    const isGone = tampering.kind === "gone";
    const why = isGone ? "the file was moved or deleted" : "the file was truncated";
    const loss: Loss = {
      records: isGone || this.#segment.bytes === 0 ? this.#segment.records : null,
      why: `${why} by another program`,
      ...(isGone ? {} : { bytes: tampering.bytes }),
    };
    this.#options.onProblem?.(`${this.#segment.path}: ${loss.why}`);
    if (isGone) await this.#rotate();
    else this.#segment.records = 0;
    this.#queue.loseFirst(loss);
  }

  async #close(): Promise<WriterCounts> {
    await this.#work;
    clearTimeout(this.#retry);
    try {
      await this.#lookForTampering();
      while (this.#queue.length > 0) await this.#writeBatch();
      this.#failure = undefined;
      await writeLine(this.#segment, this.#stopLine());
      await this.#mark.lift();
    } catch (cause) {
      await this.#closeFailing(cause);
    }
    clearTimeout(this.#retry);
    this.#finishLater(this.#segment);
    await Promise.all(this.#finishing);
    await this.#lock.release().catch((cause: unknown) => this.#problem(cause));
    return this.counts();
  }

  /** What still waits is lost; the capture must say so, even on a full disk. */
  async #closeFailing(cause: unknown): Promise<void> {
    const why = reasonOf(cause);
    if (this.#failure === undefined) this.#problem(cause);
    const { records, lost } = this.#queue.remains();
    this.#lost += records;
    try {
      await this.#segment.cutBack();
      if (records + lost === 0) return await this.#mark.lift();
      await this.#setMark(why);
      await this.#writeLastLoss(records + lost, why);
      await writeLine(this.#segment, this.#stopLine());
    } catch (second) {
      await this.#segment.cutBack().catch(() => this.#problem(second));
    }
  }

  /** On a full disk the last lines make room: a capture that says what it is short of is worth more than a few records. */
  async #writeLastLoss(records: number, why: string): Promise<void> {
    const at = this.#options.now();
    const settled = await this.#mark.settle(records, why, at);
    if (settled === undefined) return writeLine(this.#segment, lossLine(at, { records, why }));
    if (settled.path === this.#segment.path) await this.#segment.cutBack(settled.bytes);
    this.#lost += settled.records;
    this.#written -= settled.records;
  }

  #stopLine(): string {
    return controlLine("stop", this.#options.now(), { records: this.#written, lost: this.#lost });
  }

  #problem(cause: unknown): void {
    this.#options.onProblem?.(`${this.#segment.path}: ${reasonOf(cause)}`);
  }
}
