// Times as match/event-time.ts reads them, to the last bit; whatever is spelled in another way is NO_TIME, and for JavaScript.

/** Where the numbers of the fold say what is known: the day that begins at DAY_START, ten bytes, and a code of `units`. */
export const DAY_START: usize = 40;
export const DAY: usize = 64;
export const NUMBER_UNIT: usize = 88;

export const NO_TIME: f64 = -Infinity;

/** What the number of a time counts; 0 when only JavaScript can tell. */
const GUESS: u32 = 1;
const SECONDS: u32 = 2;
const MILLISECONDS: u32 = 3;
const MICROSECONDS: u32 = 4;
const NANOSECONDS: u32 = 5;

/** The largest whole number up to which a double holds each. */
const LARGEST_EXACT: u64 = 9007199254740991;

/** The milliseconds of the time that stands from `start` to `end`, a text or a whole number. */
export function timeAt(start: usize, end: usize, state: usize): f64 {
  if (load<u8>(start) !== 34) return epoch(start, end, load<u32>(state + NUMBER_UNIT));
  if (load<u8>(start, 5) === 45) return dated(start + 1, end - 1, state);
  return epoch(start + 1, end - 1, load<u32>(state + NUMBER_UNIT));
}

/** A whole number of at most nineteen digits and no sign. */
function epoch(start: usize, end: usize, unit: u32): f64 {
  if (unit === 0 || end <= start || end - start > 19) return NO_TIME;
  let number: u64 = 0;
  for (let p = start; p < end; p++) {
    const digit = (load<u8>(p) as u32) - 48;
    if (digit > 9) return NO_TIME;
    number = number * 10 + digit;
  }
  const size = number as f64;
  const counts = unit === GUESS ? guessed(size) : unit;
  if (counts === SECONDS) return size * 1000;
  if (counts === MILLISECONDS) return size;
  const perMs: u64 = counts === NANOSECONDS ? 1000000 : 1000;
  if (number <= LARGEST_EXACT) return size * (1.0 / (perMs as f64));
  return ((number / perMs) as f64) + ((number % perMs) as f64) / (perMs as f64);
}

function guessed(size: f64): u32 {
  if (size < 1e8) return MILLISECONDS;
  if (size < 1e11) return SECONDS;
  if (size < 1e14) return MILLISECONDS;
  return size < 1e17 ? MICROSECONDS : NANOSECONDS;
}

/** `2026-01-31T12:00:00.1234567Z` of the known day: any fraction of a second or none, `Z`, an offset or none. */
function dated(p: usize, end: usize, state: usize): f64 {
  if (end - p < 19) return NO_TIME;
  if (load<u64>(p) !== load<u64>(state + DAY) || load<u16>(p, 8) !== load<u16>(state + DAY, 8)) return NO_TIME;
  const separator = load<u8>(p, 10);
  if ((separator !== 84 && separator !== 32) || load<u8>(p, 13) !== 58 || load<u8>(p, 16) !== 58) return NO_TIME;
  const hour = twoDigits(p + 11);
  const minute = twoDigits(p + 14);
  const second = twoDigits(p + 17);
  if (hour > 23 || minute > 59 || second > 59) return NO_TIME;
  const clock = hour * 3600000 + minute * 60000 + second * 1000;
  const whole = load<f64>(state + DAY_START) + (clock as f64);
  const fractionEnd = load<u8>(p, 19) === 46 && end - p > 19 ? digitsEnd(p + 20, end) : p + 19;
  const digits = fractionEnd - p - 19;
  if (digits === 1 || digits > 13) return NO_TIME;
  const offset = offsetAt(fractionEnd, end);
  if (offset === NO_TIME) return NO_TIME;
  if (digits === 0) return whole - offset;
  const isCommon = digits === 4 && separator === 84 && load<u8>(fractionEnd) === 90;
  return whole - offset + fraction(p + 20, fractionEnd, isCommon);
}

/** In milliseconds. The most common spelling is read as a whole number of them, every other as a fraction of a second. */
function fraction(start: usize, end: usize, isCommon: bool): f64 {
  let number: u64 = 0;
  let parts: f64 = 1;
  for (let p = start; p < end; p++) {
    number = number * 10 + ((load<u8>(p) as u32) - 48);
    parts *= 10;
  }
  return isCommon ? (number as f64) : ((number as f64) / parts) * 1000;
}

function digitsEnd(from: usize, end: usize): usize {
  let p = from;
  while (p < end && (load<u8>(p) as u32) - 48 < 10) p++;
  return p;
}

/** In milliseconds what the zone is ahead: `Z`, `+hh:mm`, `-hhmm`, or nothing, which stands for `Z`. */
function offsetAt(p: usize, end: usize): f64 {
  if (p === end) return 0;
  const sign = load<u8>(p);
  if (sign === 90) return p + 1 === end ? 0 : NO_TIME;
  if (sign !== 43 && sign !== 45) return NO_TIME;
  const minutesAt = load<u8>(p, 3) === 58 ? p + 4 : p + 3;
  const hours = twoDigits(p + 1);
  const minutes = twoDigits(minutesAt);
  if (minutesAt + 2 !== end || hours > 14 || minutes > 59) return NO_TIME;
  const ahead = (hours * 3600000 + minutes * 60000) as f64;
  return sign === 43 ? ahead : -ahead;
}

/** More than 127 when they are no digits. */
function twoDigits(p: usize): u32 {
  const tens = (load<u8>(p) as u32) - 48;
  const ones = (load<u8>(p, 1) as u32) - 48;
  return tens > 9 || ones > 9 ? 128 : tens * 10 + ones;
}
