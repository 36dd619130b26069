import { finished, type Readable } from "node:stream";
import { type WaymarkError, waymarkError } from "../../proxy/record/fault.ts";
import type { FileFacts, OpenFile } from "./open-file.ts";

const NOTHING = Buffer.alloc(0);
/** A stream has no size, and none that it could be mistaken for. */
const FACTS: FileFacts = { size: 0, dev: 0, ino: 0, birthtimeMs: 0 };

/**
 * A stream (stdin, a pipe) as an open file. Each reading brings what comes next, as soon as there is any; positions are
 * passed over, since nothing of a stream can be read again. Rejects with `WM_LOG_UNREADABLE` when the stream fails.
 */
export class StreamFile implements OpenFile {
  readonly #stream: Readable;
  readonly #label: string;
  readonly #stop: AbortSignal | undefined;
  #rest: Buffer = NOTHING;
  #isOver = false;
  #error: Error | null | undefined;
  #isStopped = false;
  #wake: () => void = () => {};
  readonly #unwatch: () => void;

  /** `label` is its name in errors. After `stop` it ends with what has come by then. */
  constructor(stream: Readable, label: string, stop?: AbortSignal) {
    this.#stream = stream;
    this.#label = label;
    this.#stop = stop;
    const wake = (): void => this.#wake();
    stream.on("readable", wake);
    finished(stream, { writable: false }, (error) => {
      this.#isOver = true;
      this.#error = error;
      wake();
    });
    stop?.addEventListener("abort", wake);
    this.#unwatch = () => stop?.removeEventListener("abort", wake);
  }

  async read(into: Buffer): Promise<number> {
    while (this.#rest.length === 0) {
      const next = this.#take() ?? (await this.#await());
      if (next === undefined) return 0;
      this.#rest = next;
    }
    const taken = this.#rest.copy(into);
    this.#rest = this.#rest.subarray(taken);
    return taken;
  }

  readNow(): never {
    throw new Error("a stream cannot be read without waiting for it");
  }

  async stat(): Promise<FileFacts> {
    return FACTS;
  }

  get isLeft(): boolean {
    return this.#isStopped && !this.#isOver;
  }

  async close(): Promise<void> {
    this.#unwatch();
    this.#stream.destroy();
  }

  /** What has come; undefined when nothing has. */
  #take(): Buffer | undefined {
    if (this.#isStopped) return undefined;
    this.#isStopped = this.#stop?.aborted === true;
    const chunk = this.#stream.read() as Buffer | string | null;
    return typeof chunk === "string" ? Buffer.from(chunk) : (chunk ?? undefined);
  }

  /** What comes next; undefined at the end. */
  async #await(): Promise<Buffer | undefined> {
    while (!this.#isStopped) {
      if (this.#error) throw streamUnreadable(this.#label, this.#error);
      if (this.#isOver) return undefined;
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
      const next = this.#take();
      if (next !== undefined) return next;
    }
    return undefined;
  }
}

function streamUnreadable(label: string, cause: Error): WaymarkError {
  const why = "code" in cause ? String(cause.code) : cause.message;
  const fix = "Look at what the program said that writes it, or write the log to a file and name that.";
  return waymarkError("WM_LOG_UNREADABLE", `${label} cannot be read (${why})`, { cause, fix });
}
