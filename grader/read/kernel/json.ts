// The grammar of RFC 8259, over bytes: each function takes an address and returns the one behind what it read, 0 for a fault.

/** Nesting the kernel follows; deeper lines are for JavaScript, which draws the true limit. */
const DEEPEST: u32 = 200;

/** Digits in a row that JavaScript has to judge (MOST_DIGITS of json.ts). */
const MOST_DIGITS: usize = 4000;

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
  while (true) {
    if (load<u8>(p) !== 34) return 0;
    p = text(p + 1);
    if (p === 0) return 0;
    p = colon(p);
    if (p === 0) return 0;
    p = load<u8>(p) === 34 ? text(p + 1) : value(p, depth);
    if (p === 0) return 0;
    p = space(p);
    const c = load<u8>(p++);
    if (c === 125) return p;
    if (c !== 44) return 0;
    p = space(p);
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
  const p = plain(from);
  return load<u8>(p) === 34 ? p + 1 : escapedText(p);
}

/** The first quote, backslash or control character. */
function plain(from: usize): usize {
  const quote = i8x16.splat(34);
  const backslash = i8x16.splat(92);
  const control = i8x16.splat(31);
  let p = from;
  while (true) {
    const bytes = v128.load(p);
    const special = v128.or(
      v128.or(i8x16.eq(bytes, quote), i8x16.eq(bytes, backslash)),
      i8x16.eq(v128.min<u8>(bytes, control), bytes),
    );
    const mask: u32 = i8x16.bitmask(special);
    if (mask !== 0) return p + ctz(mask);
    p += 16;
  }
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

function escapeEnd(p: usize): usize {
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

function number(from: usize): usize {
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

/** One digit or more. */
function digits(from: usize): usize {
  let p = from;
  while ((load<u8>(p) as u32) - 48 < 10) p++;
  if (p - from > MOST_DIGITS) isOdd = true;
  return p === from ? 0 : p;
}
