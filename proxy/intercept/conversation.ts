import type { RawHeaders } from "../record/exchange.ts";
import { type Http1Reader, requestReader, responseReader } from "./http1.ts";
import { type Framing, hasToken, type RequestHead, type ResponseHead, responseFraming } from "./http1-head.ts";
import { couldBeRequest, couldBeResponse } from "./http1-start.ts";
import { Http2Conversation } from "./http2-conversation.ts";
import type { OpenExchange, Origin, Recorder } from "./recorder.ts";
import type { Listener } from "./watcher.ts";
import { WebSocketReader } from "./websocket.ts";

/**
 * Reads a copy of both directions of one HTTP/1.x connection and records its exchanges. It has no say in the traffic.
 * Requests go on being recorded when answers cannot be read; after a switch of protocols a WebSocket's messages and the
 * streams of HTTP/2 are read, of any other protocol nothing.
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
  /** A request's head has been read, so that this is HTTP. */
  #hasBegun = false;
  #isFinalAnswer = false;
  #isSwitched = false;
  /** Reads on after a switch to WebSocket or HTTP/2. */
  #next: WebSocketReader | Http2Conversation | undefined;

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
    if (this.#next === undefined) this.#requests.push(chunk);
    else this.#next.request(chunk);
  }

  requestEnd(): void {
    if (!this.#requests.end()) this.#endRequest(false);
  }

  answer(chunk: Buffer): void {
    if (this.#next !== undefined) return void this.#next.answer(chunk);
    const read = this.#answers.push(chunk);
    if (!this.#hasBegun) this.#hearUnasked();
    if (read < chunk.length) this.#afterSwitch()?.answer(chunk.subarray(read));
  }

  /** A server of HTTP may say that it has waited too long (408), or refuse what it has seen so far of a head. */
  #hearUnasked(): void {
    if (this.#answers.isOpaque || !couldBeResponse(this.#answers.begun))
      this.#requests.giveUp("its server speaks first");
  }

  /** Set by the switch, if at all. */
  #afterSwitch(): WebSocketReader | Http2Conversation | undefined {
    return this.#next;
  }

  answerEnd(): void {
    this.#answers.end();
  }

  /** Both sides are gone. A head that was cut short says nothing; what could not have become one was no HTTP. */
  close(): void {
    if (!couldBeRequest(this.#requests.begun)) this.#requests.giveUp("it never came to a request");
    this.#arriving?.abandon();
    this.#arriving = undefined;
    for (const open of this.#waiting.splice(0)) open.abandon();
    if (this.#next instanceof Http2Conversation) this.#next.close();
  }

  #beginRequest(head: RequestHead): void {
    this.#hasBegun = true;
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
    if (!this.#isSwitched) this.#recorder.opaque(this.#origin, "its requests cannot be read as HTTP/1");
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
    this.#next = open !== undefined && this.#requests.isIdle ? this.#readerAfter(open, headers) : undefined;
    if (this.#next === undefined) {
      this.#recorder.counts.unreadStreams += 1;
      this.#recorder.unread(this.#origin, "a connection was switched to a protocol that is not read");
    }
    this.#requests.giveUp("the protocol was switched");
    this.#answers.giveUp("the protocol was switched");
  }

  #readerAfter({ facts: opened }: OpenExchange, headers: RawHeaders): WebSocketReader | Http2Conversation | undefined {
    const recorder = this.#recorder;
    const origin = this.#origin;
    if (hasToken(headers, "upgrade", "h2c")) return new Http2Conversation(recorder, origin); // RFC 7540 section 3.2
    if (!hasToken(headers, "upgrade", "websocket")) return undefined;
    return new WebSocketReader({ recorder, origin, opened, answerHeaders: headers, maxBytes: recorder.maxBodyBytes });
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
