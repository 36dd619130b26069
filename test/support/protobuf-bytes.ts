/** Writes protobuf as protobuf.dev, "Encoding" has it: for tests of what reads it. */

/** A varint of up to 64 bits; a negative one is written as its two's complement. */
export function varint(value: number | bigint): Buffer {
  let rest = BigInt.asUintN(64, BigInt(value));
  const bytes: number[] = [];
  for (; rest > 0x7fn; rest >>= 7n) bytes.push(Number(rest & 0x7fn) | 0x80);
  return Buffer.from([...bytes, Number(rest)]);
}

/** A field with a varint. */
export function whole(field: number, value: number | bigint): Buffer {
  return Buffer.concat([varint(field << 3), varint(value)]);
}

/** A field with bytes: text in UTF-8, or a message. */
export function bytes(field: number, value: string | Buffer): Buffer {
  const held = Buffer.from(value);
  return Buffer.concat([varint((field << 3) | 2), varint(held.length), held]);
}

/** A field with a double. */
export function double(field: number, value: number): Buffer {
  const held = Buffer.alloc(8);
  held.writeDoubleLE(value);
  return Buffer.concat([varint((field << 3) | 1), held]);
}

/** A field with an unsigned integer of 64 bits. */
export function fixed64(field: number, value: bigint): Buffer {
  const held = Buffer.alloc(8);
  held.writeBigUInt64LE(value);
  return Buffer.concat([varint((field << 3) | 1), held]);
}
