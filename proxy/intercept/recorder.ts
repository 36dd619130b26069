import { randomBytes } from "node:crypto";
import type { Exchange, RawHeaders } from "../record/exchange.ts";
import type { InterceptorCounts, InterceptorOptions } from "./interceptor.ts";

type RecorderOptions = Pick<InterceptorOptions, "maxBodyBytes" | "onExchange" | "onAnswer">;

/** Where a request goes, as its exchange names it. */
export interface Origin {
  readonly scheme: "http" | "https";
  readonly host: string;
  readonly port: number;
}

export interface RequestFacts {
  readonly method: string;
  readonly target: string;
  readonly headers: RawHeaders;
}

/** Hands exchanges to the hooks of the options, whose throws it counts and swallows. */
export class Recorder {
  readonly counts: InterceptorCounts;
  readonly #options: RecorderOptions;
  readonly #prefix = randomBytes(4).toString("hex");
  #next = 0;

  constructor(options: RecorderOptions, counts: InterceptorCounts) {
    this.#options = options;
    this.counts = counts;
  }

  /** A request's head has arrived. */
  begin(origin: Origin, { method, target, headers }: RequestFacts): OpenExchange {
    this.counts.requests += 1;
    this.#next += 1;
    const { scheme, host, port } = origin;
    const id = `${this.#prefix}-${this.#next}`;
    const known = { id, arrivedAt: Date.now(), scheme, method, host, port, target, headers };
    return new OpenExchange(this, known, this.#options.maxBodyBytes);
  }

  emit(exchange: Exchange): void {
    this.guard(() => this.#options.onExchange(exchange));
  }

  answer(id: string, status: number | undefined): void {
    const { onAnswer } = this.#options;
    if (onAnswer !== undefined) this.guard(() => onAnswer(id, status));
  }

  /** Runs code that must not harm the traffic. */
  guard<T>(act: () => T): T | undefined {
    try {
      return act();
    } catch {
      this.counts.hookErrors += 1;
      return undefined;
    }
  }
}

/** A request under way: its body is collected up to the cap, then it is handed on once, and its answer once after that. */
export class OpenExchange {
  readonly method: string;
  readonly #recorder: Recorder;
  readonly #known: Omit<Exchange, "body" | "truncated">;
  readonly #maxBytes: number;
  #chunks: Uint8Array[] = [];
  #kept = 0;
  #isCut = false;
  #isHandedOn = false;
  #isAnswered = false;
  #status: number | undefined;

  constructor(recorder: Recorder, known: Omit<Exchange, "body" | "truncated">, maxBytes: number) {
    this.#recorder = recorder;
    this.#known = known;
    this.#maxBytes = maxBytes;
    this.method = known.method;
  }

  addBody(bytes: Uint8Array): void {
    const room = this.#maxBytes - this.#kept;
    if (bytes.length > room) this.#isCut = true;
    if (room <= 0) return;
    const kept = bytes.length > room ? bytes.subarray(0, room) : bytes;
    this.#chunks.push(kept);
    this.#kept += kept.length;
  }

  /** The request is over: whole, or cut because its sender went away. Only the first call counts. */
  finish(isWhole: boolean): void {
    if (this.#isHandedOn) return;
    this.#isHandedOn = true;
    this.#recorder.emit(this.exchange(isWhole));
    this.#chunks = [];
    if (this.#status !== undefined) this.answer(this.#status);
  }

  /** The answer's status, or undefined when none will come. Kept back until the request itself is handed on. */
  answer(status: number | undefined): void {
    this.#status ??= status;
    if (!this.#isHandedOn || this.#isAnswered) return;
    this.#isAnswered = true;
    this.#recorder.answer(this.#known.id, this.#status);
  }

  /** The connection is gone: whatever has not happened yet will not. */
  abandon(): void {
    this.finish(false);
    this.answer(this.#status);
  }

  /** The exchange as it stands. */
  exchange(isWhole: boolean): Exchange {
    const [only] = this.#chunks;
    const body = this.#chunks.length === 1 && only !== undefined ? only : Buffer.concat(this.#chunks, this.#kept);
    const { id, arrivedAt, scheme, method, host, port, target, headers } = this.#known;
    const truncated = this.#isCut || !isWhole;
    const exchange = { id, arrivedAt, scheme, method, host, port, target, headers, body, truncated };
    return this.#status === undefined ? exchange : { ...exchange, status: this.#status };
  }
}
