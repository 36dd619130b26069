// AssemblyScript, compiled to WebAssembly by cli/assets.mjs: reads whole lines of a log without making a single object.
//
// For every line it decides whether the line is one JSON object by RFC 8259, and where in it stand the few values that
// the reader needs. What it cannot vouch for (another value, a fault, deep nesting, an escape where it matters) it hands
// out as LOOK, and JavaScript reads that line. It checks no UTF-8 (the caller does, a block at a time) and no lengths.
//
// The caller keeps 64 readable bytes behind the last line, which ends with LF. Positions are addresses in the memory.

import { meta, noted } from "./capture";
import { clearEscaped, clearOdd, colon, isEscaped, isOdd, setOdd, space, text, value } from "./json";
import { same } from "./names";
import { quickLine, setKeys } from "./quick";
import { BLANK, END, EVENT, KIND, LOOK, NAME, PATH, QUICK, RECORD, START, TIME } from "./record";

export { isAwaited } from "./awaited";
export { fold, isKnownEndpoint, nameOf, useFold } from "./fold";
export { enter, useTable } from "./names";

/** Where the next call of `scan` has to begin. */
export let next: usize = 0;

/** Lines are taken for readable where `quickLine` finds what is needed of them. */
let isQuick: bool = false;

export function setQuick(on: bool): void {
  isQuick = on;
}

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
  setKeys(name, nameLength, time, timeLength);
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
    const quickEnd: usize = isQuick ? quick(p, out) : 0;
    p = quickEnd === 0 ? line(p, out) : quickEnd;
    store<u32>(out + END, p as u32);
    p++;
  }
  next = p;
  return count;
}

function clear(out: usize): void {
  v128.store(out + KIND, i32x4.splat(0));
  v128.store(out + KIND + 16, i32x4.splat(0));
  v128.store(out + KIND + 32, i32x4.splat(0));
  store<u64>(out + PATH, 0);
  clearOdd();
}

/** As `line`, without a look at most of its bytes; 0 for a line that has to be read. */
function quick(start: usize, out: usize): usize {
  clear(out);
  const end = quickLine(start, out);
  if (end === 0 || isOdd) return 0;
  store<u32>(out + KIND, QUICK);
  return end;
}

/** Reads one line and returns the address of its LF. */
function line(start: usize, out: usize): usize {
  clear(out);
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
