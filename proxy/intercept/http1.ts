import type { RawHeaders } from "../record/exchange.ts";
import { headEnd, headText } from "./head-end.ts";
import { KnownHead, remembering } from "./head-memo.ts";
import {
  type Framing,
  type Parsed,
  parseFields,
  parseRequestHead,
  parseResponseHead,
  type RequestHead,
  type ResponseHead,
} from "./http1-head.ts";

const LF = 0x0a;
const CR = 0x0d;
const MAX_HEAD_BYTES = 1 << 20;
const MAX_LINE_BYTES = 16_384;
const BEGUN_BYTES = 16_384;
const readRequestHead = remembering(parseRequestHead);
const readResponseHead = remembering(parseResponseHead);
const CHUNK_SIZE = /^([0-9a-fA-F]{1,13})[ \t]*(?:;.*)?$/;

/** What a reader tells about the messages it sees. */
export interface MessageEvents<Head> {
  /** A head is complete; says how the body that follows is framed. */
  onHead(head: Head): Framing;
  /** Body bytes, transfer coding removed; a view of the pushed chunk, valid as long as that chunk is. */
  onBody(bytes: Uint8Array): void;
  onEnd(trailers: RawHeaders): void;
  /** From here on the bytes cannot be read as HTTP/1; told once. */
  onOpaque(why: string): void;
}

/**
 * Reads one direction of an HTTP/1.x connection (RFC 9112) from chunks cut anywhere. It never throws on any bytes:
 * what it cannot read with certainty makes it opaque for good.
 */
export class Http1Reader<Head extends RequestHead | ResponseHead> {
  #state: "head" | "length" | "until-close" | "chunk-size" | "chunk-data" | "chunk-end" | "trailers" | "opaque" =
    "head";
  #left = 0;
  /** Bytes of an incomplete head or line, with room to grow; only `#held` of them count. */
  #carry: Buffer = Buffer.alloc(0);
  #held = 0;
  readonly #known = new KnownHead<Head>();
  readonly #parse: (text: string) => Parsed<Head>;
  readonly #events: MessageEvents<Head>;

  constructor(parse: (text: string) => Parsed<Head>, events: MessageEvents<Head>) {
    this.#parse = parse;
    this.#events = events;
  }

  get isOpaque(): boolean {
    return this.#state === "opaque";
  }

  /** True between messages: nothing of a next one has arrived. */
  get isIdle(): boolean {
    return this.#state === "head" && this.#held === 0;
  }

  /** The start of what has arrived of a head that is not complete. */
  get begun(): string {
    return this.#state === "head" ? this.#carry.toString("latin1", 0, Math.min(this.#held, BEGUN_BYTES)) : "";
  }

  /** Returns how far it came: the whole chunk, unless it became opaque on the way. */
  push(chunk: Buffer): number {
    let at = 0;
    while (at < chunk.length && this.#state !== "opaque") at = this.#step(chunk, at);
    return at;
  }

  /** The sender ended its side. True when that was a fine place to end; a body until close ends here. */
  end(): boolean {
    if (this.#state === "until-close") this.#finish([]);
    return this.#state === "head" || this.#state === "opaque";
  }

  /** Stops reading, as after a switch of protocols. */
  giveUp(why: string): void {
    if (this.#state === "opaque") return;
    this.#state = "opaque";
    this.#carry = Buffer.alloc(0);
    this.#held = 0;
    this.#events.onOpaque(why);
  }

  /** Reads on from `at`, returns how far it came. */
  #step(chunk: Buffer, at: number): number {
    switch (this.#state) {
      case "head":
        return this.#readHead(chunk, at);
      case "length":
      case "chunk-data":
        return this.#readCounted(chunk, at);
      case "until-close":
        this.#events.onBody(at === 0 ? chunk : chunk.subarray(at));
        return chunk.length;
      default:
        return this.#readLine(chunk, at);
    }
  }

  #readCounted(chunk: Buffer, at: number): number {
    const end = Math.min(at + this.#left, chunk.length);
    this.#left -= end - at;
    this.#events.onBody(at === 0 && end === chunk.length ? chunk : chunk.subarray(at, end));
    if (this.#left === 0 && this.#state === "length") this.#finish([]);
    else if (this.#left === 0 && this.#state === "chunk-data") this.#state = "chunk-end";
    return end;
  }

  #readHead(chunk: Buffer, at: number): number {
    if (this.#held === 0) {
      // Empty lines before a message are to be skipped (RFC 9112 section 2.2).
      while (at < chunk.length && (chunk[at] === CR || chunk[at] === LF)) at += 1;
      const known = this.#known.in(chunk, at);
      if (known !== undefined) {
        this.#beginWith(known);
        return at + this.#known.length;
      }
      const end = headEnd(chunk, at, at);
      if (end !== undefined) return this.#takeHead(chunk, at, end);
      this.#keep(chunk, at, chunk.length);
      return chunk.length;
    }
    const before = this.#held;
    this.#keep(chunk, at, chunk.length);
    const end = headEnd(this.#carry.subarray(0, this.#held), 0, Math.max(0, before - 3));
    if (end === undefined) return this.#tooLong(MAX_HEAD_BYTES, chunk.length);
    const carry = this.#carry;
    this.#held = 0;
    this.#takeHead(carry, 0, end);
    return at + (end - before);
  }

  #takeHead(bytes: Buffer, from: number, end: number): number {
    const head = this.#parse(headText(bytes, from, end));
    if (!head.ok) {
      this.giveUp(head.why);
      return end;
    }
    this.#known.said(head.value, bytes, { from, end });
    this.#beginWith(head.value);
    return end;
  }

  #beginWith(head: Head): void {
    const framing = this.#events.onHead(head);
    if (this.#state === "head") this.#begin(framing);
  }

  #begin(framing: Framing): void {
    switch (framing.kind) {
      case "none":
        this.#finish([]);
        break;
      case "length":
        this.#left = framing.bytes;
        this.#state = "length";
        break;
      case "chunked":
        this.#state = "chunk-size";
        break;
      case "until-close":
        this.#state = "until-close";
        break;
      case "refused":
        this.giveUp(framing.why);
        break;
    }
  }

  /** Collects up to a line feed, then acts on the line; trailers are collected up to their empty line. */
  #readLine(chunk: Buffer, at: number): number {
    const found = chunk.indexOf(LF, at);
    const end = found < 0 ? chunk.length : found + 1;
    this.#keep(chunk, at, end);
    if (found < 0) return this.#tooLong(MAX_LINE_BYTES, end);
    const text = this.#carry.toString("latin1", 0, this.#held);
    if (this.#state === "trailers") this.#takeTrailers(text);
    else {
      this.#held = 0;
      this.#takeLine(text.replace(/\r?\n$/, ""));
    }
    return end;
  }

  #takeLine(line: string): void {
    if (this.#state === "chunk-end") {
      if (line === "") this.#state = "chunk-size";
      else this.giveUp("a chunk is longer than its size says");
      return;
    }
    const size = CHUNK_SIZE.exec(line)?.[1];
    if (size === undefined) {
      this.giveUp(`no chunk size in ${JSON.stringify(line.slice(0, 80))}`);
      return;
    }
    this.#left = Number.parseInt(size, 16);
    this.#state = this.#left === 0 ? "trailers" : "chunk-data";
  }

  #takeTrailers(text: string): void {
    const isLast = text === "\r\n" || text === "\n" || /\n\r?\n$/.test(text);
    if (!isLast) {
      this.#tooLong(MAX_LINE_BYTES, 0);
      return;
    }
    this.#held = 0;
    const fields = parseFields(text);
    if (fields.ok) this.#finish(fields.value);
    else this.giveUp(fields.why);
  }

  #finish(trailers: RawHeaders): void {
    this.#state = "head";
    this.#events.onEnd(trailers);
  }

  #keep(chunk: Buffer, from: number, to: number): void {
    const needed = this.#held + (to - from);
    if (needed > this.#carry.length) {
      const roomier = Buffer.allocUnsafe(Math.max(needed, this.#carry.length * 2, 256));
      this.#carry.copy(roomier, 0, 0, this.#held);
      this.#carry = roomier;
    }
    chunk.copy(this.#carry, this.#held, from, to);
    this.#held = needed;
  }

  #tooLong(limit: number, consumed: number): number {
    if (this.#held > limit) this.giveUp(`a head or line of more than ${limit} bytes`);
    return consumed;
  }
}

/** A reader of a client's side; every request is framed by its own headers. */
export function requestReader(
  events: Omit<MessageEvents<RequestHead>, "onHead"> & { onHead(head: RequestHead): void },
): Http1Reader<RequestHead> {
  return new Http1Reader(readRequestHead, {
    onHead: (head) => {
      events.onHead(head);
      return head.framing;
    },
    onBody: (bytes) => events.onBody(bytes),
    onEnd: (trailers) => events.onEnd(trailers),
    onOpaque: (why) => events.onOpaque(why),
  });
}

/** A reader of a server's side; its `onHead` frames the body, for which it must know what was asked. */
export function responseReader(events: MessageEvents<ResponseHead>): Http1Reader<ResponseHead> {
  return new Http1Reader(readResponseHead, events);
}
