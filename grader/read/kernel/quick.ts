// Finds name, time and `$capture` of an event in a line that is taken for readable, without reading the rest of it. For every
// line that is one JSON object it finds what `line` finds, or leaves the line to it: it reads the first two members, looks
// in the other bytes for a key of theirs (such a key stands behind a comma), for `$capture` at the end of the line, and for
// escapes that could spell one of these.

import { meta, noted } from "./capture";
import { clearEscaped, colon, isEscaped, space, text, value } from "./json";
import { same } from "./names";
import { NAME, TIME } from "./record";

let nameKey: usize = 0;
let nameLength: usize = 0;
let timeKey: usize = 0;
let timeLength: usize = 0;
/** The last byte of each key, and the one before it, sixteen times. */
let name1: v128 = i8x16.splat(0);
let name2: v128 = i8x16.splat(0);
let time1: v128 = i8x16.splat(0);
let time2: v128 = i8x16.splat(0);
/** Both keys end with the same two bytes, as `name` and `time` do: then one look finds either. */
let isAlike: bool = false;

const MEMBERS_READ = 2;

/** Keys of fewer than two bytes are not looked for: then every line is read. */
export function setKeys(name: usize, nameBytes: usize, time: usize, timeBytes: usize): void {
  nameKey = name;
  nameLength = nameBytes;
  timeKey = time;
  timeLength = timeBytes;
  name2 = i8x16.splat(load<i8>(name + nameBytes - 2));
  name1 = i8x16.splat(load<i8>(name + nameBytes - 1));
  time2 = i8x16.splat(load<i8>(time + timeBytes - 2));
  time1 = i8x16.splat(load<i8>(time + timeBytes - 1));
  isAlike = nameBytes > 1 && timeBytes > 1 && load<u16>(name + nameBytes - 2) === load<u16>(time + timeBytes - 2);
}

/** Returns the address of the line's LF, or 0 when the line has to be read. */
export function quickLine(start: usize, out: usize): usize {
  if (load<u8>(start) !== 123 || nameLength < 2 || timeLength < 2) return 0;
  const p = head(start + 1, out);
  return p === 0 ? 0 : body(p, out);
}

/** The first members; returns the address of the comma behind them, 0 when there are not that many. */
function head(from: usize, out: usize): usize {
  let p = from;
  for (let read = 0; read < MEMBERS_READ; read++) {
    p = member(space(p), out);
    if (p === 0) return 0;
    p = space(p);
    if (load<u8>(p++) !== 44) return 0;
  }
  return p - 1;
}

function member(quote: usize, out: usize): usize {
  if (load<u8>(quote) !== 34) return 0;
  const key = quote + 1;
  clearEscaped();
  let p = text(key);
  if (p === 0 || isEscaped) return 0;
  const length = p - 1 - key;
  if (load<u8>(key) === 36 || (length === 9 && load<u32>(key) === 0x72705f5f)) return 0; // $capture, __proto__
  p = colon(p);
  if (p === 0) return 0;
  if (length === nameLength && same(key, nameKey, length)) return noted(p, out + NAME);
  if (length === timeLength && same(key, timeKey, length)) return noted(p, out + TIME);
  return value(p, 1);
}

/** The rest of the line: stops at the bytes that could be the end of a key looked for, an escape, `$` or the line's end. */
function body(from: usize, out: usize): usize {
  const areAlike = isAlike;
  const last = name1;
  const before = name2;
  let p = from;
  while (true) {
    let mask: u32;
    if (areAlike) mask = marksAlike(p, last, before) | (marksAlike(p + 16, last, before) << 16);
    else mask = marks(p) | (marks(p + 16) << 16);
    while (mask !== 0) {
      const at = p + ctz(mask);
      const c: u32 = load<u8>(at);
      if (c === 10) return closes(at) ? at : 0;
      if (c === 36 && isCapture(at)) return capture(at, out);
      if (c === 92 ? couldSpell(at) : isKeyAt(at)) return 0;
      mask &= mask - 1;
    }
    p += 32;
  }
}

/** A bit for each of sixteen bytes to stop at. */
function marks(p: usize): u32 {
  const bytes = v128.load(p);
  const before = v128.load(p - 1);
  const isName = v128.and(i8x16.eq(bytes, name1), i8x16.eq(before, name2));
  const isTime = v128.and(i8x16.eq(bytes, time1), i8x16.eq(before, time2));
  return marked(p, bytes, v128.or(isName, isTime));
}

/** As `marks`, for keys that end alike. */
function marksAlike(p: usize, last: v128, beforeLast: v128): u32 {
  const bytes = v128.load(p);
  const isKey = v128.and(i8x16.eq(bytes, last), i8x16.eq(v128.load(p - 1), beforeLast));
  return marked(p, bytes, isKey);
}

/** Ends of keys, of which `__proto__` is one, stand before a quote. */
function marked(p: usize, bytes: v128, isKey: v128): u32 {
  const isLast = v128.or(isKey, i8x16.eq(bytes, i8x16.splat(95)));
  const isEnd = v128.and(isLast, i8x16.eq(v128.load(p, 1), i8x16.splat(34)));
  const isSign = v128.or(i8x16.eq(bytes, i8x16.splat(36)), i8x16.eq(bytes, i8x16.splat(92)));
  return i8x16.bitmask(v128.or(isEnd, v128.or(isSign, i8x16.eq(bytes, i8x16.splat(10)))));
}

function isCapture(at: usize): bool {
  return load<u32>(at) === 0x70616324 && load<u32>(at, 4) === 0x65727574 && load<u8>(at, 8) === 34;
}

/** The line ends with a brace, and white space that JSON allows. */
function closes(lf: usize): bool {
  let p = lf - 1;
  while (load<u8>(p) === 13 || load<u8>(p) === 32 || load<u8>(p) === 9) p--;
  return load<u8>(p) === 125;
}

/** A `\u00..` that spells a letter, a digit, `_`, `-` or `$`: nothing else stands in the keys looked for. */
function couldSpell(at: usize): bool {
  if (load<u16>(at) !== 0x755c) return false; // \u
  if (load<u16>(at, 2) !== 0x3030) return false;
  const high: u32 = load<u8>(at, 4);
  const low: u32 = load<u8>(at, 5);
  if (high === 50) return low === 52 || (low | 32) === 100; // $ and -
  if (high === 51) return low <= 57; // digits
  return high >= 52 && high <= 55;
}

/** The name's or time's key ends here and stands behind a comma; or `__proto__` does, behind whatever. */
function isKeyAt(last: usize): bool {
  if (load<u8>(last) === 95 && load<u32>(last - 8) === 0x72705f5f && load<u32>(last - 4) === 0x5f6f746f) return true;
  return isKeyFrom(last + 1 - nameLength, nameKey, nameLength) || isKeyFrom(last + 1 - timeLength, timeKey, timeLength);
}

function isKeyFrom(from: usize, key: usize, length: usize): bool {
  if (load<u8>(from - 1) !== 34 || !same(from, key, length)) return false;
  let p = from - 2;
  while (load<u8>(p) === 13 || load<u8>(p) === 32 || load<u8>(p) === 9) p--;
  return load<u8>(p) === 44;
}

/** `$capture` as the last member of the line; anything else is for `line`. */
function capture(at: usize, out: usize): usize {
  if (load<u8>(at - 1) !== 34) return 0;
  let before = at - 2;
  while (load<u8>(before) === 13 || load<u8>(before) === 32 || load<u8>(before) === 9) before--;
  if (load<u8>(before) !== 44) return 0;
  let p = colon(at + 9);
  if (p === 0) return 0;
  p = meta(p, out);
  if (p === 0) return 0;
  p = space(p);
  if (load<u8>(p) !== 125) return 0;
  p = space(p + 1);
  return load<u8>(p) === 10 ? p : 0;
}
