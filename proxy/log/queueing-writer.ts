import { performance } from "node:perf_hooks";
import { type Batch, makeBatch, recordsIn, wholeLines } from "./batch.ts";
import { CaptureFiles } from "./capture-files.ts";
import { controlLine, lossLine } from "./control.ts";
import { reasonOf } from "./failure.ts";
import type { SeriesLock } from "./lock.ts";
import { LossMark } from "./loss-mark.ts";
import { LineQueue, type UnnumberedLine } from "./queue.ts";
import { isRotationDue } from "./rotation.ts";
import { type Segment, writeLine } from "./segment.ts";
import type { SeriesOptions, SeriesWriter, WriterCounts } from "./writer.ts";

/** Characters of records that may wait unless the options say otherwise. */
export const QUEUE_CHARS = 64_000_000;
const BATCH_CHARS = 1_000_000;
/** Used for every batch, as large buffers that come and go make holes in the heap. Untouched pages of it cost nothing. */
const SCRATCH_BYTES = 4_194_304;
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
  readonly #files: CaptureFiles;
  readonly #mark = new LossMark();
  readonly #scratch = Buffer.allocUnsafeSlow(SCRATCH_BYTES);
  #nextSeq: number;
  #written = 0;
  #lost = 0;
  #work: Promise<void> | undefined;
  #workedAt = Number.NEGATIVE_INFINITY;
  #failure: string | undefined;
  #retry: NodeJS.Timeout | undefined;
  #closing: Promise<WriterCounts> | undefined;

  constructor(options: SeriesOptions & { readonly now: () => number }, { segment, lock, nextSeq }: Opened) {
    this.#options = options;
    this.#queue = new LineQueue(options.maxQueueChars ?? QUEUE_CHARS);
    this.#files = new CaptureFiles(options, segment, lock);
    this.#lock = lock;
    this.#nextSeq = nextSeq;
  }

  get file(): string {
    return this.#files.live.path;
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
    this.#queue.lose({ records: records === 0 ? null : records, why });
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
    const { count: files, bytes, foreign } = this.#files;
    return { written: this.#written, lost: this.#lost, files, bytes, ...(foreign === 0 ? {} : { foreign }) };
  }

  close(): Promise<WriterCounts> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  /**
   * Starts writing, so that what arrives together is written together: in the next turn of the event loop, or `PACE_MS`
   * after the last start. A thread of its own gets its records in batches and writes each before it turns to the next:
   * lines that wait longer become old objects to V8, which then takes three times their memory.
   */
  #wake(): void {
    if (this.#work !== undefined || this.#failure !== undefined || this.#closing !== undefined) return;
    const begun = this.#options.mayBlock === true ? Promise.resolve() : this.#pause();
    this.#work = begun.then(() => this.#drain());
  }

  #pause(): Promise<void> {
    const waitMs = this.#workedAt + PACE_MS - performance.now();
    return new Promise<void>((resolve) => {
      if (waitMs > 0) setTimeout(resolve, waitMs);
      else setImmediate(resolve);
    });
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

  /** What waits may be lost from here on, so the capture says it is incomplete until all of it is written, and then we do. */
  async #fail(cause: unknown): Promise<void> {
    const why = reasonOf(cause);
    const isFirst = this.#failure === undefined;
    this.#failure = why;
    this.#retry = setTimeout(() => void this.#start(), RETRY_MS);
    this.#retry.unref();
    await this.#setMark(why);
    if (isFirst)
      this.#options.onProblem?.(`${this.#files.live.path}: ${why}; records wait in memory, then they are lost`);
  }

  async #setMark(why: string): Promise<void> {
    // Where even that fails (the folder is gone, a disk error), the next attempt to write comes here again.
    await this.#mark.set(this.#files.newest, why, this.#options.now()).catch(() => undefined);
  }

  /** True when nothing is left of what waited as it began to write. */
  async #writeBatch(): Promise<boolean> {
    await this.#lookForTampering();
    const { now } = this.#options;
    if (isRotationDue(this.#files.live, 0, now(), this.#options)) await this.#files.rotate();
    const waiting = this.#queue.length;
    const parts = { firstSeq: this.#nextSeq, at: now(), scratch: this.#scratch };
    const batch = makeBatch(this.#queue.peek(BATCH_CHARS), parts);
    const fitting = wholeLines(batch, this.#options.maxFileBytes - this.#files.live.bytes);
    if (fitting.lines > 0) await this.#write(batch, fitting.bytes);
    else if (this.#files.live.bytes > 0) await this.#files.rotate();
    // a single line over the cap has a file to itself
    else await this.#write(batch, batch.buffer.indexOf(0x0a) + 1);
    return fitting.lines === waiting;
  }

  async #write(batch: Batch, bytes: number): Promise<void> {
    const { written, error } = await this.#files.live.write(batch.buffer.subarray(0, bytes));
    const whole = wholeLines(batch, written);
    this.#files.live.commit(whole.bytes);
    const records = recordsIn(this.#queue.drop(whole.lines));
    this.#files.live.records += records;
    this.#written += records;
    this.#nextSeq += records;
    if (error === undefined) return;
    await this.#files.live.cutBack();
    throw error;
  }

  async #lookForTampering(): Promise<void> {
    const loss = await this.#files.lookForTampering();
    if (loss !== undefined) this.#queue.loseFirst(loss);
  }

  async #close(): Promise<WriterCounts> {
    await this.#work;
    clearTimeout(this.#retry);
    try {
      await this.#lookForTampering();
      while (this.#queue.length > 0) await this.#writeBatch();
      this.#failure = undefined;
      await writeLine(this.#files.live, this.#stopLine());
      await this.#mark.lift();
    } catch (cause) {
      await this.#closeFailing(cause);
    }
    clearTimeout(this.#retry);
    await this.#files.close();
    await this.#lock.release().catch((cause: unknown) => this.#files.problem(cause));
    return this.counts();
  }

  /** What still waits is lost; the capture must say so, even on a full disk. */
  async #closeFailing(cause: unknown): Promise<void> {
    const why = reasonOf(cause);
    if (this.#failure === undefined) this.#files.problem(cause);
    const { records, lost } = this.#queue.remains();
    this.#lost += records;
    try {
      await this.#files.live.cutBack();
      if (records + lost === 0) return await this.#mark.lift();
      await this.#setMark(why);
      await this.#writeLastLoss(records + lost, why);
      await writeLine(this.#files.live, this.#stopLine());
    } catch (second) {
      await this.#files.live.cutBack().catch(() => this.#files.problem(second));
    }
  }

  /** On a full disk the last lines make room: a capture that says what it is short of is worth more than a few records. */
  async #writeLastLoss(records: number, why: string): Promise<void> {
    const at = this.#options.now();
    const settled = await this.#mark.settle(records, why, at);
    if (settled === undefined) return writeLine(this.#files.live, lossLine(at, { records, why }));
    if (settled.path === this.#files.live.path) await this.#files.live.cutBack(settled.bytes);
    this.#lost += settled.records;
    this.#written -= settled.records;
  }

  #stopLine(): string {
    const { foreign } = this.#files;
    const counted = { records: this.#written, lost: this.#lost, ...(foreign === 0 ? {} : { foreign }) };
    return controlLine("stop", this.#options.now(), counted);
  }
}
