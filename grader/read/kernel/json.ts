// The grammar of RFC 8259, over bytes: each function takes an address and returns the one behind what it read, 0 for a fault.

/** Nesting the kernel follows; deeper lines are for JavaScript, which draws the true limit. */
export const DEEPEST: u32 = 200;

/** Digits in a row that JavaScript has to judge (MOST_DIGITS of json.ts). */
const MOST_DIGITS: usize = 4000;

/** What mostly stands between a key and its value, and between members. */
const COLON_QUOTE: u16 = 0x223a;
const COMMA_QUOTE: u16 = 0x222c;

/** A string that was just read held a backslash. */
export let isEscaped: bool = false;
/** The line holds something only JavaScript can judge, although it is valid. */
export let isOdd: bool = false;

export function clearEscaped(): void {
  isEscaped = false;
}

export function clearOdd(): void {
  isOdd = false;
}

export function setOdd(): void {
  isOdd = true;
}

export function space(from: usize): usize {
  let p = from;
  while (true) {
    const c = load<u8>(p);
    if (c > 32 || (c !== 32 && c !== 9 && c !== 13)) return p;
    p++;
  }
}

export function colon(from: usize): usize {
  let p = from;
  if (load<u8>(p) !== 58) {
    p = space(p);
    if (load<u8>(p) !== 58) return 0;
  }
  return space(p + 1);
}

/** Any value of the JSON grammar; returns the address behind it, or 0. `depth`: how many lists and objects it stands in. */
export function value(p: usize, depth: u32): usize {
  const c: u32 = load<u8>(p);
  if (c === 34) return text(p + 1);
  if (c === 123) return members(p + 1, depth + 1);
  if (c === 91) return elements(p + 1, depth + 1);
  if (c === 116) return load<u32>(p) === 0x65757274 ? p + 4 : 0;
  if (c === 110) return load<u32>(p) === 0x6c6c756e ? p + 4 : 0;
  if (c === 102) return load<u32>(p, 1) === 0x65736c61 ? p + 5 : 0;
  return number(p);
}

function members(from: usize, depth: u32): usize {
  if (depth > DEEPEST) return 0;
  let p = space(from);
  if (load<u8>(p) === 125) return p + 1;
  if (load<u8>(p++) !== 34) return 0;
  while (true) {
    p = Text.end(p);
    if (p === 0) return 0;
    if (load<u16>(p) === COLON_QUOTE) p = Text.end(p + 2);
    else {
      p = colon(p);
      if (p === 0) return 0;
      p = load<u8>(p) === 34 ? text(p + 1) : value(p, depth);
    }
    if (p === 0) return 0;
    if (load<u16>(p) === COMMA_QUOTE) {
      p += 2;
      continue;
    }
    p = space(p);
    const c = load<u8>(p++);
    if (c === 125) return p;
    if (c !== 44) return 0;
    p = space(p);
    if (load<u8>(p++) !== 34) return 0;
  }
}

function elements(from: usize, depth: u32): usize {
  if (depth > DEEPEST) return 0;
  let p = space(from);
  if (load<u8>(p) === 93) return p + 1;
  while (true) {
    p = value(p, depth);
    if (p === 0) return 0;
    p = space(p);
    const c = load<u8>(p++);
    if (c === 93) return p;
    if (c !== 44) return 0;
    p = space(p);
  }
}

/** A string, behind its opening quote. */
export function text(from: usize): usize {
  return Text.end(from);
}

/** A class because only its methods can be marked so: a call takes as long as what is called. */
// biome-ignore lint/complexity/noStaticOnlyClass: see above
class Text {
  /**
   * As `text`. Most strings end within 16 bytes, and where the next one begins hangs on where this one ends: so that is told
   * from its quote alone, and what else would end it is looked at beside that.
   */
  @inline
  static end(from: usize): usize {
    const bytes = v128.load(from);
    const quotes: u32 = i8x16.bitmask(i8x16.eq(bytes, i8x16.splat(34)));
    const isOther = v128.or(i8x16.eq(bytes, i8x16.splat(92)), i8x16.eq(v128.min<u8>(bytes, i8x16.splat(31)), bytes));
    const others: u32 = i8x16.bitmask(isOther);
    return quotes !== 0 && (others & (quotes - 1)) === 0 ? from + ctz(quotes) + 1 : longText(from);
  }
}

function longText(from: usize): usize {
  const p = plain(from);
  return load<u8>(p) === 34 ? p + 1 : escapedText(p);
}

/** The first quote, backslash or control character. */
export function plain(from: usize): usize {
  let p = from;
  while (true) {
    const mask = (specials(v128.load(p)) as u32) | ((specials(v128.load(p, 16)) as u32) << 16);
    if (mask !== 0) return p + ctz(mask);
    p += 32;
  }
}

function specials(bytes: v128): i32 {
  const isEnd = v128.or(i8x16.eq(bytes, i8x16.splat(34)), i8x16.eq(bytes, i8x16.splat(92)));
  return i8x16.bitmask(v128.or(isEnd, i8x16.eq(v128.min<u8>(bytes, i8x16.splat(31)), bytes)));
}

function escapedText(from: usize): usize {
  let p = from;
  while (true) {
    const c = load<u8>(p);
    if (c === 34) return p + 1;
    if (c !== 92) return 0;
    isEscaped = true;
    p = escapeEnd(p);
    if (p === 0) return 0;
    p = plain(p);
  }
}

/** Behind the escape that begins here, or 0. */
export function escapeEnd(p: usize): usize {
  const c = load<u8>(p, 1);
  if (c !== 117) {
    const isKnown = c === 34 || c === 92 || c === 47 || c === 110 || c === 116 || c === 114 || c === 98 || c === 102;
    return isKnown ? p + 2 : 0;
  }
  const isHex = hex(load<u8>(p, 2)) && hex(load<u8>(p, 3)) && hex(load<u8>(p, 4)) && hex(load<u8>(p, 5));
  return isHex ? p + 6 : 0;
}

function hex(c: u32): bool {
  return c - 48 < 10 || (c | 32) - 97 < 6;
}

export function number(from: usize): usize {
  let p = from;
  if (load<u8>(p) === 45) p++;
  if (load<u8>(p) === 48) p++;
  else p = digits(p);
  if (p === 0) return 0;
  if (load<u8>(p) === 46) {
    p = digits(p + 1);
    if (p === 0) return 0;
  }
  if ((load<u8>(p) | 32) !== 101) return p;
  p++;
  if (load<u8>(p) === 43 || load<u8>(p) === 45) p++;
  return digits(p);
}

/** One digit or more; mostly fewer than sixteen, whose end needs no branch. */
function digits(from: usize): usize {
  let p = from;
  let others = othersThanDigits(p);
  while (others === NO_OTHERS) {
    p += 16;
    others = othersThanDigits(p);
  }
  p += ctz(others);
  if (p - from > MOST_DIGITS) isOdd = true;
  return p === from ? 0 : p;
}

/** A bit for each of sixteen bytes that is no digit, and ones behind them. */
const NO_OTHERS: u32 = 0xffff0000;

function othersThanDigits(p: usize): u32 {
  const digits = i8x16.sub(v128.load(p), i8x16.splat(48));
  return ~i8x16.bitmask(i8x16.eq(v128.min<u8>(digits, i8x16.splat(9)), digits));
}
