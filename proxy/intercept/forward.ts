import { type IncomingMessage, type ServerResponse, validateHeaderName, validateHeaderValue } from "node:http";
import type { RawHeaders } from "../record/exchange.ts";
import { type Engine, upstreamProblem } from "./engine.ts";
import { type Http1Reader, responseReader } from "./http1.ts";
import { type Framing, hasToken, type ResponseHead, responseFraming } from "./http1-head.ts";
import type { Endpoint } from "./interceptor.ts";
import { countPassed } from "./passed-bytes.ts";
import { upstreamReason } from "./problem.ts";
import { headerLines, pairHeaders } from "./raw-headers.ts";
import type { OpenExchange } from "./recorder.ts";
import { replyText } from "./reply.ts";
import { RequestBody } from "./request-body.ts";
import { resetOnceWritten } from "./tee.ts";
import type { Upstream } from "./upstream.ts";

export interface ForwardParts {
  readonly engine: Engine;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly open: OpenExchange;
  /** Named in error texts. */
  readonly target: Endpoint;
}

export interface FirstBytes {
  readonly head: string;
  /** The connection carried an exchange before; a server may close such a one just as it is used again. */
  readonly isReused: boolean;
}

/**
 * One plain request on its way to the server and back. Bodies stream with back-pressure in both directions. Whoever
 * goes away takes the other side along: a client that leaves ends the server's work at once, and an answer that breaks
 * off is cut for the client too, never completed (RFC 9112 section 8).
 */
export class PlainForward {
  readonly #parts: ForwardParts;
  readonly #body: RequestBody;
  #upstream: Upstream | undefined;
  #reader: Http1Reader<ResponseHead> | undefined;
  #isReused = false;
  #isClientGone = false;
  #isFinal = false;
  #isAnswered = false;
  #isOver = false;
  #mayReuse = true;
  #release: () => void = () => undefined;

  constructor(parts: ForwardParts) {
    this.#parts = parts;
    this.#body = new RequestBody(parts.request, parts.open, () => {
      if (this.#isOver) this.#tryRelease();
    });
    parts.response.once("close", this.#onClientClose);
  }

  /** The client has sent all it had to; the server gets it even when the client is gone by then. */
  get isRequestWhole(): boolean {
    return this.#body.isWhole;
  }

  /** Sends the head and lets both bodies run. `release` takes the connection back when it can serve again. */
  start(upstream: Upstream, { head, isReused }: FirstBytes, release: () => void): void {
    if (this.#isOver && !this.#body.isWhole) return void upstream.stream.destroy();
    this.#upstream = upstream;
    if (this.#isClientGone) {
      this.#sendToTheEnd(upstream, head);
      return;
    }
    this.#isReused = isReused;
    this.#release = release;
    this.#reader = responseReader({
      onHead: (answer) => this.#onHead(answer),
      onBody: (bytes) => this.#onBody(bytes),
      onEnd: (trailers) => this.#onEnd(trailers),
      onOpaque: (why) => this.fail(new Error(`its answer cannot be read: ${why}`)),
    });
    const { stream } = upstream;
    stream.on("data", this.#onData).on("end", this.#onUpstreamEnd).on("close", this.#onUpstreamClose);
    stream.on("error", this.#onError);
    stream.write(head, "latin1");
    this.#body.sendTo(stream);
    stream.resume();
  }

  /** Nobody waits for the answer, but the request was made. */
  #sendToTheEnd({ stream }: Upstream, head: string): void {
    stream.write(head, "latin1");
    this.#body.sendTo(stream);
    stream.resume();
    stream.destroySoon();
  }

  /** Ends both sides: with a 502 when nothing of an answer has been passed on, else by cutting the client. */
  fail(error: unknown): void {
    if (this.#isOver) return;
    const { response, request, target, open } = this.#parts;
    this.#over();
    this.#upstream?.stream.destroy();
    if (this.#upstream !== undefined) this.#countTrouble(error);
    if (this.#isAnswered) this.#cutClient(error);
    // A connection used again that dies before its answer is an everyday race; clients try again when they see it.
    else if (this.#isReused) request.socket.destroy();
    else replyText(response, 502, upstreamProblem(target.host, error));
    open.answer(undefined);
    this.#body.swallow();
  }

  /** What happens every day is counted, and not told. */
  #countTrouble(error: unknown): void {
    const { engine, target } = this.#parts;
    if (this.#isReused && !this.#isAnswered) engine.counts.upstreamErrors += 1;
    else engine.hosts.trouble("upstream", target, upstreamReason(error));
  }

  #onHead(head: ResponseHead): Framing {
    const { open, response } = this.#parts;
    this.#isFinal = head.status >= 200;
    if (!this.#isFinal) {
      this.#passInterim(head);
      return { kind: "none" };
    }
    const framing = responseFraming(head, open.method);
    if (framing.kind === "refused") return framing;
    const mustClose =
      head.minor === 0 || hasToken(head.headers, "connection", "close") || framing.kind === "until-close";
    if (mustClose) this.#mayReuse = false;
    response.sendDate = false;
    response.removeHeader("connection"); // none of Node's own making
    if (framing.kind === "until-close") response.removeHeader("transfer-encoding");
    if (!this.#writeHead(head, framing)) return { kind: "none" };
    this.#isAnswered = true;
    open.beginAnswer(head.status, head.headers);
    return framing;
  }

  /** Node writes no header with control bytes and no `Trailer` without chunks; the former is told, the latter left out. */
  #writeHead({ status, reason, headers }: ResponseHead, framing: Framing): boolean {
    const kept = framing.kind === "chunked" ? headers : headers.filter(([name]) => name.toLowerCase() !== "trailer");
    try {
      this.#parts.response.writeHead(status, reason, kept.flat());
      this.#parts.response.flushHeaders();
      return true;
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      this.fail(new Error(`its answer (status ${status}) has a header that cannot be passed on: ${why}`));
      return false;
    }
  }

  #passInterim(head: ResponseHead): void {
    const { response } = this.#parts;
    if (head.status === 101) this.fail(new Error("it switched protocols without being asked"));
    // Node ends the connection behind an `Expect` whose 100 it has not written itself.
    else if (head.status === 100) response.writeContinue();
    else this.#passHints(head);
  }

  /** As it came, straight to the client: nothing of the answer proper has been written, and nothing of another one is. */
  #passHints({ status, reason, minor, headers }: ResponseHead): void {
    const { engine, response } = this.#parts;
    // One that Node would not write is left out, the answer itself follows.
    engine.recorder.guard(() => {
      for (const [name, value] of headers) {
        validateHeaderName(name);
        validateHeaderValue(name, value);
      }
      response.socket?.write(`HTTP/1.${minor} ${status} ${reason}\r\n${headerLines(headers)}\r\n`, "latin1");
    });
  }

  #onBody(bytes: Uint8Array): void {
    const { response, open } = this.#parts;
    open.addAnswer(bytes);
    countPassed(bytes.length);
    if (response.destroyed || response.write(bytes)) return;
    const stream = this.#upstream?.stream;
    stream?.pause();
    response.once("drain", () => stream?.resume());
  }

  #onEnd(trailers: RawHeaders): void {
    if (!this.#isFinal || this.#isOver) return;
    const { response, engine, open } = this.#parts;
    open.endAnswer(true);
    if (trailers.length > 0)
      engine.recorder.guard(() =>
        response.addTrailers(trailers.map(([name, value]): [string, string] => [name, value])),
      );
    response.end();
    this.#over();
  }

  readonly #onData = (chunk: Buffer): void => {
    this.#reader?.push(chunk);
    if (this.#isOver) this.#tryRelease();
  };

  readonly #onUpstreamEnd = (): void => {
    if (this.#isOver) return;
    const isWhole = this.#reader?.end() === true;
    if (this.#isOver) return void this.#upstream?.stream.destroy();
    this.fail(
      new Error(isWhole ? "it closed the connection without an answer" : "it closed the connection within its answer"),
    );
  };

  readonly #onUpstreamClose = (): void => {
    if (!this.#isOver) this.fail(new Error("it closed the connection"));
    this.#body.swallow(); // no `drain` will come any more
  };

  readonly #onError = (error: Error): void => this.fail(error);

  /** As the upstream ended: a reset is a reset for the client too, everything else an end after what had come. */
  #cutClient(error: unknown): void {
    const { socket } = this.#parts.request;
    const wasReset = (error as NodeJS.ErrnoException).code === "ECONNRESET";
    if (wasReset) resetOnceWritten({ stream: socket, raw: socket });
    else socket.destroySoon();
  }

  /** A request that is whole still goes out; nobody waits for its answer any more, so the server is told by the close. */
  readonly #onClientClose = (): void => {
    const { open, engine } = this.#parts;
    if (!this.#body.isWhole) open.finish(false);
    if (this.#isOver) return;
    this.#isClientGone = true;
    this.#over();
    this.#upstream?.stream.destroySoon();
    engine.counts.clientErrors += 1;
    open.abandon();
  };

  #over(): void {
    this.#isOver = true;
  }

  /** Gives the connection back once both messages are through, or ends it when it cannot be used again. */
  #tryRelease(): void {
    const stream = this.#upstream?.stream;
    if (stream === undefined || this.#isClientGone || !this.#body.isWhole) return;
    stream.off("data", this.#onData).off("end", this.#onUpstreamEnd).off("close", this.#onUpstreamClose);
    stream.off("error", this.#onError);
    this.#upstream = undefined;
    const { httpVersion, rawHeaders } = this.#parts.request;
    const isClosing = httpVersion !== "1.1" || hasToken(pairHeaders(rawHeaders), "connection", "close");
    if (this.#mayReuse && !isClosing && this.#reader?.isIdle === true) this.#release();
    else stream.destroy();
  }
}
