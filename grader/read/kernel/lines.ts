// AssemblyScript, compiled to WebAssembly by cli/assets.mjs: reads whole lines of a log without making a single object.
//
// For every line it decides whether the line is one JSON object by RFC 8259, and where in it stand the few values that
// the reader needs. What it cannot vouch for (another value, a fault, deep nesting, an escape where it matters) it hands
// out as LOOK, and JavaScript reads that line. It checks no UTF-8 (the caller does, a block at a time) and no lengths.
//
// The caller keeps 64 readable bytes behind the last line, which ends with LF. Positions are addresses in the memory.

import { event, setEventKeys } from "./event";
import { clearOdd, isOdd, space } from "./json";
import { quickLine, setKeys } from "./quick";
import { BLANK, clearRecord, END, EVENT, KIND, LOOK, QUICK, RECORD, START } from "./record";

export { isAwaited } from "./awaited";
export { fold, isKnownEndpoint, nameOf, useFold } from "./fold";
export { enter, useTable } from "./names";
export { beginPieces, endPieces, readPieces } from "./pieces";

/** Where the next call of `scan` has to begin. */
export let next: usize = 0;

/** Lines are taken for readable where `quickLine` finds what is needed of them. */
let isQuick: bool = false;

export function setQuick(on: bool): void {
  isQuick = on;
}

/** The keys of an event's name and time. */
export function configure(name: usize, nameLength: usize, time: usize, timeLength: usize): void {
  setEventKeys(name, nameLength, time, timeLength);
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
  clearRecord(out);
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
