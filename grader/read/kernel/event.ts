// The members of an event, the values among them that the reader needs.

import { meta, noted } from "./capture";
import { clearEscaped, colon, isEscaped, setOdd, space, text, value } from "./json";
import { same } from "./names";
import { NAME, TIME } from "./record";

let nameKey: usize = 0;
let nameKeyLength: usize = 0;
let timeKey: usize = 0;
let timeKeyLength: usize = 0;

/** The keys of its name and its time. */
export function setEventKeys(name: usize, nameLength: usize, time: usize, timeLength: usize): void {
  nameKey = name;
  nameKeyLength = nameLength;
  timeKey = time;
  timeKeyLength = timeLength;
}

/** The members of an event, behind its brace; returns the address behind it, or 0 when it is no JSON object. */
export function event(from: usize, out: usize): usize {
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

/** True for a member of which more is needed than that it is valid. */
export function isNeeded(key: usize, length: usize): bool {
  if (length === nameKeyLength && same(key, nameKey, length)) return true;
  if (length === timeKeyLength && same(key, timeKey, length)) return true;
  return isCapture(key, length) || isPrototype(key, length);
}

function isCapture(key: usize, length: usize): bool {
  return length === 8 && load<u32>(key) === 0x70616324 && load<u32>(key, 4) === 0x65727574;
}

/** An object of JavaScript can take a member of this name for its prototype. */
function isPrototype(key: usize, length: usize): bool {
  return length === 9 && load<u32>(key) === 0x72705f5f; // __pr
}

/** Reads the value of a member, and notes of it what is needed. */
export function eventValue(p: usize, out: usize, key: usize, length: usize): usize {
  if (length === nameKeyLength && same(key, nameKey, length)) return noted(p, out + NAME);
  if (length === timeKeyLength && same(key, timeKey, length)) return noted(p, out + TIME);
  if (isCapture(key, length)) return meta(p, out);
  if (isPrototype(key, length)) setOdd();
  return load<u8>(p) === 34 ? text(p + 1) : value(p, 1);
}
