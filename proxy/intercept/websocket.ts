import { constants, inflateRawSync } from "node:zlib";
import type { RawHeaders } from "../record/exchange.ts";
import { headerOf } from "../record/exchange.ts";
import type { Origin, Recorder, RequestFacts } from "./recorder.ts";
import { OPCODE, type WsFrame, WsFrameReader } from "./websocket-frames.ts";

/** Ends a compressed message (RFC 7692 section 7.2.2). */
const FLUSH = Buffer.from([0, 0, 0xff, 0xff]);
const WINDOW_BYTES = 32_768;

export interface WsParts {
  readonly recorder: Recorder;
  readonly origin: Origin;
  /** The request that opened it. */
  readonly opened: RequestFacts;
  readonly answerHeaders: RawHeaders;
  readonly maxBytes: number;
}

/**
 * Reads a copy of both directions of a WebSocket (RFC 6455), with permessage-deflate (RFC 7692). Every message is counted;
 * what the client sends is offered as an exchange of its own with the head of the request that opened the socket, and
 * recorded when a decoder knows it as telemetry.
 */
export class WebSocketReader {
  readonly #parts: WsParts;
  readonly #client: WsFrameReader;
  readonly #server: WsFrameReader;
  readonly #inflate: MessageInflater | undefined;
  readonly #headers: RawHeaders;
  #pieces: Buffer[] = [];
  #bytes = 0;
  #isCompressed = false;
  #isCut = false;

  constructor(parts: WsParts) {
    this.#parts = parts;
    // The coding of the request that opened it says nothing of the messages.
    this.#headers = parts.opened.headers.filter(([name]) => !/^content-(?:encoding|type|length)$/i.test(name));
    const extension = headerOf(parts.answerHeaders, "sec-websocket-extensions") ?? "";
    const isDeflated = /(?:^|,)\s*permessage-deflate\b/i.test(extension);
    const keepsWindow = !/\bclient_no_context_takeover\b/i.test(extension);
    this.#inflate = isDeflated ? new MessageInflater(keepsWindow, parts.maxBytes) : undefined;
    const { recorder, origin } = parts;
    const lost = (): void => recorder.opaque(origin, "what a WebSocket carries cannot be read");
    // Of what the server sends nothing is recorded.
    const lostCount = (): void => {
      recorder.counts.opaque += 1;
    };
    this.#client = new WsFrameReader(parts.maxBytes, (frame) => this.#takeClient(frame), lost);
    this.#server = new WsFrameReader(0, (frame) => this.#count(frame), lostCount);
  }

  request(chunk: Buffer): void {
    this.#client.push(chunk);
  }

  answer(chunk: Buffer): void {
    this.#server.push(chunk);
  }

  #count({ opcode, isFinal }: WsFrame): void {
    if (isFinal && opcode <= OPCODE.binary) this.#parts.recorder.counts.messages += 1;
  }

  #takeClient(frame: WsFrame): void {
    this.#count(frame);
    if (frame.opcode > OPCODE.binary) return; // control frames, which may stand between the parts of a message
    if (frame.opcode !== OPCODE.continuation) this.#beginMessage(frame);
    this.#isCut ||= frame.isCut || this.#bytes + frame.payload.length > this.#parts.maxBytes;
    if (!this.#isCut) this.#pieces.push(frame.payload);
    this.#bytes += frame.payload.length;
    if (frame.isFinal) this.#endMessage();
  }

  #beginMessage({ isCompressed }: WsFrame): void {
    this.#pieces = [];
    this.#bytes = 0;
    this.#isCut = false;
    this.#isCompressed = isCompressed;
  }

  #endMessage(): void {
    const raw = this.#pieces.length === 1 ? (this.#pieces[0] ?? Buffer.alloc(0)) : Buffer.concat(this.#pieces);
    this.#pieces = [];
    if (this.#isCut) this.#inflate?.lose();
    const body = this.#isCompressed && !this.#isCut ? this.#inflate?.inflate(raw) : raw;
    const { recorder, origin, opened } = this.#parts;
    const facts = { method: opened.method, target: opened.target, headers: this.#headers };
    recorder.message(origin, facts, { body: body ?? Buffer.alloc(0), truncated: this.#isCut || body === undefined });
  }
}

/** Inflates messages one by one; the last 32 KB stand in for the window that zlib would have kept. */
class MessageInflater {
  readonly #keepsWindow: boolean;
  readonly #maxBytes: number;
  #window: Buffer = Buffer.alloc(0);
  #isLost = false;

  constructor(keepsWindow: boolean, maxBytes: number) {
    this.#keepsWindow = keepsWindow;
    this.#maxBytes = maxBytes;
  }

  /** A message went by unseen: what refers to it cannot be read any more. */
  lose(): void {
    this.#isLost = this.#keepsWindow;
  }

  /** Undefined when it cannot be inflated, within the cap or at all. */
  inflate(raw: Buffer): Buffer | undefined {
    if (this.#isLost) return undefined;
    try {
      const body = inflateRawSync(Buffer.concat([raw, FLUSH]), {
        finishFlush: constants.Z_SYNC_FLUSH,
        maxOutputLength: this.#maxBytes,
        ...(this.#window.length === 0 ? {} : { dictionary: this.#window }),
      });
      if (this.#keepsWindow) this.#window = Buffer.concat([this.#window, body]).subarray(-WINDOW_BYTES);
      return body;
    } catch {
      this.lose();
      return undefined;
    }
  }
}
