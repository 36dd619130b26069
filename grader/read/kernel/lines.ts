// AssemblyScript, compiled to WebAssembly by cli/assets.mjs: reads whole lines of a log without making a single object.
//
// For every line it decides whether the line is one JSON object by RFC 8259, and where in it stand the few values that
// the reader needs. What it cannot vouch for (another value, a fault, deep nesting, an escape where it matters) it hands
// out as LOOK, and JavaScript reads that line. It checks no UTF-8 (the caller does, a block at a time) and no lengths.
//
// The caller keeps 64 readable bytes behind the last line, which ends with LF. Positions are addresses in the memory.

/** Nesting the kernel follows; deeper lines are for JavaScript, which draws the true limit. */
const DEEPEST: u32 = 200;

/** Digits in a row that JavaScript has to judge (MOST_DIGITS of json.ts). */
const MOST_DIGITS: usize = 4000;

/** One record per line, of RECORD bytes: u32 each, in this order; a value that is absent has end 0. */
const RECORD: usize = 64;
const START: usize = 0;
const END: usize = 4;
const KIND: usize = 8;
const NAME_ID: usize = 12;
const NAME: usize = 16;
const TIME: usize = 24;
const SEQ: usize = 32;
const AT: usize = 40;
const HOST: usize = 48;
const PATH: usize = 56;

const BLANK: u32 = 0;
const EVENT: u32 = 1;
const LOOK: u32 = 2;

/** Ids of names: 0 is a name not entered yet, 1 stands for events without a name. */
const UNKNOWN: u32 = 0;
const NAMELESS: u32 = 1;

/** Where the next call of `scan` has to begin. */
export let next: usize = 0;

let nameKey: usize = 0;
let nameKeyLength: usize = 0;
let timeKey: usize = 0;
let timeKeyLength: usize = 0;
let buckets: usize = 0;
let bucketMask: u32 = 0;

/** A string that was just read held a backslash. */
let isEscaped: bool = false;
/** The line holds something only JavaScript can judge, although it is valid. */
let isOdd: bool = false;

/** The keys of an event's name and time; the table of names: `size` buckets (a power of two) of 16 bytes, all zero. */
export function configure(name: usize, nameLength: usize, time: usize, timeLength: usize): void {
  nameKey = name;
  nameKeyLength = nameLength;
  timeKey = time;
  timeKeyLength = timeLength;
}

export function useTable(table: usize, size: u32): void {
  buckets = table;
  bucketMask = size - 1;
}

/** Enters a name, whose bytes stay where they are, under an id. The caller leaves buckets free. */
export function enter(at: usize, length: usize, id: u32): void {
  const hash = hashOf(at, length);
  let bucket = hash & bucketMask;
  while (load<u32>(buckets + ((bucket as usize) << 4), 12) !== 0) bucket = (bucket + 1) & bucketMask;
  const entry = buckets + ((bucket as usize) << 4);
  store<u32>(entry, hash);
  store<u32>(entry, at as u32, 4);
  store<u32>(entry, length as u32, 8);
  store<u32>(entry, id, 12);
}

function hashOf(at: usize, length: usize): u32 {
  let hash: u32 = 2166136261 ^ (length as u32);
  for (let i: usize = 0; i < length; i++) hash = (hash ^ load<u8>(at + i)) * 16777619;
  return hash ^ (hash >> 15);
}

function idOf(at: usize, length: usize): u32 {
  const hash = hashOf(at, length);
  let bucket = hash & bucketMask;
  while (true) {
    const entry = buckets + ((bucket as usize) << 4);
    const id = load<u32>(entry, 12);
    if (id === 0) return UNKNOWN;
    const isAlike = load<u32>(entry) === hash && load<u32>(entry, 8) === (length as u32);
    if (isAlike && same(at, load<u32>(entry, 4), length)) return id;
    bucket = (bucket + 1) & bucketMask;
  }
}

function same(a: usize, b: usize, length: usize): bool {
  for (let i: usize = 0; i < length; i++) if (load<u8>(a + i) !== load<u8>(b + i)) return false;
  return true;
}

/**
 * Reads lines from `from` up to `end` (the byte behind an LF) and writes a record for each at `out`, at most `most`.
 * Returns how many; `next` is where it stopped.
 */
export function scan(from: usize, end: usize, out: usize, most: u32): u32 {
  let p = from;
  let count: u32 = 0;
  for (; count < most && p < end; count++, out += RECORD) {
    store<u32>(out + START, p as u32);
    p = line(p, out);
    store<u32>(out + END, p as u32);
    p++;
  }
  next = p;
  return count;
}

/** Reads one line and returns the address of its LF. */
function line(start: usize, out: usize): usize {
  v128.store(out + KIND, i32x4.splat(0));
  v128.store(out + KIND + 16, i32x4.splat(0));
  v128.store(out + KIND + 32, i32x4.splat(0));
  store<u64>(out + PATH, 0);
  isOdd = false;
  let p = space(start);
  if (load<u8>(p) === 10) {
    store<u32>(out + KIND, BLANK);
    return p;
  }
  if (load<u8>(p) === 123) {
    p = event(p + 1, out);
    if (p !== 0) {
      p = space(p);
      if (load<u8>(p) === 10 && !isOdd) {
        nameLine(out);
        return p;
      }
    }
  }
  store<u32>(out + KIND, LOOK);
  return lineEnd(start);
}

function nameLine(out: usize): void {
  const start = load<u32>(out + NAME);
  const end = load<u32>(out + NAME, 4);
  store<u32>(out + KIND, EVENT);
  const isText = end !== 0 && load<u8>(start) === 34;
  store<u32>(out + NAME_ID, isText ? idOf(start + 1, end - start - 2) : NAMELESS);
}

function lineEnd(from: usize): usize {
  const lf = i8x16.splat(10);
  let p = from;
  while (true) {
    const mask: u32 = i8x16.bitmask(i8x16.eq(v128.load(p), lf));
    if (mask !== 0) return p + ctz(mask);
    p += 16;
  }
}

/** The members of an event, behind its brace; returns the address behind it, or 0 when it is no JSON object. */
function event(from: usize, out: usize): usize {
  let p = space(from);
  if (load<u8>(p) === 125) return p + 1;
  while (true) {
    if (load<u8>(p) !== 34) return 0;
    const key = p + 1;
    isEscaped = false;
    p = text(key);
    if (p === 0) return 0;
    if (isEscaped) isOdd = true;
    const length = p - 1 - key;
    p = colon(p);
    if (p === 0) return 0;
    p = eventValue(p, out, key, length);
    if (p === 0) return 0;
    p = space(p);
    const c = load<u8>(p++);
    if (c === 125) return p;
    if (c !== 44) return 0;
    p = space(p);
  }
}

function eventValue(p: usize, out: usize, key: usize, length: usize): usize {
  if (length === nameKeyLength && same(key, nameKey, length)) return noted(p, out + NAME);
  if (length === timeKeyLength && same(key, timeKey, length)) return noted(p, out + TIME);
  if (length === 8 && load<u32>(key) === 0x70616324 && load<u32>(key, 4) === 0x65727574) return meta(p, out); // $capture
  // An object of JavaScript can take a member of this name for its prototype.
  if (length === 9 && load<u32>(key) === 0x72705f5f) isOdd = true; // __pr
  return load<u8>(p) === 34 ? text(p + 1) : value(p, 1);
}

/** Reads a value and notes where it stands; a repeated key notes its last value. */
function noted(from: usize, slot: usize): usize {
  isEscaped = false;
  const p = value(from, 1);
  if (isEscaped) isOdd = true;
  store<u32>(slot, from as u32);
  store<u32>(slot, p as u32, 4);
  return p;
}

/** The value of `$capture`: notes what a reader needs of it. Anything but a plain record of an event is odd. */
function meta(from: usize, out: usize): usize {
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
    isEscaped = false;
    p = text(key);
    if (p === 0) return 0;
    if (isEscaped) isOdd = true;
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
  if (length === 5 && head === 0x72746572) isOdd = true; // retry
  if (length === 7 && head === 0x746e6f63) isOdd = true; // control
  if (length === 9 && (head === 0x65646e75 || head === 0x6e757274 || head === 0x72705f5f)) isOdd = true; // undecoded, truncated, __proto__
  return value(p, 2);
}

function space(from: usize): usize {
  let p = from;
  while (true) {
    const c = load<u8>(p);
    if (c > 32 || (c !== 32 && c !== 9 && c !== 13)) return p;
    p++;
  }
}

function colon(from: usize): usize {
  let p = from;
  if (load<u8>(p) !== 58) {
    p = space(p);
    if (load<u8>(p) !== 58) return 0;
  }
  return space(p + 1);
}

/** Any value of the JSON grammar; returns the address behind it, or 0. `depth`: how many lists and objects it stands in. */
function value(p: usize, depth: u32): usize {
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
function text(from: usize): usize {
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
