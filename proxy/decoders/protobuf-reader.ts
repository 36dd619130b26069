/** Wire types (protobuf.dev, "Encoding"). */
export const VARINT = 0;
export const I64 = 1;
export const LENGTH = 2;
export const I32 = 5;

const MAX_SAFE = BigInt(Number.MAX_SAFE_INTEGER);

/** Strings that are kept, by their hash, and how long they may be. */
const KEPT_STRINGS = 2048;
const MAX_KEPT_LENGTH = 40;
const KEPT: (string | undefined)[] = new Array<string | undefined>(KEPT_STRINGS).fill(undefined);

function isAt(text: string, buffer: Buffer, at: number): boolean {
  for (let index = 0; index < text.length; index++) if (text.charCodeAt(index) !== buffer[at + index]) return false;
  return true;
}

/** A place in a message's bytes. Whatever it reads beyond their end throws `RangeError`. */
export class Reader {
  readonly buffer: Buffer;
  /** Fields that have a brief form are read in it. */
  readonly isBrief: boolean;
  at = 0;
  /** Wire type of the field whose tag was read last. */
  wire = VARINT;
  /** How many messages lie around this place. */
  depth = 0;

  constructor(buffer: Buffer, isBrief: boolean) {
    this.buffer = buffer;
    this.isBrief = isBrief;
  }

  /** Passes over one byte when it is this one and stands before `end`. */
  passes(byte: number, end: number): boolean {
    if (this.at >= end || this.buffer[this.at] !== byte) return false;
    this.at++;
    return true;
  }

  /** A varint that fits 35 bits: tags and lengths. */
  small(): number {
    const first = this.#byte();
    if (first < 0x80) return first;
    let value = first & 0x7f;
    for (let shift = 7; shift < 35; shift += 7) {
      const byte = this.#byte();
      value += (byte & 0x7f) * 2 ** shift;
      if (byte < 0x80) return value;
    }
    throw new RangeError("protobuf tag or length of more than five bytes");
  }

  /** Any varint; a bigint beyond 2^53 only. */
  varint(): number | bigint {
    let low = 0;
    let shift = 0;
    for (; shift < 28; shift += 7) {
      const byte = this.#byte();
      low |= (byte & 0x7f) << shift;
      if (byte < 0x80) return low;
    }
    // seven bytes are 49 bits, which a number holds exactly
    for (; shift < 49; shift += 7) {
      const byte = this.#byte();
      low += (byte & 0x7f) * 2 ** shift;
      if (byte < 0x80) return low;
    }
    return this.#longVarint(low);
  }

  /** What stands behind the seven bytes of a varint. */
  #longVarint(low: number): number | bigint {
    let value = BigInt(low);
    for (let shift = 49; shift < 70; shift += 7) {
      const byte = this.#byte();
      value |= BigInt(byte & 0x7f) << BigInt(shift);
      if (byte >= 0x80) continue;
      const whole = BigInt.asUintN(64, value);
      return whole > MAX_SAFE ? whole : Number(whole);
    }
    throw new RangeError("protobuf varint of more than ten bytes");
  }

  /** Reads a length and says where what it measures ends. */
  lengthAhead(): number {
    const length = this.small();
    if (this.at + length > this.buffer.length) throw new RangeError("protobuf ends inside a field");
    return this.at + length;
  }

  /** The same where bytes have to stand; `RangeError` where the wire type says something else. */
  bytesAhead(): number {
    if (this.wire !== LENGTH) throw new RangeError(`protobuf wire type ${this.wire} where bytes belong`);
    return this.lengthAhead();
  }

  /** UTF-8. The same few keys and values come over and over; short ones are kept, which costs less than to make them anew. */
  string(end: number): string {
    const { buffer, at } = this;
    const length = end - at;
    if (length === 0 || length > MAX_KEPT_LENGTH) return this.text(end, "utf8");
    let hash = length;
    for (let index = at; index < end; index++) {
      const byte = buffer[index] ?? 0;
      if (byte >= 0x80) return this.text(end, "utf8");
      hash = (hash * 31 + byte) | 0;
    }
    const slot = (hash ^ (hash >>> 15)) & (KEPT_STRINGS - 1);
    const known = KEPT[slot];
    if (known !== undefined && known.length === length && isAt(known, buffer, at)) {
      this.at = end;
      return known;
    }
    const made = this.text(end, "latin1");
    KEPT[slot] = made;
    return made;
  }

  /** An unsigned 64-bit integer as decimal text, exact: in two parts of at most ten digits, without a bigint. */
  fixed64(): string {
    const at = this.take(8);
    const [low, high] = [this.buffer.readUInt32LE(at), this.buffer.readUInt32LE(at + 4)];
    // 2^32 and 2^48 modulo 10^9 are 294967296 and 976710656; each product stays below 2^53
    const rest = ((high >>> 16) * 976_710_656 + (high & 0xffff) * 294_967_296 + low) % 1e9;
    const billions = Math.round((high * 4_294_967_296 + low - rest) / 1e9);
    return billions === 0 ? String(rest) : `${billions}${String(rest).padStart(9, "0")}`;
  }

  text(end: number, encoding: "utf8" | "latin1" | "hex" | "base64"): string {
    const text = this.buffer.toString(encoding, this.at, end);
    this.at = end;
    return text;
  }

  /** Passes over bytes and says where they began. */
  take(length: number): number {
    const begin = this.at;
    this.at += length;
    if (this.at > this.buffer.length) throw new RangeError("protobuf ends inside a field");
    return begin;
  }

  /** Passes over the value of a field whose tag was read. */
  skip(): void {
    const { wire } = this;
    if (wire === VARINT) this.varint();
    else if (wire === I64) this.take(8);
    else if (wire === LENGTH) this.at = this.lengthAhead();
    else if (wire === I32) this.take(4);
    else throw new RangeError(`protobuf wire type ${wire}`);
  }

  #byte(): number {
    const byte = this.buffer[this.at++];
    if (byte === undefined) throw new RangeError("protobuf ends inside a field");
    return byte;
  }
}
