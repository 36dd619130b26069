// Decides by the bytes of a line whether its event could be one that somebody has to see: finds the fields that tests look
// at, and compares their values. What it cannot tell (an escape, a key twice, a key with a dot that could be a path) it
// takes for possible. kernel-tests.ts writes the programs; all numbers are u32 at the offsets below.

import { clearEscaped, colon, isEscaped, space, text, value } from "./json";
import { same } from "./names";

/** A program: the node of the event itself, its tests, and the interests. */
const ROOT: usize = 0;
const TESTS: usize = 4;
const TEST_COUNT: usize = 8;
const INTERESTS: usize = 12;
const INTEREST_COUNT: usize = 16;

/** A key on the way to a field: where its bytes are, the first node below it, the next one beside it. */
const KEY: usize = 0;
const KEY_LENGTH: usize = 4;
const BELOW: usize = 8;
const BESIDE: usize = 12;
/** Where its value stands, true of the line that has this number. */
const SEEN_IN: usize = 16;
const FROM: usize = 20;
const TO: usize = 24;
const ESCAPED: usize = 28;

/** A test: the node of its field, the values one of which it asks for, and whether it could hold. */
const TEST: usize = 16;
const FIELD: usize = 0;
const VALUES: usize = 4;
const VALUE_COUNT: usize = 8;
const HOLDS: usize = 12;

/** A value: what it is, and its bytes or its number (f64). */
const VALUE: usize = 16;
const TYPE: usize = 0;
const LENGTH: usize = 4;
const BYTES: usize = 8;
const NUMBER: usize = 8;
const IS_TEXT: u32 = 0;
const IS_NUMBER: u32 = 1;
const IS_TRUE: u32 = 2;
const IS_FALSE: u32 = 3;

/** An interest: how many of its tests have to hold, how many there are, and where each stands. */
const LEAST: usize = 0;
const COUNT: usize = 4;
const LIST: usize = 8;

/** A key that could be read as more than one step of a path. */
const UNSURE: usize = 1;

/** Digits that a double holds exactly, whatever they are. */
const EXACT_DIGITS: usize = 15;

/** Which line is looked at, so that what nodes say of another one is not believed. */
let current: u32 = 0;

/** True when the event that begins at `start` could be what one of the program's interests is about. */
export function isAwaited(start: usize, program: usize): bool {
  current++;
  const p = space(start);
  if (load<u8>(p) !== 123 || members(p + 1, load<u32>(program + ROOT)) === 0) return true;
  let test: usize = load<u32>(program + TESTS);
  for (let left = load<u32>(program + TEST_COUNT); left > 0; left--, test += TEST) {
    store<u32>(test + HOLDS, couldHold(test) ? 1 : 0);
  }
  let interest: usize = load<u32>(program + INTERESTS);
  for (let left = load<u32>(program + INTEREST_COUNT); left > 0; left--) {
    const count = load<u32>(interest + COUNT);
    let held: u32 = 0;
    for (let at: usize = 0; at < (count as usize); at++) {
      held += load<u32>((load<u32>(interest + LIST + (at << 2)) as usize) + HOLDS);
    }
    if (held >= load<u32>(interest + LEAST)) return true;
    interest += LIST + ((count as usize) << 2);
  }
  return false;
}

/** The members of an object on the way to a field, behind its brace; returns the address behind it, 0 for what is not sure. */
function members(from: usize, node: usize): usize {
  let p = space(from);
  if (load<u8>(p) === 125) return p + 1;
  while (true) {
    if (load<u8>(p) !== 34) return 0;
    const key = p + 1;
    clearEscaped();
    p = text(key);
    if (p === 0 || isEscaped) return 0;
    const child = childOf(node, key, p - 1 - key);
    if (child === UNSURE) return 0;
    p = colon(p);
    if (p === 0) return 0;
    if (child !== 0) p = field(p, child);
    else p = load<u8>(p) === 34 ? text(p + 1) : value(p, 1);
    if (p === 0) return 0;
    p = space(p);
    const c = load<u8>(p++);
    if (c === 125) return p;
    if (c !== 44) return 0;
    p = space(p);
  }
}

/** The node below `node` that this key leads to, or 0. */
function childOf(node: usize, key: usize, length: usize): usize {
  if (length === 9 && load<u32>(key) === 0x72705f5f) return UNSURE; // __proto__
  for (let child: usize = load<u32>(node + BELOW); child !== 0; child = load<u32>(child + BESIDE)) {
    const wanted: usize = load<u32>(child + KEY_LENGTH);
    if (length < wanted || !same(key, load<u32>(child + KEY), wanted)) continue;
    if (length === wanted) return child;
    if (load<u8>(key + wanted) === 46) return UNSURE;
  }
  return 0;
}

/** Notes where the value of a node stands. */
function field(from: usize, node: usize): usize {
  if (load<u32>(node + SEEN_IN) === current) return 0;
  store<u32>(node + SEEN_IN, current);
  clearEscaped();
  const isOnTheWay = load<u8>(from) === 123 && load<u32>(node + BELOW) !== 0;
  const p = isOnTheWay ? members(from + 1, node) : value(from, 1);
  store<u32>(node + FROM, from as u32);
  store<u32>(node + TO, p as u32);
  store<u32>(node + ESCAPED, isEscaped ? 1 : 0);
  return p;
}

function couldHold(test: usize): bool {
  const node: usize = load<u32>(test + FIELD);
  if (load<u32>(node + SEEN_IN) !== current) return false;
  const from: usize = load<u32>(node + FROM);
  const c: u32 = load<u8>(from);
  if (c === 123 || c === 91) return false;
  if (c === 34 && load<u32>(node + ESCAPED) !== 0) return true;
  const to: usize = load<u32>(node + TO);
  let wanted: usize = load<u32>(test + VALUES);
  for (let left = load<u32>(test + VALUE_COUNT); left > 0; left--, wanted += VALUE) {
    if (couldBe(from, to, wanted)) return true;
  }
  return false;
}

function couldBe(from: usize, to: usize, wanted: usize): bool {
  const c: u32 = load<u8>(from);
  const type = load<u32>(wanted + TYPE);
  if (type === IS_TEXT) {
    const length: usize = load<u32>(wanted + LENGTH);
    return c === 34 && to - from - 2 === length && same(from + 1, load<u32>(wanted + BYTES), length);
  }
  if (type === IS_NUMBER) return (c === 45 || (c > 47 && c < 58)) && couldEqual(from, to, load<f64>(wanted + NUMBER));
  if (type === IS_TRUE) return c === 116;
  return type === IS_FALSE ? c === 102 : c === 110;
}

/** Whole numbers are compared; one with a fraction is no whole number, if it has few digits and the last is no zero. */
function couldEqual(from: usize, to: usize, wanted: f64): bool {
  const isBelow = load<u8>(from) === 45;
  let p = isBelow ? from + 1 : from;
  const digits = to - p;
  if (digits > EXACT_DIGITS) return true;
  let number: u64 = 0;
  for (; p < to; p++) {
    const digit = (load<u8>(p) as u32) - 48;
    if (digit > 9) break;
    number = number * 10 + digit;
  }
  if (p === to) return (isBelow ? -(number as f64) : (number as f64)) === wanted;
  if (load<u8>(p) !== 46 || floor<f64>(wanted) !== wanted) return true;
  for (p++; p < to; p++) if ((load<u8>(p) as u32) - 48 > 9) return true;
  return load<u8>(to - 1) === 48;
}
