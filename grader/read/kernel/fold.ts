import { isAwaited } from "./awaited";
import { idOf, same } from "./names";
import {
  AT,
  BLANK,
  END,
  EVENT,
  HOST,
  KIND,
  NAME,
  NAME_ID,
  NAMELESS,
  PATH,
  QUICK,
  RECORD,
  SEQ,
  START,
  TIME,
} from "./record";
import { NO_TIME, timeAt } from "./times";

// What follows goes over the records of a scan, in order, and passes the events that nobody has to see: it counts them and
// checks of them what is checked of every event. The place where it stands is shared with JavaScript (kernel-fold.ts).

/** Longest line, in bytes; f64 as all up to DAY_START of times.ts. */
const MOST_BYTES: usize = 0;
/** The number the next record has to have; 0 when only JavaScript can tell. */
const NEXT_SEQ: usize = 8;
const FIRST_TIME: usize = 16;
const LAST_TIME: usize = 24;
const LARGEST_TIME: usize = 32;
/** u32 from here on. */
const EVENTS: usize = 48;
const TIMED: usize = 52;
const STEPS_BACK: usize = 56;
/** Behind the last event, as a line of the batch. */
const LAST_EVENT: usize = 60;
const UNCHECKED: usize = 84;
/** Set while no line counts as checked. */
const NONE_CHECKED: usize = 92;
const ENDPOINTS: usize = 80;
const ENDPOINT: usize = 96;
const ENDPOINT_BYTES: usize = 512;

/** What becomes of the events of a name: they are passed, or those its program finds nothing in; JavaScript sees all others. */
const PASS: u8 = 1;
const TEST: u8 = 3;

let state: usize = 0;
let wanted: usize = 0;
let programs: usize = 0;

/** Where the fold's numbers stand, a byte for each name id that says what becomes of its events, and a u32 for its program. */
export function useFold(at: usize, names: usize, tests: usize): void {
  state = at;
  wanted = names;
  programs = tests;
}

/**
 * Passes the lines of a batch of `count` records from number `from` on. Returns the number of the first line that
 * JavaScript has to look at, `count` when there is none.
 */
export function fold(records: usize, from: u32, count: u32): u32 {
  const mostBytes = load<f64>(state + MOST_BYTES) as u32;
  let out = records + (from as usize) * RECORD;
  let at = from;
  for (; at < count; at++, out += RECORD) {
    const kind = load<u32>(out + KIND);
    if (load<u32>(out + END) - load<u32>(out + START) > mostBytes) break;
    if (kind === BLANK) continue;
    if (kind !== EVENT && kind !== QUICK) break;
    const id = nameOf(out);
    store<u32>(out + NAME_ID, id);
    if (!isPassed(out, id) || !isKnownEndpoint(out) || !passes(out)) break;
    store<u32>(state + EVENTS, load<u32>(state + EVENTS) + 1);
    store<u32>(state + LAST_EVENT, at + 1);
    if (kind === QUICK || load<u32>(state + NONE_CHECKED) !== 0)
      store<u32>(state + UNCHECKED, load<u32>(state + UNCHECKED) + 1);
  }
  return at;
}

/** True for an event that nobody has to see. */
function isPassed(out: usize, id: u32): bool {
  const becomes = load<u8>(wanted + id);
  if (becomes !== TEST) return becomes === PASS;
  return !isAwaited(load<u32>(out + START), load<u32>(programs + ((id as usize) << 2)));
}

/** The id of the name in a record: UNKNOWN for one that was not entered. */
export function nameOf(out: usize): u32 {
  const start = load<u32>(out + NAME);
  const end = load<u32>(out + NAME, 4);
  const isText = end !== 0 && load<u8>(start) === 34;
  return isText ? idOf(start + 1, end - start - 2) : NAMELESS;
}

/** Takes number and time of an event; false, without any effect, when JavaScript has to. */
function passes(out: usize): bool {
  const seqEnd = load<u32>(out + SEQ, 4);
  const nextSeq = load<f64>(state + NEXT_SEQ);
  if (seqEnd !== 0 && (nextSeq === 0 || whole(load<u32>(out + SEQ), seqEnd) !== nextSeq)) return false;
  const slot = load<u32>(out + TIME, 4) === 0 ? AT : TIME;
  const timeEnd = load<u32>(out + slot, 4);
  if (timeEnd !== 0) {
    const time = timeAt(load<u32>(out + slot), timeEnd, state);
    if (time === NO_TIME) return false;
    noteTime(time);
  }
  if (seqEnd !== 0) store<f64>(state + NEXT_SEQ, nextSeq + 1);
  return true;
}

/** A number of at most fifteen digits and nothing else, or -1. */
function whole(start: usize, end: usize): f64 {
  if (end - start > 15) return -1;
  let number: u64 = 0;
  for (let p = start; p < end; p++) {
    const digit = (load<u8>(p) as u32) - 48;
    if (digit > 9) return -1;
    number = number * 10 + digit;
  }
  return number as f64;
}

function noteTime(time: f64): void {
  const timed = load<u32>(state + TIMED);
  if (timed === 0) {
    store<f64>(state + FIRST_TIME, time);
    store<f64>(state + LARGEST_TIME, time);
  } else {
    if (time < load<f64>(state + LAST_TIME)) store<u32>(state + STEPS_BACK, load<u32>(state + STEPS_BACK) + 1);
    if (time > load<f64>(state + LARGEST_TIME)) store<f64>(state + LARGEST_TIME, time);
  }
  store<f64>(state + LAST_TIME, time);
  store<u32>(state + TIMED, timed + 1);
}

/** True when host and path are absent, or those of an event that JavaScript has passed. */
export function isKnownEndpoint(out: usize): bool {
  const host = load<u32>(out + HOST);
  const path = load<u32>(out + PATH);
  const hostEnd = load<u32>(out + HOST, 4);
  const pathEnd = load<u32>(out + PATH, 4);
  const hostLength = hostEnd === 0 ? 0 : hostEnd - host;
  const pathLength = pathEnd === 0 ? 0 : pathEnd - path;
  if ((hostLength | pathLength) === 0) return true;
  let entry = state + ENDPOINT;
  for (let left = load<u32>(state + ENDPOINTS); left > 0; left--, entry += ENDPOINT_BYTES) {
    if (load<u32>(entry) !== hostLength || load<u32>(entry, 4) !== pathLength) continue;
    if (same(host, entry + 8, hostLength) && same(path, entry + 8 + hostLength, pathLength)) return true;
  }
  return false;
}
