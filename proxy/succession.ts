import { type Captured, exchangesIn } from "./backlog.ts";
import { type Death, type OpenInThread, type RecordingThread, ThreadDied, type ThreadRecording } from "./hand-over.ts";
import { lockOfAnotherThread } from "./log/lock.ts";
import { openRecording, type Recording } from "./recording.ts";
import { addCounts, NO_COUNTS, type RecordingCounts } from "./recording-counts.ts";

/** Until a successor that cannot open the log tries again. */
const RETRY_MS = 1_000;

/**
 * Opens a recording in a thread of its own that outlives that thread's death: what was lost with it is said, counted, and
 * a `loss` line at the head of a new capture, which is recorded here, in the thread of the traffic. Throws what
 * `openRecording` throws; the lock is then released, as it is when the recording is closed.
 */
export async function openLastingRecording(thread: RecordingThread, order: OpenInThread): Promise<Recording> {
  const { options, lock, onProblem } = order;
  // the lock stays with this process until the very end
  const openHere = (): Promise<Recording> => openRecording(options, { lock: lockOfAnotherThread(lock), onProblem });
  try {
    return new Succession(await thread.open(order), order, openHere);
  } catch (cause) {
    if (!(cause instanceof ThreadDied)) {
      await lock.release();
      throw cause;
    }
    onProblem(`the log is written without a thread of its own, as none can be started: ${cause.message}`);
    return openRecording(options, { lock, onProblem });
  }
}

class Succession implements Recording {
  readonly #order: OpenInThread;
  readonly #openHere: () => Promise<Recording>;
  /** Undefined between a thread's death and its successor. */
  #current: Recording | undefined;
  #file: string;
  /** Of the dead. */
  #before = NO_COUNTS;
  /** What waits for the successor. */
  #kept: Captured[] = [];
  #succession: Promise<void> | undefined;
  #retry: NodeJS.Timeout | undefined;

  constructor(first: ThreadRecording, order: OpenInThread, openHere: () => Promise<Recording>) {
    this.#order = order;
    this.#openHere = openHere;
    this.#current = first;
    this.#file = first.file;
    void first.died.then((death) => {
      this.#bury(first, death);
      this.#succession = this.#succeed();
    });
  }

  get file(): string {
    return this.#current?.file ?? this.#file;
  }

  isReady(): boolean {
    return this.#current?.isReady() ?? false;
  }

  work(captured: readonly Captured[]): void {
    if (this.#current === undefined) this.#kept = this.#kept.concat(captured);
    else this.#current.work(captured);
  }

  counts(): RecordingCounts {
    return addCounts(this.#before, this.#current?.counts() ?? NO_COUNTS);
  }

  async flush(): Promise<void> {
    const asked = this.#current;
    await asked?.flush();
    await this.#succession;
    if (this.#current !== asked) await this.#current?.flush();
  }

  async close(): Promise<void> {
    const asked = this.#current;
    await asked?.close();
    await this.#succession;
    clearTimeout(this.#retry);
    if (this.#current === undefined) await this.#succeed();
    clearTimeout(this.#retry);
    if (this.#current !== asked) await this.#current?.close();
    if (this.#current === undefined) this.#loseAll();
    await this.#order.lock.release();
  }

  #bury(dead: ThreadRecording, { why, lost }: Death): void {
    this.#before = dead.counts();
    this.#file = dead.file;
    this.#current = undefined;
    if (lost > 0) this.#kept.push({ kind: "loss", exchanges: lost, why: "the thread that wrote the log died" });
    this.#order.onProblem(
      `the thread that wrote the log died: ${why}; up to ${lost} records are lost, a new capture begins`,
    );
  }

  async #succeed(): Promise<void> {
    try {
      const next = await this.#openHere();
      next.work(this.#kept);
      this.#kept = [];
      this.#current = next;
      this.#order.onReady();
    } catch (cause) {
      this.#order.onProblem(
        `the log cannot be gone on with: ${cause instanceof Error ? cause.message : String(cause)}`,
      );
      this.#retry = setTimeout(() => {
        this.#succession = this.#succeed();
      }, RETRY_MS).unref();
    }
  }

  #loseAll(): void {
    const { log } = this.#before;
    this.#before = { ...this.#before, log: { ...log, lost: log.lost + exchangesIn(this.#kept) } };
    this.#kept = [];
  }
}
