import type { Socket } from "node:net";
import type { Engine } from "./engine.ts";
import { upstreamProblem } from "./engine.ts";
import { type Http1Reader, requestReader, responseReader } from "./http1.ts";
import { type Framing, hasToken, type RequestHead, type ResponseHead, responseFraming } from "./http1-head.ts";
import type { Endpoint } from "./interceptor.ts";
import type { Link } from "./links.ts";
import type { OddHead } from "./odd-head.ts";
import { upstreamReason } from "./problem.ts";
import { refuse } from "./reply.ts";
import { resetOnceWritten } from "./tee.ts";
import type { Upstream } from "./upstream.ts";
import type { Watcher } from "./watcher.ts";

export interface OddParts {
  readonly engine: Engine;
  readonly client: Socket;
  readonly head: OddHead;
  readonly target: Endpoint;
  /** Gets a copy of what is passed on. */
  readonly watcher: Watcher | undefined;
  /** The exchange is over, and the client's connection can carry another one. */
  readonly again: () => void;
}

/**
 * One request that Node's server would refuse or change, and its answer: the bytes of both pass unchanged and are framed on a
 * copy only to know where they end. What the client sends behind it stays in its socket, since it may be for another server;
 * after a switch of protocols all of it goes on. The connection upstream carries nothing else.
 */
export class OddExchange {
  readonly #parts: OddParts;
  readonly #requests: Http1Reader<RequestHead>;
  readonly #answers: Http1Reader<ResponseHead>;
  readonly #link: Link;
  #upstream: Upstream | undefined;
  #isRequestWhole = false;
  #isAnswered = false;
  #isFinal = false;
  #isAnswerWhole = false;
  #mayGoOn: boolean;
  #isSwitched = false;
  #isOver = false;

  constructor(parts: OddParts) {
    this.#parts = parts;
    this.#mayGoOn = !parts.head.isLast;
    this.#requests = requestReader({
      onHead: () => undefined,
      onBody: () => undefined,
      onEnd: () => this.#endRequest(),
      onOpaque: (why) => this.#loseRequest(why),
    });
    this.#answers = responseReader({
      onHead: (head) => this.#frame(head),
      onBody: () => undefined,
      onEnd: () => this.#endAnswer(),
      onOpaque: () => undefined,
    });
    this.#link = { isBusy: () => !this.#isOver, cut: () => this.#cut() };
    parts.engine.links.add(this.#link);
    parts.client.once("close", this.#onClientClose);
  }

  /** Sends the head as it is to go out; as it came it has been taken off the client. */
  start(upstream: Upstream, first: Buffer): void {
    this.#upstream = upstream;
    const { client, head, watcher } = this.#parts;
    if (this.#isOver) return void upstream.stream.destroy();
    const { stream } = upstream;
    stream.on("data", this.#onAnswer).on("error", this.#onError);
    stream.once("end", this.#onUpstreamEnd).once("close", this.#onUpstreamEnd);
    stream.write(first);
    watcher?.request(first);
    this.#requests.push(head.bytes);
    if (!this.#isRequestWhole) this.#readOn();
    else if (client.readableEnded) this.#onClientEnd();
    else client.on("end", this.#onClientEnd).pause();
    stream.resume();
  }

  /** Ends both sides: with a 502 when nothing of an answer has been passed on, else by cutting the client. */
  fail(error: unknown): void {
    if (this.#isOver) return;
    const { client, target, engine } = this.#parts;
    if (this.#upstream !== undefined) engine.hosts.trouble("upstream", target, upstreamReason(error));
    this.#end();
    if (!this.#isAnswered) return void refuse(client, "502 Bad Gateway", upstreamProblem(target.host, error));
    if ((error as NodeJS.ErrnoException).code === "ECONNRESET") resetOnceWritten({ stream: client, raw: client });
    else client.destroySoon();
  }

  readonly #onRequest = (chunk: Buffer): void => {
    const { client, watcher } = this.#parts;
    const stream = this.#upstream?.stream;
    const length = this.#isSwitched ? chunk.length : this.#requests.push(chunk);
    const mine = length === chunk.length ? chunk : chunk.subarray(0, length);
    if (this.#isOver) return;
    if (mine.length > 0) watcher?.request(mine);
    if (mine.length > 0 && stream?.writable === true && !stream.write(mine) && !this.#isRequestWhole) {
      client.pause();
      stream.once("drain", () => client.resume());
    }
    if (length < chunk.length) client.unshift(chunk.subarray(length));
    this.#tryGoOn();
  };

  /** Its body cannot be followed, and so nobody knows where it ends. */
  #loseRequest(why: string): void {
    if (this.#isRequestWhole || this.#isOver) return;
    const { client, engine } = this.#parts;
    engine.counts.clientErrors += 1;
    this.#upstream?.stream.destroy();
    this.#end();
    if (this.#isAnswered) client.destroySoon();
    else refuse(client, "400 Bad Request", `the request cannot be read: ${why}`);
  }

  /** The reader goes no further, so that what follows stays with the client. */
  #endRequest(): void {
    const { client } = this.#parts;
    this.#isRequestWhole = true;
    this.#requests.giveUp("the next request is another exchange");
    client.off("data", this.#onRequest);
    client.pause();
  }

  readonly #onClientEnd = (): void => {
    this.#mayGoOn = false;
    this.#parts.watcher?.requestEnd();
    this.#upstream?.stream.end();
  };

  readonly #onAnswer = (chunk: Buffer): void => {
    const { client, watcher } = this.#parts;
    const length = this.#isSwitched ? chunk.length : this.#answers.push(chunk);
    const isAll = this.#isSwitched || length === chunk.length || !this.#isAnswerWhole;
    const mine = isAll ? chunk : chunk.subarray(0, length); // nothing was asked for that could follow an answer
    this.#isAnswered = true;
    if (!client.destroyed && !client.write(mine)) {
      const stream = this.#upstream?.stream;
      stream?.pause();
      client.once("drain", () => stream?.resume());
    }
    watcher?.answer(mine);
    this.#tryGoOn();
  };

  #frame(head: ResponseHead): Framing {
    const { status, minor, headers } = head;
    if (status === 101) this.#switch();
    if (status < 200) return { kind: "none" };
    const framing = responseFraming(head, this.#parts.head.method);
    this.#isFinal = true;
    const isKept = minor > 0 || hasToken(headers, "connection", "keep-alive");
    const mustClose = !isKept || hasToken(headers, "connection", "close");
    // One that cannot be framed passes as it is, up to its end.
    if (mustClose || framing.kind === "until-close" || framing.kind === "refused") this.#mayGoOn = false;
    return framing;
  }

  #switch(): void {
    this.#isSwitched = true;
    this.#mayGoOn = false;
    this.#readOn();
  }

  #readOn(): void {
    const { client } = this.#parts;
    if (client.readableEnded) return void this.#onClientEnd();
    client.off("end", this.#onClientEnd).on("end", this.#onClientEnd).on("data", this.#onRequest).resume();
  }

  #endAnswer(): void {
    if (!this.#isFinal) return; // a 1xx: the answer proper is yet to come
    this.#isAnswerWhole = true;
    this.#answers.giveUp("there is one answer");
  }

  #tryGoOn(): void {
    if (!this.#isRequestWhole || !this.#isAnswerWhole || this.#isOver || this.#isSwitched) return;
    const { client, engine, again } = this.#parts;
    this.#end();
    if (this.#mayGoOn && !client.destroyed && !engine.links.isDraining) again();
    else client.destroySoon();
  }

  readonly #onUpstreamEnd = (): void => {
    if (this.#isOver) return;
    if (!this.#isAnswered) return void this.fail(new Error("it closed the connection without an answer"));
    this.#parts.watcher?.answerEnd();
    this.#end();
    this.#parts.client.destroySoon();
  };

  readonly #onError = (error: Error): void => this.fail(error);

  /** A request that is whole still goes out; nobody waits for its answer any more. */
  readonly #onClientClose = (): void => {
    if (this.#isOver) return;
    this.#parts.engine.counts.clientErrors += 1;
    const stream = this.#upstream?.stream;
    if (this.#isRequestWhole) stream?.destroySoon();
    else stream?.destroy();
    this.#end();
  };

  #cut(): void {
    this.#parts.client.destroySoon();
  }

  #end(): void {
    const { client, engine, watcher } = this.#parts;
    this.#isOver = true;
    client.off("data", this.#onRequest).off("end", this.#onClientEnd).off("close", this.#onClientClose);
    watcher?.close();
    engine.links.delete(this.#link);
    const stream = this.#upstream?.stream;
    stream?.off("data", this.#onAnswer).resume();
    if (stream !== undefined && !stream.writableEnded) stream.destroySoon();
  }
}
