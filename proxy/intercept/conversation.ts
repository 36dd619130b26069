import { type Http1Reader, requestReader, responseReader } from "./http1.ts";
import { type Framing, hasToken, type RequestHead, type ResponseHead, responseFraming } from "./http1-head.ts";
import type { OpenExchange, Origin, Recorder } from "./recorder.ts";
import type { Listener } from "./watcher.ts";
import { WebSocketReader } from "./websocket.ts";

/**
 * Reads a copy of both directions of one HTTP/1.x connection and records its exchanges. It has no say in the traffic.
 * Requests go on being recorded when answers cannot be read; after a switch of protocols a WebSocket's messages are read, of
 * any other protocol nothing.
 */
export class Conversation implements Listener {
  onIdle: (() => void) | undefined;
  readonly #recorder: Recorder;
  readonly #origin: Origin;
  readonly #requests: Http1Reader<RequestHead>;
  readonly #answers: Http1Reader<ResponseHead>;
  /** Requests whose answers are not complete, eldest first. */
  readonly #waiting: OpenExchange[] = [];
  /** The request whose body is under way; it may have its answer already (a 413, say). */
  #arriving: OpenExchange | undefined;
  #isFinalAnswer = false;
  #isSwitched = false;
  /** Reads on after a switch to WebSocket. */
  #socket: WebSocketReader | undefined;

  constructor(recorder: Recorder, origin: Origin) {
    this.#recorder = recorder;
    this.#origin = origin;
    this.#requests = requestReader({
      onHead: (head) => this.#beginRequest(head),
      onBody: (bytes) => this.#arriving?.addBody(bytes),
      onEnd: () => this.#endRequest(true),
      onOpaque: () => this.#loseRequests(),
    });
    this.#answers = responseReader({
      onHead: (head) => this.#frameAnswer(head),
      onBody: (bytes) => this.#waiting[0]?.addAnswer(bytes),
      onEnd: () => this.#endAnswer(),
      onOpaque: () => this.#loseAnswers(),
    });
  }

  get isBusy(): boolean {
    return this.#requests.isOpaque || !this.#requests.isIdle || this.#waiting.length > 0;
  }

  request(chunk: Buffer): void {
    if (this.#socket === undefined) this.#requests.push(chunk);
    else this.#socket.request(chunk);
  }

  requestEnd(): void {
    if (!this.#requests.end()) this.#endRequest(false);
  }

  answer(chunk: Buffer): void {
    if (this.#socket !== undefined) return void this.#socket.answer(chunk);
    const read = this.#answers.push(chunk);
    if (read < chunk.length) this.#afterSwitch()?.answer(chunk.subarray(read));
  }

  /** Set by the switch, if at all. */
  #afterSwitch(): WebSocketReader | undefined {
    return this.#socket;
  }

  answerEnd(): void {
    this.#answers.end();
  }

  /** Both sides are gone. */
  close(): void {
    this.#arriving?.abandon();
    this.#arriving = undefined;
    for (const open of this.#waiting.splice(0)) open.abandon();
  }

  #beginRequest(head: RequestHead): void {
    this.#arriving = this.#recorder.begin(this.#origin, head);
    this.#waiting.push(this.#arriving);
  }

  #endRequest(isWhole: boolean): void {
    const open = this.#arriving;
    this.#arriving = undefined;
    open?.finish(isWhole);
    if (this.#answers.isOpaque) this.#loseAnswers();
    else this.#tellIdle();
  }

  #loseRequests(): void {
    if (!this.#isSwitched) this.#recorder.counts.opaque += 1;
    this.#endRequest(false);
  }

  #frameAnswer(head: ResponseHead): Framing {
    const open = this.#waiting[0];
    const isSwitch = head.status === 101 || (open?.method === "CONNECT" && head.status >= 200 && head.status < 300);
    this.#isFinalAnswer = head.status >= 200;
    if (this.#isFinalAnswer || isSwitch) open?.beginAnswer(head.status, head.headers);
    if (isSwitch) {
      open?.endAnswer(true);
      this.#switchProtocols(open, head);
    }
    return responseFraming(head, open?.method ?? "GET");
  }

  #switchProtocols(open: OpenExchange | undefined, { headers }: ResponseHead): void {
    this.#isSwitched = true;
    const isSocket = hasToken(headers, "upgrade", "websocket") && this.#requests.isIdle;
    if (open !== undefined && isSocket) {
      const { maxBodyBytes: maxBytes } = this.#recorder;
      const parts = { origin: this.#origin, opened: open.facts, answerHeaders: headers, maxBytes };
      this.#socket = new WebSocketReader({ recorder: this.#recorder, ...parts });
    }
    this.#requests.giveUp("the protocol was switched");
    this.#answers.giveUp("the protocol was switched");
  }

  #endAnswer(): void {
    if (!this.#isFinalAnswer) return; // a 1xx: the answer proper is yet to come
    this.#waiting.shift()?.endAnswer(true);
    this.#tellIdle();
  }

  #loseAnswers(): void {
    for (const open of this.#waiting.splice(0)) open.answer(undefined);
    this.#tellIdle();
  }

  #tellIdle(): void {
    if (!this.isBusy) this.onIdle?.();
  }
}
