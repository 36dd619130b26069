import type { RawHeaders } from "../record/exchange.ts";
import { HpackDecoder } from "./hpack.ts";
import { FLAG, FRAME, type FrameHead, FrameReader } from "./http2-frames.ts";

/** Bytes of one header block over all its frames. */
const MAX_BLOCK_BYTES = 1 << 20;

/** What a reader tells about the messages of one direction. */
export interface StreamEvents {
  /** A list of headers: a request's or an answer's, interim ones and trailers too. */
  onHeaders(stream: number, headers: RawHeaders): void;
  /** Body bytes; a view of the pushed chunk, valid as long as that chunk is. */
  onBody(stream: number, bytes: Buffer): void;
  /** The sender has sent all it had to on this stream. */
  onEnd(stream: number): void;
  onReset(stream: number): void;
  /** The sender will not look at streams above this one. */
  onGoAway(lastStream: number): void;
  /** The sender is going to push an answer that nobody asked for. */
  onPromise?(): void;
  /** From here on the bytes cannot be read as HTTP/2; told once. */
  onOpaque(why: string): void;
}

/** A header block whose frames are not all there; no other frame may come in between (RFC 9113 section 4.3). */
interface OpenBlock {
  readonly stream: number;
  readonly endsStream: boolean;
  /** Headers that a server promises for a stream of its own are decoded, which the table needs, and not told. */
  readonly isPromise: boolean;
  readonly pieces: Buffer[];
  bytes: number;
}

/** Reads one direction of an HTTP/2 connection (RFC 9113). It never throws on any bytes. */
export class Http2Reader {
  readonly #frames: FrameReader;
  readonly #hpack = new HpackDecoder();
  readonly #events: StreamEvents;
  #block: OpenBlock | undefined;

  constructor(side: "client" | "server", events: StreamEvents) {
    this.#events = events;
    this.#frames = new FrameReader(side, {
      onFrame: (head, payload) => this.#takeFrame(head, payload),
      onData: (stream, bytes) => {
        if (this.#block === undefined) events.onBody(stream, bytes);
      },
      onDataEnd: ({ stream, flags }) => {
        if (this.#block !== undefined) this.#interrupted();
        else if ((flags & FLAG.endStream) !== 0) events.onEnd(stream);
      },
      onOpaque: (why) => events.onOpaque(why),
    });
  }

  get isOpaque(): boolean {
    return this.#frames.isOpaque;
  }

  push(chunk: Buffer): void {
    this.#frames.push(chunk);
  }

  #takeFrame(head: FrameHead, payload: Buffer): void {
    if (this.#block !== undefined && (head.type !== FRAME.continuation || head.stream !== this.#block.stream)) {
      this.#interrupted();
      return;
    }
    switch (head.type) {
      case FRAME.headers:
        this.#beginBlock(head, payload, (head.flags & FLAG.priority) === 0 ? 0 : 5);
        break;
      case FRAME.promise:
        this.#beginBlock(head, payload, 4);
        break;
      case FRAME.continuation:
        this.#continueBlock(head, payload);
        break;
      case FRAME.reset:
        this.#events.onReset(head.stream);
        break;
      case FRAME.goAway:
        if (payload.length >= 4) this.#events.onGoAway(payload.readUInt32BE(0) & 0x7fffffff);
        break;
    }
  }

  /** `fixedBytes` stand before the block: priority, or the number of the promised stream. */
  #beginBlock({ type, flags, stream }: FrameHead, payload: Buffer, fixedBytes: number): void {
    const isPadded = (flags & FLAG.padded) !== 0;
    const start = (isPadded ? 1 : 0) + fixedBytes;
    const end = payload.length - (isPadded ? (payload[0] ?? 0) : 0);
    if (start > end) return void this.#frames.giveUp("a frame of headers that is too short");
    const endsStream = type === FRAME.headers && (flags & FLAG.endStream) !== 0;
    this.#block = { stream, endsStream, isPromise: type === FRAME.promise, pieces: [], bytes: 0 };
    this.#addToBlock(this.#block, payload.subarray(start, end), flags);
  }

  #continueBlock({ flags }: FrameHead, payload: Buffer): void {
    if (this.#block === undefined) this.#frames.giveUp("a CONTINUATION of nothing");
    else this.#addToBlock(this.#block, payload, flags);
  }

  #addToBlock(block: OpenBlock, piece: Buffer, flags: number): void {
    block.pieces.push(piece);
    block.bytes += piece.length;
    if (block.bytes > MAX_BLOCK_BYTES || block.pieces.length > MAX_BLOCK_BYTES >> 6) {
      this.#frames.giveUp(`more than ${MAX_BLOCK_BYTES} bytes of headers`);
    } else if ((flags & FLAG.endHeaders) !== 0) this.#endBlock(block);
  }

  #endBlock({ stream, endsStream, isPromise, pieces }: OpenBlock): void {
    this.#block = undefined;
    const [only] = pieces;
    const headers = this.#hpack.decode(pieces.length === 1 && only !== undefined ? only : Buffer.concat(pieces));
    if (!headers.ok) return void this.#frames.giveUp(headers.why);
    if (isPromise) return void this.#events.onPromise?.();
    this.#events.onHeaders(stream, headers.value);
    if (endsStream) this.#events.onEnd(stream);
  }

  #interrupted(): void {
    this.#frames.giveUp("a header block is interrupted");
  }
}
