// Reads one event that comes in pieces, each behind the one before it in the memory, as `line` of lines.ts reads one that is
// all there: a piece is read while it is in the processor's cache and the next one is on its way. Where a piece ends it
// waits, between two tokens or within a string. It finds nothing that `line` would not; where it gives up, `line` has to
// read the whole line.

import { eventValue, isNeeded } from "./event";
import { clearOdd, DEEPEST, escapeEnd, isOdd, number, plain, space } from "./json";
import { clearRecord, END, EVENT, KIND, START } from "./record";

/** What comes next. */
const BRACE: u32 = 0;
const VALUE: u32 = 1;
const VALUE_OR_END: u32 = 2;
const KEY: u32 = 3;
const KEY_OR_END: u32 = 4;
const COLON: u32 = 5;
const COMMA_OR_END: u32 = 6;
const REST_OF_KEY: u32 = 7;
const REST_OF_TEXT: u32 = 8;
const NOTHING: u32 = 9;
const GIVEN_UP: u32 = 10;

/** Bytes to wait for before a literal, an escape or a number is no good. */
const LITERAL: usize = 5;
const ESCAPE: usize = 2;
const UNICODE_ESCAPE: usize = 6;
const NUMBER: usize = 8192;

let next: u32 = GIVEN_UP;
/** Where it stands, and where the line begins. */
let place: usize = 0;
let lineStart: usize = 0;
/** The lists and objects it is in: how many, and the bracket of each. */
let depth: u32 = 0;
let brackets: usize = 0;
let out: usize = 0;
/** Of the event's member that is being read: where its key and its value are. */
let key: usize = 0;
let keyEnd: usize = 0;
let memberValue: usize = 0;
let isKeyEscaped: bool = false;

/** A line begins at `start`. At `stack` is room for DEEPEST bytes and one, at `record` for what is found. */
export function beginPieces(start: usize, stack: usize, record: usize): void {
  next = BRACE;
  place = start;
  lineStart = start;
  depth = 0;
  brackets = stack;
  out = record;
  clearRecord(record);
  clearOdd();
}

/** The line has come up to `end`, where an LF stands for now. */
export function readPieces(end: usize): void {
  while (next !== GIVEN_UP && step(end)) {}
}

/** The line ends at `end`; false when it has to be read as a whole. */
export function endPieces(end: usize): bool {
  readPieces(end);
  if (next !== NOTHING || place !== end || isOdd) return false;
  store<u32>(out + START, lineStart as u32);
  store<u32>(out + END, end as u32);
  store<u32>(out + KIND, EVENT);
  return true;
}

/** Reads a token; false where it has to wait. */
function step(end: usize): bool {
  if (next === REST_OF_KEY || next === REST_OF_TEXT) return restOfString(end);
  const p = space(place);
  place = p;
  if (p >= end) return false;
  const c: u32 = load<u8>(p);
  if (next === COLON) return c === 58 ? follow(VALUE, p + 1) : giveUp();
  if (next === COMMA_OR_END) return afterValue(p, c);
  if (next === KEY || next === KEY_OR_END) {
    if (c === 34) return beginKey(p);
    return c === 125 && next === KEY_OR_END ? close(p, 123) : giveUp();
  }
  if (next === BRACE) return c === 123 ? open(p, c) : giveUp();
  if (next === VALUE || next === VALUE_OR_END) return beginValue(p, c, end);
  return giveUp();
}

function giveUp(): bool {
  next = GIVEN_UP;
  return false;
}

function follow(what: u32, p: usize): bool {
  next = what;
  place = p;
  return true;
}

function open(p: usize, c: u32): bool {
  depth++;
  if (depth > DEEPEST) return giveUp();
  store<u8>(brackets + (depth as usize), c as u8);
  return follow(c === 123 ? KEY_OR_END : VALUE_OR_END, p + 1);
}

function close(p: usize, bracket: u32): bool {
  if (load<u8>(brackets + (depth as usize)) !== (bracket as u8)) return giveUp();
  depth--;
  return depth === 0 ? follow(NOTHING, p + 1) : valueEnds(p + 1);
}

function afterValue(p: usize, c: u32): bool {
  if (c === 44) return follow(load<u8>(brackets + (depth as usize)) === 123 ? KEY : VALUE, p + 1);
  if (c === 125) return close(p, 123);
  return c === 93 ? close(p, 91) : giveUp();
}

function beginKey(p: usize): bool {
  if (depth === 1) {
    key = p + 1;
    isKeyEscaped = false;
  }
  return follow(REST_OF_KEY, p + 1);
}

function beginValue(p: usize, c: u32, end: usize): bool {
  if (depth === 1) memberValue = p;
  if (c === 34) return follow(REST_OF_TEXT, p + 1);
  if (c === 123 || c === 91) return open(p, c);
  if (c === 93 && next === VALUE_OR_END) return close(p, 91);
  if (c === 116 || c === 110 || c === 102) {
    if (end - p < LITERAL) return false;
    const q = literal(p, c);
    return q === 0 ? giveUp() : valueEnds(q);
  }
  const q = number(p);
  if (q !== 0 && q < end) return valueEnds(q);
  return end - p < NUMBER ? false : giveUp();
}

function literal(p: usize, c: u32): usize {
  if (c === 116) return load<u32>(p) === 0x65757274 ? p + 4 : 0;
  if (c === 110) return load<u32>(p) === 0x6c6c756e ? p + 4 : 0;
  return load<u32>(p, 1) === 0x65736c61 ? p + 5 : 0;
}

/** A value ends before `p`; of a member of the event what is needed is noted. */
function valueEnds(p: usize): bool {
  if (depth === 1) {
    if (isKeyEscaped || member() === 0) return giveUp();
  }
  return follow(COMMA_OR_END, p);
}

/** Most members hold nothing that is needed, and are not read again. */
function member(): usize {
  const length = keyEnd - key;
  return isNeeded(key, length) ? eventValue(memberValue, out, key, length) : 1;
}

function restOfString(end: usize): bool {
  const p = plain(place);
  place = p;
  if (p >= end) return false;
  const c: u32 = load<u8>(p);
  if (c === 34) {
    if (next === REST_OF_TEXT) return valueEnds(p + 1);
    if (depth === 1) keyEnd = p;
    return follow(COLON, p + 1);
  }
  if (c !== 92) return giveUp();
  if (end - p < ESCAPE || (load<u8>(p, 1) === 117 && end - p < UNICODE_ESCAPE)) return false;
  if (depth === 1 && next === REST_OF_KEY) isKeyEscaped = true;
  const q = escapeEnd(p);
  return q === 0 ? giveUp() : follow(next, q);
}
