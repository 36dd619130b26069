import { clearEscaped, colon, isEscaped, setOdd, space, text, value } from "./json";
import { AT, HOST, PATH, SEQ } from "./record";

/** Reads a value and notes where it stands; a repeated key notes its last value. */
export function noted(from: usize, slot: usize): usize {
  clearEscaped();
  const p = value(from, 1);
  if (isEscaped) setOdd();
  store<u32>(slot, from as u32);
  store<u32>(slot, p as u32, 4);
  return p;
}

/** The value of `$capture`: notes what a reader needs of it. Anything but a plain record of an event is odd. */
export function meta(from: usize, out: usize): usize {
  store<u64>(out + SEQ, 0);
  store<u64>(out + AT, 0);
  store<u64>(out + HOST, 0);
  store<u64>(out + PATH, 0);
  if (load<u8>(from) !== 123) return value(from, 1);
  let p = space(from + 1);
  if (load<u8>(p) === 125) return p + 1;
  while (true) {
    if (load<u8>(p) !== 34) return 0;
    const key = p + 1;
    clearEscaped();
    p = text(key);
    if (p === 0) return 0;
    if (isEscaped) setOdd();
    const length = p - 1 - key;
    p = colon(p);
    if (p === 0) return 0;
    p = metaValue(p, out, key, length);
    if (p === 0) return 0;
    p = space(p);
    const c = load<u8>(p++);
    if (c === 125) return p;
    if (c !== 44) return 0;
    p = space(p);
  }
}

function metaValue(p: usize, out: usize, key: usize, length: usize): usize {
  const head = load<u32>(key);
  if (length === 3 && (head & 0xffffff) === 0x716573) return noted(p, out + SEQ); // seq
  if (length === 2 && (head & 0xffff) === 0x7461) return noted(p, out + AT); // at
  if (length === 4 && head === 0x74736f68) return noted(p, out + HOST); // host
  if (length === 4 && head === 0x68746170) return noted(p, out + PATH); // path
  if (length === 5 && head === 0x72746572) setOdd(); // retry
  if (length === 7 && head === 0x746e6f63) setOdd(); // control
  if (length === 9 && (head === 0x65646e75 || head === 0x6e757274 || head === 0x72705f5f)) setOdd(); // undecoded, truncated, __proto__
  return value(p, 2);
}
