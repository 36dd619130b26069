import type { RawHeaders } from "../record/exchange.ts";
import { STATIC_TABLE } from "./hpack-table.ts";
import type { Parsed } from "./http1-head.ts";
import { decodeHuffman } from "./huffman.ts";

/** Bytes that a header counts beside its name and value (RFC 7541 section 4.1). */
const ENTRY_OVERHEAD = 32;
const DEFAULT_TABLE_BYTES = 4096;
/** A table larger than this, or a list of headers, is more than any peer asks for; it would only fill our memory. */
const MAX_TABLE_BYTES = 1 << 20;
const MAX_LIST_BYTES = 1 << 20;
const MAX_INTEGER_BYTES = 5;

type Field = RawHeaders[number];

/**
 * Decodes the header blocks of one direction of an HTTP/2 connection (RFC 7541), in the order in which they stand in it.
 * It follows whatever table size the encoder announces, up to 1 MiB, since it is only a reader of a copy: that the size
 * stays within the peer's SETTINGS is the peer's to check. After a block that cannot be read no other can be.
 */
export class HpackDecoder {
  /** Newest last. */
  readonly #table: Field[] = [];
  #tableBytes = 0;
  #maxTableBytes = DEFAULT_TABLE_BYTES;

  /** The headers of a whole block, pseudo-headers among them. Never throws. */
  decode(block: Buffer): Parsed<RawHeaders> {
    try {
      return { ok: true, value: this.#readBlock(new Cursor(block)) };
    } catch (error) {
      if (error instanceof RangeError) return { ok: false, why: `a header block cannot be read: ${error.message}` };
      throw error;
    }
  }

  #readBlock(cursor: Cursor): RawHeaders {
    const headers: Field[] = [];
    let bytes = 0;
    while (!cursor.isAtEnd) {
      const field = this.#readField(cursor);
      if (field === undefined) continue;
      bytes += sizeOf(field);
      if (bytes > MAX_LIST_BYTES) throw new RangeError(`more than ${MAX_LIST_BYTES} bytes of headers`);
      headers.push(field);
    }
    return headers;
  }

  /** One representation (section 6); undefined for an update of the table's size. */
  #readField(cursor: Cursor): Field | undefined {
    const first = cursor.peek();
    if (first >= 0x80) return this.#entry(cursor.integer(7));
    if (first >= 0x40) return this.#remember(this.#readLiteral(cursor, 6));
    if (first < 0x20) return this.#readLiteral(cursor, 4);
    this.#resize(cursor.integer(5));
    return undefined;
  }

  #readLiteral(cursor: Cursor, prefixBits: number): Field {
    const index = cursor.integer(prefixBits);
    const name = index === 0 ? cursor.string() : this.#entry(index)[0];
    return [name, cursor.string()];
  }

  #entry(index: number): Field {
    const field = index <= STATIC_TABLE.length ? STATIC_TABLE[index - 1] : this.#table.at(STATIC_TABLE.length - index);
    if (field === undefined || index - STATIC_TABLE.length > this.#table.length) {
      throw new RangeError(`no header has the index ${index}`);
    }
    return field;
  }

  #remember(field: Field): Field {
    this.#table.push(field);
    this.#tableBytes += sizeOf(field);
    this.#evict();
    return field;
  }

  #resize(bytes: number): void {
    if (bytes > MAX_TABLE_BYTES) throw new RangeError(`a header table of ${bytes} bytes`);
    this.#maxTableBytes = bytes;
    this.#evict();
  }

  #evict(): void {
    let eldest = 0;
    while (this.#tableBytes > this.#maxTableBytes) {
      const field = this.#table[eldest];
      if (field === undefined) break;
      this.#tableBytes -= sizeOf(field);
      eldest += 1;
    }
    if (eldest > 0) this.#table.splice(0, eldest);
  }
}

function sizeOf([name, value]: Field): number {
  return name.length + value.length + ENTRY_OVERHEAD;
}

/** Reads integers and strings (section 5) off a block. */
class Cursor {
  readonly #bytes: Buffer;
  #at = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  get isAtEnd(): boolean {
    return this.#at >= this.#bytes.length;
  }

  peek(): number {
    const byte = this.#bytes[this.#at];
    if (byte === undefined) throw new RangeError("it ends within a header");
    return byte;
  }

  integer(prefixBits: number): number {
    const mask = (1 << prefixBits) - 1;
    let value = this.#next() & mask;
    if (value < mask) return value;
    for (let index = 0; index < MAX_INTEGER_BYTES; index += 1) {
      const byte = this.#next();
      value += (byte & 0x7f) * 2 ** (7 * index);
      if (byte < 0x80) return value;
    }
    throw new RangeError("an integer without end");
  }

  string(): string {
    const isHuffman = this.peek() >= 0x80;
    const length = this.integer(7);
    const end = this.#at + length;
    if (end > this.#bytes.length) throw new RangeError("it ends within a string");
    const bytes = this.#bytes.subarray(this.#at, end);
    this.#at = end;
    return isHuffman ? decodeHuffman(bytes) : bytes.toString("latin1");
  }

  #next(): number {
    const byte = this.peek();
    this.#at += 1;
    return byte;
  }
}
