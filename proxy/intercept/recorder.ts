import { randomBytes } from "node:crypto";
import type { Exchange, RawHeaders } from "../record/exchange.ts";
import { AnswerBudget, AnswerCopy } from "./answer-copy.ts";
import { BodyCopy } from "./body-copy.ts";
import type { Endpoint, InterceptorCounts, InterceptorOptions } from "./interceptor.ts";

type RecorderOptions = Pick<
  InterceptorOptions,
  "maxBodyBytes" | "onExchange" | "onAnswer" | "onUnread" | "wantsAnswer"
> & {
  readonly onMessage?: (exchange: Exchange) => void;
};

/** Bytes that the kept answers of one recorder may take together, and its large bodies. */
const MAX_ANSWERS_BYTES = 67_108_864;
const MAX_LARGE_BYTES = 67_108_864;

/** What a client asked for, and the run it is of when it named one. */
export type Asked = Endpoint & Pick<Exchange, "run">;

/** Where a request goes, as its exchange names it. */
export interface Origin extends Asked {
  readonly scheme: "http" | "https";
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
  readonly #answers = new AnswerBudget(MAX_ANSWERS_BYTES);
  /** Shared by the bodies of open requests that are longer than a prefix. */
  readonly largeBodies = new AnswerBudget(MAX_LARGE_BYTES);
  #next = 0;
  #lastAsked: Endpoint & { readonly facts?: RequestFacts } = { host: "", port: 0 };
  #isLastWanted = false;

  constructor(options: RecorderOptions, counts: InterceptorCounts) {
    this.#options = options;
    this.counts = counts;
  }

  /** A request's head has arrived. */
  begin(origin: Origin, asked: RequestFacts): OpenExchange {
    const { method, target, headers } = asked;
    this.counts.requests += 1;
    this.#next += 1;
    const { scheme, host, port, run } = origin;
    const id = `${this.#prefix}-${this.#next}`;
    const facts = { id, arrivedAt: Date.now(), scheme, method, host, port, target, headers };
    const known = run === undefined ? facts : { ...facts, run };
    const { maxBodyBytes } = this.#options;
    const answer = this.#wantsAnswer(asked, known) ? new AnswerCopy(maxBodyBytes, this.#answers) : undefined;
    return new OpenExchange(this, known, { maxBytes: maxBodyBytes, answer });
  }

  /** Asked once for a request that is said again, the same object each time, to the same host. */
  #wantsAnswer(asked: RequestFacts, known: Omit<Exchange, "body" | "truncated">): boolean {
    const { wantsAnswer } = this.#options;
    if (wantsAnswer === undefined) return false;
    const { facts, host, port } = this.#lastAsked;
    if (facts === asked && host === known.host && port === known.port) return this.#isLastWanted;
    this.#lastAsked = { facts: asked, host: known.host, port: known.port };
    this.#isLastWanted = this.guard(() => wantsAnswer(known)) === true;
    return this.#isLastWanted;
  }

  /** Bytes kept of one body. */
  get maxBodyBytes(): number {
    return this.#options.maxBodyBytes;
  }

  /** A WebSocket message of a client: recorded when it is telemetry, else it was only counted. */
  message(origin: Origin, facts: RequestFacts, { body, truncated }: Pick<Exchange, "body" | "truncated">): void {
    const { onMessage } = this.#options;
    if (onMessage === undefined) return;
    this.#next += 1;
    const id = `${this.#prefix}-${this.#next}`;
    this.guard(() => onMessage({ id, arrivedAt: Date.now(), ...origin, ...facts, body, truncated }));
  }

  /** Traffic of a host that is to be read goes by unread. */
  unread({ host, port }: Endpoint, why: string): void {
    const { onUnread } = this.#options;
    if (onUnread !== undefined) this.guard(() => onUnread({ host, port }, why));
  }

  /** As `unread`, for a connection that could be read until now. */
  opaque(origin: Endpoint, why: string): void {
    this.counts.opaque += 1;
    this.unread(origin, why);
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

interface Keeping {
  readonly maxBytes: number;
  /** Where the answer is kept, when a decoder wants it. */
  readonly answer: AnswerCopy | undefined;
}

/**
 * A request under way: its body is collected up to the cap, then it is handed on once, and its answer's status once after
 * that. When a decoder reads the answer too, the exchange is handed on when the answer has ended, however it ended.
 */
export class OpenExchange {
  readonly method: string;
  readonly #recorder: Recorder;
  readonly #known: Omit<Exchange, "body" | "truncated">;
  readonly #body: BodyCopy;
  readonly #copy: AnswerCopy | undefined;
  /** Undefined while the request is under way. */
  #isWhole: boolean | undefined;
  /** The same of the answer; one that nobody wants is not waited for. */
  #isAnswerWhole: boolean | undefined;
  #isHandedOn = false;
  #isAnswered = false;
  #status: number | undefined;

  constructor(recorder: Recorder, known: Omit<Exchange, "body" | "truncated">, { maxBytes, answer }: Keeping) {
    this.#recorder = recorder;
    this.#known = known;
    this.#body = new BodyCopy({ maxBytes, budget: recorder.largeBodies, headers: known.headers });
    this.#copy = answer;
    this.method = known.method;
  }

  /** The request's head. */
  get facts(): RequestFacts {
    return this.#known;
  }

  /** A decoder reads the answer; all others are not kept. */
  get isAnswerKept(): boolean {
    return this.#copy !== undefined;
  }

  addBody(bytes: Uint8Array): void {
    this.#body.add(bytes);
  }

  /** The request is over: whole, or cut because its sender went away. Only the first call counts. */
  finish(isWhole: boolean): void {
    this.#isWhole ??= isWhole;
    this.#tryHandOn();
  }

  /** The head of the final answer has arrived. */
  beginAnswer(status: number, headers: RawHeaders): void {
    this.#copy?.begin(status, headers);
    this.answer(status);
  }

  addAnswer(bytes: Uint8Array): void {
    this.#copy?.add(bytes);
  }

  /** Nothing more of the answer will come. Only the first call counts. */
  endAnswer(isWhole: boolean): void {
    this.#isAnswerWhole ??= isWhole;
    this.#tryHandOn();
  }

  /** The answer's status, or undefined when no (more) answer will come. Kept back until the request itself is handed on. */
  answer(status: number | undefined): void {
    this.#status ??= status;
    if (status === undefined) this.endAnswer(false);
    if (!this.#isHandedOn || this.#isAnswered) return;
    this.#isAnswered = true;
    this.#recorder.answer(this.#known.id, this.#status);
  }

  /** The connection is gone: whatever has not happened yet will not. */
  abandon(): void {
    this.finish(false);
    this.endAnswer(false);
    this.answer(this.#status);
  }

  /** The exchange as it stands, without its answer. */
  exchange(isWhole: boolean): Exchange {
    const body = this.#body.bytes();
    const { id, arrivedAt, scheme, method, host, port, target, headers, run } = this.#known;
    const truncated = this.#body.isCut || !isWhole;
    const plain = { id, arrivedAt, scheme, method, host, port, target, headers, body, truncated };
    const exchange = run === undefined ? plain : { ...plain, run };
    return this.#status === undefined ? exchange : { ...exchange, status: this.#status };
  }

  #tryHandOn(): void {
    const isAwaited = this.#copy !== undefined && this.#isAnswerWhole === undefined;
    if (this.#isHandedOn || this.#isWhole === undefined || isAwaited) return;
    this.#isHandedOn = true;
    const response = this.#copy?.take(this.#isAnswerWhole === true);
    const exchange = this.exchange(this.#isWhole);
    this.#recorder.emit(response === undefined ? exchange : { ...exchange, response });
    this.#body.release();
    if (this.#status !== undefined) this.answer(this.#status);
  }
}
