/** Opcodes of RFC 6455 section 5.2. */
export const OPCODE = { continuation: 0, text: 1, binary: 2, close: 8 } as const;

export interface WsFrame {
  readonly opcode: number;
  readonly isFinal: boolean;
  /** RSV1: the message's payload is compressed (RFC 7692 section 6). */
  readonly isCompressed: boolean;
  /** Unmasked; empty when the frame was longer than what is held. */
  readonly payload: Buffer;
  readonly isCut: boolean;
}

const MASKED = 0x80;
const SHORT = 126;
const LONG = 127;

/**
 * Splits one direction of a WebSocket into frames, from chunks cut anywhere. Payloads over `maxBytes` pass by and are
 * marked as cut. It never throws on any bytes; what is no frame makes it opaque for good.
 */
export class WsFrameReader {
  readonly #maxBytes: number;
  readonly #onFrame: (frame: WsFrame) => void;
  readonly #onOpaque: (why: string) => void;
  #part: "start" | "rest" | "payload" | "skip" | "opaque" = "start";
  #wanted = 2;
  #pieces: Buffer[] = [];
  #held = 0;
  #start: Buffer = Buffer.alloc(2);
  #mask: Buffer | undefined;

  constructor(maxBytes: number, onFrame: (frame: WsFrame) => void, onOpaque: (why: string) => void) {
    this.#maxBytes = maxBytes;
    this.#onFrame = onFrame;
    this.#onOpaque = onOpaque;
  }

  push(chunk: Buffer): void {
    let at = 0;
    while (at < chunk.length && this.#part !== "opaque") {
      const end = Math.min(at + this.#wanted - this.#held, chunk.length);
      this.#held += end - at;
      if (this.#part !== "skip") this.#pieces.push(chunk.subarray(at, end));
      at = end;
      if (this.#held === this.#wanted) this.#take();
    }
  }

  #take(): void {
    const whole = this.#pieces.length === 1 ? (this.#pieces[0] ?? Buffer.alloc(0)) : Buffer.concat(this.#pieces);
    if (this.#part === "start") this.#takeStart(whole);
    else if (this.#part === "rest") this.#takeRest(whole);
    else this.#emit(this.#part === "skip", whole);
  }

  #takeStart(start: Buffer): void {
    const [first = 0, second = 0] = start;
    const opcode = first & 15;
    if ((first & 0x30) !== 0 || (opcode > 2 && opcode < 8) || opcode > 10) {
      this.#part = "opaque";
      this.#pieces = [];
      this.#onOpaque("no WebSocket frame");
      return;
    }
    this.#start = start;
    const length = second & 127;
    const lengthBytes = length === SHORT ? 2 : length === LONG ? 8 : 0;
    const maskBytes = (second & MASKED) === 0 ? 0 : 4;
    if (lengthBytes + maskBytes === 0) this.#beginPayload(length, undefined);
    else this.#collect("rest", lengthBytes + maskBytes);
  }

  #takeRest(rest: Buffer): void {
    const second = this.#start[1] ?? 0;
    const short = second & 127;
    const length = short === SHORT ? rest.readUInt16BE(0) : short === LONG ? Number(rest.readBigUInt64BE(0)) : short;
    this.#beginPayload(length, (second & MASKED) === 0 ? undefined : Buffer.from(rest.subarray(-4)));
  }

  #beginPayload(length: number, mask: Buffer | undefined): void {
    this.#mask = mask;
    this.#collect(length > this.#maxBytes ? "skip" : "payload", length);
    if (length === 0) this.#emit(false, Buffer.alloc(0));
  }

  #emit(isCut: boolean, bytes: Buffer): void {
    const first = this.#start[0] ?? 0;
    const payload = this.#mask === undefined ? bytes : unmasked(bytes, this.#mask);
    this.#collect("start", 2);
    this.#onFrame({
      opcode: first & 15,
      isFinal: (first & 0x80) !== 0,
      isCompressed: (first & 0x40) !== 0,
      payload: isCut ? Buffer.alloc(0) : payload,
      isCut,
    });
  }

  #collect(part: "start" | "rest" | "payload" | "skip", bytes: number): void {
    this.#part = part;
    this.#wanted = bytes;
    this.#pieces = [];
    this.#held = 0;
  }
}

/** A copy without its mask (RFC 6455 section 5.3). */
function unmasked(bytes: Buffer, mask: Buffer): Buffer {
  const clear = Buffer.allocUnsafe(bytes.length);
  for (let at = 0; at < bytes.length; at += 1) clear[at] = (bytes[at] ?? 0) ^ (mask[at & 3] ?? 0);
  return clear;
}
