import type { IncomingMessage } from "node:http";
import type { Socket } from "node:net";
import { countPassed } from "./passed-bytes.ts";
import { headerLines, pairHeaders } from "./raw-headers.ts";
import type { OpenExchange } from "./recorder.ts";

/** Body bytes taken while the connection is being made; beyond them the client has to wait. */
const MAX_EARLY_BYTES = 65_536;

/**
 * The body of a plain request on its way upstream, framed as the client framed it, with back-pressure, and copied into
 * its exchange. It is read from the first moment on, so that what a client sent before it left is not lost.
 */
export class RequestBody {
  readonly #request: IncomingMessage;
  readonly #open: OpenExchange;
  readonly #isChunked: boolean;
  readonly #whenWhole: () => void;
  #early: Buffer[] = [];
  #earlyBytes = 0;
  #stream: Socket | undefined;
  #isWhole = false;
  #isSwallowed = false;

  constructor(request: IncomingMessage, open: OpenExchange, whenWhole: () => void) {
    this.#request = request;
    this.#open = open;
    this.#whenWhole = whenWhole;
    this.#isChunked = request.headers["transfer-encoding"] !== undefined;
    request.on("data", (chunk: Buffer) => this.#take(chunk));
    request.once("end", () => this.#end());
  }

  /** The client has sent all it had to. */
  get isWhole(): boolean {
    return this.#isWhole;
  }

  /** Sends what has come so far, and from now on what comes. */
  sendTo(stream: Socket): void {
    this.#stream = stream;
    for (const chunk of this.#early.splice(0)) this.#send(chunk);
    if (this.#isWhole) this.#sendEnd();
    else this.#request.resume();
  }

  /** Reads what is still to come without sending it, so that the client comes to read its answer. */
  swallow(): void {
    this.#isSwallowed = true;
    this.#early = [];
    if (!this.#isWhole) this.#request.resume();
  }

  #take(chunk: Buffer): void {
    this.#open.addBody(chunk);
    countPassed(chunk.length);
    if (this.#isSwallowed) return;
    if (this.#stream === undefined) this.#keepEarly(chunk);
    else if (!this.#send(chunk)) {
      this.#request.pause();
      this.#stream.once("drain", () => this.#request.resume());
    }
  }

  #keepEarly(chunk: Buffer): void {
    this.#early.push(chunk);
    this.#earlyBytes += chunk.length;
    if (this.#earlyBytes > MAX_EARLY_BYTES) this.#request.pause();
  }

  #end(): void {
    this.#isWhole = true;
    this.#open.finish(true);
    this.#sendEnd();
    this.#whenWhole();
  }

  #sendEnd(): void {
    if (!this.#isChunked || this.#stream?.writable !== true) return;
    this.#stream.write(`0\r\n${headerLines(pairHeaders(this.#request.rawTrailers))}\r\n`, "latin1");
  }

  /** False when the server cannot take more for now. */
  #send(chunk: Buffer): boolean {
    const stream = this.#stream;
    if (stream?.writable !== true) return true; // gone: the rest is only read
    if (!this.#isChunked) return stream.write(chunk);
    stream.cork();
    stream.write(`${chunk.length.toString(16)}\r\n`, "latin1");
    stream.write(chunk);
    const isRoom = stream.write("\r\n", "latin1");
    stream.uncork();
    return isRoom;
  }
}
