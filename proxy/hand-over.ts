import { Worker } from "node:worker_threads";
import { type Captured, exchangesIn } from "./backlog.ts";
import { BlockPool } from "./block-pool.ts";
import type { SeriesLock } from "./log/lock.ts";
import { pack } from "./parcel.ts";
import { WaymarkError } from "./record/fault.ts";
import type { Recording, RecordingOptions } from "./recording.ts";
import { NO_COUNTS, type RecordingCounts, unwrittenIn } from "./recording-counts.ts";
import type { Answer, Order, State } from "./recording-thread.ts";

/**
 * Bytes that may be on their way to the thread; while there are more, it is given no more. What has arrived there is worked
 * off in one turn of its event loop, and held until that is over.
 */
const WINDOW_BYTES = 600_000;

/** Three times V8's space for new objects in the thread (it copies between two halves of it); a parcel makes some 2 MB of them. */
const YOUNG_MB = 12;

/** A recording in another thread, which can die. */
export interface ThreadRecording extends Recording {
  /** Resolves with what is known of its end, if the thread ends before it is told to. */
  readonly died: Promise<Death>;
}

/** The end of a thread. */
export interface Death {
  readonly why: string;
  /** Records that it had not written when it was last heard of, an exchange it had not read counted as one. */
  readonly lost: number;
}

/** The thread ended before it had a log. */
export class ThreadDied extends Error {
  override readonly name = "ThreadDied";
}

export interface OpenInThread {
  readonly options: RecordingOptions;
  /** Taken in this thread, which keeps and releases it. */
  readonly lock: SeriesLock;
  readonly onProblem: (message: string) => void;
  /** Called when there is room again after `isReady` was false. */
  readonly onReady: () => void;
}

/** A thread that is started, but has no log yet. */
export interface RecordingThread {
  /** Opens the log there. Throws what `openRecording` throws, or `ThreadDied`; the thread is then gone. */
  open(order: OpenInThread): Promise<ThreadRecording>;
  /** Ends a thread that is not needed after all. */
  dismiss(): Promise<void>;
}

/** Starts a thread for decoding and writing; that takes some 50 ms, in which other things can be done. Never throws. */
export function startRecordingThread(script: URL = new URL("./recording-thread.js", import.meta.url)): RecordingThread {
  const worker = new Worker(script, { resourceLimits: { maxYoungGenerationSizeMb: YOUNG_MB } });
  const ended = new Promise<string>((resolve) => {
    let why: string | undefined;
    worker.once("error", (cause: unknown) => {
      why = cause instanceof Error ? cause.message : String(cause);
    });
    worker.once("exit", (code) => resolve(why ?? `it ended with code ${code}`));
  });
  const dismiss = async (): Promise<void> => void (await worker.terminate());
  return {
    dismiss,
    async open(order) {
      const recording = new HandOver(worker, ended, order);
      try {
        await recording.open(order);
        return recording;
      } catch (cause) {
        await dismiss();
        throw cause;
      }
    },
  };
}

/** What has to be known of a parcel until it is worked off; its bodies are not held any longer. */
interface Sent {
  readonly bytes: number;
  readonly exchanges: number;
  /** By its place in the parcel: whom to tell of an exchange that is no telemetry. */
  readonly notRecorded: ReadonlyMap<number, () => void>;
}

type Said = "opened" | "flushed" | "closed";

/** The near end of a recording in another thread. */
class HandOver implements ThreadRecording {
  readonly died: Promise<Death>;
  readonly #worker: Worker;
  readonly #ended: Promise<string>;
  readonly #onProblem: (message: string) => void;
  readonly #onReady: () => void;
  /** Parcels that are not worked off, eldest first, and the bytes of all of them. */
  readonly #sent: Sent[] = [];
  readonly #blocks = new BlockPool();
  #bytes = 0;
  #state: State = { file: "", counts: NO_COUNTS };
  /** Who waits for the thread to say so, eldest first. */
  readonly #waiting: Record<Said, (() => void)[]> = { opened: [], flushed: [], closed: [] };
  #refuse: (cause: unknown) => void = () => undefined;
  #isClosed = false;

  constructor(worker: Worker, ended: Promise<string>, { onProblem, onReady }: OpenInThread) {
    this.#worker = worker;
    this.#ended = ended;
    this.#onProblem = onProblem;
    this.#onReady = onReady;
    worker.on("message", (answer: Answer) => this.#hear(answer));
    this.died = new Promise((resolve) => {
      void ended.then((why) => {
        if (!this.#isClosed) resolve({ why, lost: this.#unwritten() });
      });
    });
  }

  get file(): string {
    return this.#state.file;
  }

  open({ options, lock: { path, content } }: OpenInThread): Promise<void> {
    return new Promise<void>((resolve, reject) => {
      this.#refuse = reject;
      this.#waiting.opened.push(resolve);
      void this.#ended.then((why) => reject(new ThreadDied(why)));
      this.#order({ kind: "open", options, lock: { path, content } });
    });
  }

  isReady(): boolean {
    return this.#bytes < WINDOW_BYTES;
  }

  work(captured: readonly Captured[]): void {
    const parcel = pack(captured, (size) => this.#blocks.take(size));
    const bytes = parcel.bodies.byteLength + parcel.heads.length;
    this.#sent.push({ bytes, exchanges: exchangesIn(captured), notRecorded: listenersIn(captured) });
    this.#bytes += bytes;
    this.#worker.postMessage({ kind: "work", parcel } satisfies Order, [parcel.bodies]);
  }

  /** As the thread last said, which is no more than a parcel and a tenth of a second ago. */
  counts(): RecordingCounts {
    return this.#state.counts;
  }

  flush(): Promise<void> {
    this.#order({ kind: "flush" });
    return this.#hears("flushed");
  }

  async close(): Promise<void> {
    this.#order({ kind: "close" });
    await this.#hears("closed");
    await this.#ended;
  }

  #order(order: Order): void {
    this.#worker.postMessage(order);
  }

  /** Resolves when the thread has said so, or has died; those told of its death before then know by then. */
  async #hears(said: Said): Promise<void> {
    const heard = new Promise<void>((resolve) => this.#waiting[said].push(resolve));
    await Promise.race([heard, this.died]);
  }

  #hear(answer: Answer): void {
    switch (answer.kind) {
      case "problem":
        this.#onProblem(answer.message);
        return;
      case "refused":
        this.#refuse(answer.faults.length === 0 ? new Error(answer.message) : new WaymarkError(answer.faults));
        return;
      case "worked":
        this.#state = answer.state;
        this.#blocks.giveBack(answer.block);
        this.#settle(answer.passedOver);
        return;
      case "progress":
        this.#state = answer.state;
        return;
      default:
        this.#state = answer.state;
        this.#isClosed ||= answer.kind === "closed";
        this.#waiting[answer.kind].shift()?.();
    }
  }

  #settle(passedOver: readonly number[]): void {
    const wasReady = this.isReady();
    const done = this.#sent.shift();
    this.#bytes -= done?.bytes ?? 0;
    for (const index of passedOver) done?.notRecorded.get(index)?.();
    if (!wasReady && this.isReady()) this.#onReady();
  }

  #unwritten(): number {
    return this.#sent.reduce((sum, { exchanges }) => sum + exchanges, unwrittenIn(this.#state.counts));
  }
}

function listenersIn(all: readonly Captured[]): ReadonlyMap<number, () => void> {
  const listeners = new Map<number, () => void>();
  for (const [index, captured] of all.entries()) {
    if (captured.kind === "exchange" && captured.notRecorded !== undefined) listeners.set(index, captured.notRecorded);
  }
  return listeners;
}
