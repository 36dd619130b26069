/** The client's first bytes (RFC 9113 section 3.4). */
export const PREFACE = Buffer.from("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", "latin1");

/** Frame types that a reader of exchanges acts on (RFC 9113 section 6). */
export const FRAME = {
  data: 0,
  headers: 1,
  reset: 3,
  settings: 4,
  promise: 5,
  goAway: 7,
  continuation: 9,
} as const;

export const FLAG = { endStream: 1, endHeaders: 4, padded: 8, priority: 0x20 } as const;

const HEADER_BYTES = 9;
/** Frames other than DATA are held until they are whole; a larger one is no header block that anybody means. */
const MAX_HELD_BYTES = 1 << 20;
const HELD = new Set<number>([FRAME.headers, FRAME.reset, FRAME.promise, FRAME.goAway, FRAME.continuation]);

/** A frame's header. */
export interface FrameHead {
  readonly type: number;
  readonly flags: number;
  readonly stream: number;
}

/** What a reader tells about the frames it sees. */
export interface FrameEvents {
  /** A whole frame that is no DATA; settings, pings and what RFC 9113 does not know come without their payload. */
  onFrame(head: FrameHead, payload: Buffer): void;
  /** Bytes of a DATA frame without its padding; a view of the pushed chunk. */
  onData(stream: number, bytes: Buffer): void;
  /** A DATA frame is over. */
  onDataEnd(head: FrameHead): void;
  /** From here on the bytes cannot be read as HTTP/2; told once. */
  onOpaque(why: string): void;
}

type State = "collect" | "data" | "skip" | "opaque";

/**
 * Splits one direction of an HTTP/2 connection into frames, from chunks cut anywhere. It never throws on any bytes: what
 * it cannot read with certainty makes it opaque for good.
 */
export class FrameReader {
  readonly #events: FrameEvents;
  #state: State = "collect";
  /** What is being collected: the preface, a frame's header, a pad length, or the payload of a frame. */
  #part: "preface" | "header" | "pad" | "payload";
  #wanted: number;
  #pieces: Buffer[] = [];
  #held = 0;
  #head: FrameHead = { type: 0, flags: 0, stream: 0 };
  #isFirst = true;
  /** Bytes of the frame that are still to come: content, and padding behind it. */
  #left = 0;
  #padding = 0;

  constructor(side: "client" | "server", events: FrameEvents) {
    this.#events = events;
    this.#part = side === "client" ? "preface" : "header";
    this.#wanted = side === "client" ? PREFACE.length : HEADER_BYTES;
  }

  get isOpaque(): boolean {
    return this.#state === "opaque";
  }

  push(chunk: Buffer): void {
    let at = 0;
    while (at < chunk.length && this.#state !== "opaque") at = this.#step(chunk, at);
  }

  /** Stops reading. */
  giveUp(why: string): void {
    if (this.#state === "opaque") return;
    this.#state = "opaque";
    this.#pieces = [];
    this.#events.onOpaque(why);
  }

  #step(chunk: Buffer, at: number): number {
    if (this.#state === "data") return this.#passData(chunk, at);
    if (this.#state === "skip") return this.#skip(chunk, at);
    const end = Math.min(at + this.#wanted - this.#held, chunk.length);
    const piece = chunk.subarray(at, end);
    this.#held += piece.length;
    if (this.#held < this.#wanted) {
      this.#pieces.push(piece);
      return end;
    }
    const whole = this.#pieces.length === 0 ? piece : Buffer.concat([...this.#pieces, piece], this.#wanted);
    this.#pieces = [];
    this.#held = 0;
    this.#take(whole);
    return end;
  }

  #take(whole: Buffer): void {
    switch (this.#part) {
      case "preface":
        if (whole.equals(PREFACE)) this.#collect("header", HEADER_BYTES);
        else this.giveUp("no HTTP/2 preface");
        break;
      case "header":
        this.#begin(whole);
        break;
      case "pad":
        this.#padding = whole[0] ?? 0;
        this.#left -= 1;
        if (this.#padding > this.#left) this.giveUp("a frame with more padding than bytes");
        else this.#beginData(this.#left - this.#padding);
        break;
      case "payload":
        this.#collect("header", HEADER_BYTES);
        this.#events.onFrame(this.#head, whole);
        break;
    }
  }

  #begin(bytes: Buffer): void {
    const length = bytes.readUIntBE(0, 3);
    const head = { type: bytes[3] ?? 0, flags: bytes[4] ?? 0, stream: bytes.readUInt32BE(5) & 0x7fffffff };
    this.#head = head;
    if (this.#isFirst && head.type !== FRAME.settings) return void this.giveUp("its first frame is no SETTINGS");
    this.#isFirst = false;
    this.#left = length;
    this.#padding = 0;
    if (head.type === FRAME.data) {
      if ((head.flags & FLAG.padded) === 0) this.#beginData(length);
      else if (length === 0) this.giveUp("a padded frame without bytes");
      else this.#collect("pad", 1);
    } else if (HELD.has(head.type) && length > 0) {
      if (length > MAX_HELD_BYTES) this.giveUp(`a frame of ${length} bytes of headers`);
      else this.#collect("payload", length);
    } else {
      this.#events.onFrame(head, Buffer.alloc(0));
      this.#beginSkip(length);
    }
  }

  #collect(part: "header" | "pad" | "payload", bytes: number): void {
    this.#state = "collect";
    this.#part = part;
    this.#wanted = bytes;
  }

  #beginData(bytes: number): void {
    this.#left = bytes;
    if (bytes > 0) this.#state = "data";
    else this.#endData();
  }

  #passData(chunk: Buffer, at: number): number {
    const end = Math.min(at + this.#left, chunk.length);
    this.#left -= end - at;
    this.#events.onData(this.#head.stream, chunk.subarray(at, end));
    if (this.#left === 0 && this.#state === "data") this.#endData();
    return end;
  }

  #endData(): void {
    this.#beginSkip(this.#padding);
    this.#events.onDataEnd(this.#head);
  }

  #beginSkip(bytes: number): void {
    if (this.#state === "opaque") return;
    this.#left = bytes;
    if (bytes > 0) this.#state = "skip";
    else this.#collect("header", HEADER_BYTES);
  }

  #skip(chunk: Buffer, at: number): number {
    const end = Math.min(at + this.#left, chunk.length);
    this.#left -= end - at;
    if (this.#left === 0) this.#collect("header", HEADER_BYTES);
    return end;
  }
}
