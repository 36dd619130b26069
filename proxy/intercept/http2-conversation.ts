import type { RawHeaders } from "../record/exchange.ts";
import { Http2Reader } from "./http2.ts";
import type { OpenExchange, Origin, Recorder } from "./recorder.ts";
import type { Listener } from "./watcher.ts";
import { WebSocketReader } from "./websocket.ts";

/** Streams open at once; peers allow each other some hundreds. */
const MAX_STREAMS = 10_000;
/** A piece of a body that is less than this part of its chunk is copied, so that it does not keep the whole chunk. */
const SMALL_PART = 4;

interface Stream {
  readonly open: OpenExchange;
  /** The stream is to carry a WebSocket (RFC 8441); once the server agrees, this reads it. */
  readonly isSocket: boolean;
  socket?: WebSocketReader;
  isRequestOver: boolean;
  isAnswerOver: boolean;
}

/**
 * Reads a copy of both directions of one HTTP/2 connection and records its exchanges, one per stream, with gRPC among
 * them; a WebSocket inside a stream (RFC 8441) is read as one. It has no say in the traffic. When answers cannot be read any
 * more, requests go on being recorded. Answers that a server pushes are counted and not looked at.
 */
export class Http2Conversation implements Listener {
  onIdle: (() => void) | undefined;
  readonly #recorder: Recorder;
  readonly #origin: Origin;
  readonly #requests: Http2Reader;
  readonly #answers: Http2Reader;
  readonly #streams = new Map<number, Stream>();
  /** The highest stream that a client has opened; a number never comes again. */
  #latest = 0;
  #chunkBytes = 0;

  constructor(recorder: Recorder, origin: Origin) {
    this.#recorder = recorder;
    this.#origin = origin;
    this.#requests = new Http2Reader("client", {
      onHeaders: (id, headers) => this.#beginRequest(id, headers),
      onBody: (id, bytes) => this.#addBody(id, bytes),
      onEnd: (id) => this.#endRequest(id),
      onReset: (id) => this.#abandon(id),
      onGoAway: () => undefined, // of pushed streams, which are not looked at
      onOpaque: () => this.#loseRequests(),
    });
    this.#answers = new Http2Reader("server", {
      onHeaders: (id, headers) => this.#beginAnswer(id, headers),
      onBody: (id, bytes) => this.#addAnswer(id, bytes),
      onEnd: (id) => this.#endAnswer(id),
      onReset: (id) => this.#abandon(id), // also after a whole answer, to stop a request (RFC 9113 section 8.1)
      onGoAway: (last) => this.#goAway(last),
      onPromise: () => {
        this.#recorder.counts.unreadStreams += 1;
      },
      onOpaque: () => this.#loseAnswers(),
    });
  }

  get isBusy(): boolean {
    return this.#requests.isOpaque || this.#streams.size > 0;
  }

  request(chunk: Buffer): void {
    this.#chunkBytes = chunk.length;
    this.#requests.push(chunk);
  }

  requestEnd(): void {
    for (const [id, { isRequestOver }] of this.#streams) if (!isRequestOver) this.#cutRequest(id);
  }

  answer(chunk: Buffer): void {
    this.#chunkBytes = chunk.length;
    this.#answers.push(chunk);
  }

  answerEnd(): void {
    for (const id of [...this.#streams.keys()]) this.#abandon(id);
  }

  close(): void {
    this.answerEnd();
  }

  /** Small pieces are copied: many streams share a chunk, and one may be open for hours. */
  #own(bytes: Buffer): Buffer {
    return bytes.length * SMALL_PART < this.#chunkBytes ? Buffer.from(bytes) : bytes;
  }

  #beginRequest(id: number, headers: RawHeaders): void {
    if (id <= this.#latest || id % 2 === 0) return; // trailers, which belong to the request that is known
    this.#latest = id;
    if (this.#streams.size >= MAX_STREAMS) {
      this.#passUnread("it has too many streams at once");
      return;
    }
    const { method = "", target = "", fields } = readRequestHead(headers);
    const open = this.#recorder.begin(this.#origin, { method, target, headers: fields });
    const isSocket = headers.some(([name, value]) => name === ":protocol" && value === "websocket");
    this.#streams.set(id, { open, isSocket, isRequestOver: false, isAnswerOver: this.#answers.isOpaque });
  }

  #passUnread(why: string): void {
    this.#recorder.counts.unreadStreams += 1;
    this.#recorder.unread(this.#origin, why);
  }

  #addBody(id: number, bytes: Buffer): void {
    const stream = this.#streams.get(id);
    if (stream?.socket !== undefined) stream.socket.request(this.#own(bytes));
    else if (stream?.isSocket === false) stream.open.addBody(this.#own(bytes));
  }

  #endRequest(id: number): void {
    const stream = this.#streams.get(id);
    if (stream === undefined) return;
    stream.isRequestOver = true;
    stream.open.finish(true);
    this.#settle(id, stream);
  }

  #cutRequest(id: number): void {
    const stream = this.#streams.get(id);
    if (stream === undefined) return;
    stream.isRequestOver = true;
    stream.open.finish(false);
    this.#settle(id, stream);
  }

  #beginAnswer(id: number, headers: RawHeaders): void {
    const stream = this.#streams.get(id);
    const status = Number(headers.find(([name]) => name === ":status")?.[1] ?? 0);
    if (status < 200 || stream === undefined) return; // interim answers and trailers
    stream.open.beginAnswer(status, withoutPseudo(headers));
    if (stream.isSocket && status < 300) this.#beginSocket(stream, headers);
  }

  /** The request that opened it is over; what follows is the socket's. */
  #beginSocket(stream: Stream, answerHeaders: RawHeaders): void {
    const { open } = stream;
    const recorder = this.#recorder;
    stream.socket ??= new WebSocketReader({
      recorder,
      origin: this.#origin,
      opened: open.facts,
      answerHeaders,
      maxBytes: recorder.maxBodyBytes,
    });
    open.finish(true);
    open.endAnswer(true);
  }

  #addAnswer(id: number, bytes: Buffer): void {
    const { open, socket } = this.#streams.get(id) ?? {};
    if (socket !== undefined) socket.answer(this.#own(bytes));
    else if (open?.isAnswerKept === true) open.addAnswer(this.#own(bytes));
  }

  #endAnswer(id: number): void {
    const stream = this.#streams.get(id);
    if (stream === undefined) return;
    stream.isAnswerOver = true;
    stream.open.endAnswer(true);
    this.#settle(id, stream);
  }

  #goAway(last: number): void {
    for (const id of [...this.#streams.keys()]) if (id > last) this.#abandon(id);
  }

  #abandon(id: number): void {
    const stream = this.#streams.get(id);
    if (stream === undefined) return;
    this.#streams.delete(id);
    stream.open.abandon();
    this.#tellIdle();
  }

  #settle(id: number, { open, isRequestOver, isAnswerOver }: Stream): void {
    if (!isRequestOver || !isAnswerOver) return;
    this.#streams.delete(id);
    open.answer(undefined);
    this.#tellIdle();
  }

  #loseRequests(): void {
    this.#recorder.opaque(this.#origin, "its requests cannot be read as HTTP/2");
    this.answerEnd();
  }

  #loseAnswers(): void {
    if (!this.#requests.isOpaque) this.#recorder.counts.opaque += 1;
    for (const [id, stream] of [...this.#streams]) {
      stream.isAnswerOver = true;
      stream.open.endAnswer(false);
      this.#settle(id, stream);
    }
  }

  #tellIdle(): void {
    if (!this.isBusy) this.onIdle?.();
  }
}

/** The parts of a request's head (RFC 9113 section 8.3.1); the authority stands as `host`, as in a head of HTTP/1. */
function readRequestHead(headers: RawHeaders) {
  const pseudo = (name: string): string | undefined => headers.find(([known]) => known === name)?.[1];
  const authority = pseudo(":authority");
  const rest = withoutPseudo(headers);
  const hasHost = authority === undefined || rest.some(([name]) => name === "host");
  const fields: RawHeaders = hasHost ? rest : [["host", authority], ...rest];
  return { method: pseudo(":method"), target: pseudo(":path"), fields };
}

function withoutPseudo(headers: RawHeaders): RawHeaders {
  return headers.filter(([name]) => !name.startsWith(":"));
}
