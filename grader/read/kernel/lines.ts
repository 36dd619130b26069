// AssemblyScript, compiled to WebAssembly by cli/assets.mjs: reads whole lines of a log without making a single object.
//
// For every line it decides whether the line is one JSON object by RFC 8259, and where in it stand the few values that
// the reader needs. What it cannot vouch for (another value, a fault, deep nesting, an escape where it matters) it hands
// out as LOOK, and JavaScript reads that line. It checks no UTF-8 (the caller does, a block at a time) and no lengths.
//
// The caller keeps 64 readable bytes behind the last line, which ends with LF. Positions are addresses in the memory.

import { clearEscaped, clearOdd, colon, isEscaped, isOdd, setOdd, space, text, value } from "./json";
import { same } from "./names";
import { AT, BLANK, END, EVENT, HOST, KIND, LOOK, NAME, PATH, RECORD, SEQ, START, TIME } from "./record";

export { fold, isKnownEndpoint, nameOf, useFold } from "./fold";
export { enter, useTable } from "./names";

/** Where the next call of `scan` has to begin. */
export let next: usize = 0;

let nameKey: usize = 0;
let nameKeyLength: usize = 0;
let timeKey: usize = 0;
let timeKeyLength: usize = 0;

/** The keys of an event's name and time. */
export function configure(name: usize, nameLength: usize, time: usize, timeLength: usize): void {
  nameKey = name;
  nameKeyLength = nameLength;
  timeKey = time;
  timeKeyLength = timeLength;
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
  clearOdd();
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
        store<u32>(out + KIND, EVENT);
        return p;
      }
    }
  }
  store<u32>(out + KIND, LOOK);
  return lineEnd(start);
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
    clearEscaped();
    p = text(key);
    if (p === 0) return 0;
    if (isEscaped) setOdd();
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
  if (length === 9 && load<u32>(key) === 0x72705f5f) setOdd(); // __pr
  return load<u8>(p) === 34 ? text(p + 1) : value(p, 1);
}

/** Reads a value and notes where it stands; a repeated key notes its last value. */
function noted(from: usize, slot: usize): usize {
  clearEscaped();
  const p = value(from, 1);
  if (isEscaped) setOdd();
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
