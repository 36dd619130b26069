/** A stream of reproducible random numbers. */
export interface Random {
  /** The next 32 bits, 0 to 2^32 - 1. */
  bits(): number;
  /** A whole number from 0 to `below` - 1. */
  below(below: number): number;
  /** True with the given probability. */
  chance(probability: number): boolean;
  /** One of a list that is not empty; throws a RangeError when it is. */
  pick<Item>(items: readonly Item[]): Item;
}

/**
 * The Mersenne Twister MT19937 (M. Matsumoto and T. Nishimura, ACM TOMACS 8(1), 1998) seeded by an array of 32-bit
 * numbers as in the authors' `init_by_array` (mt19937ar.c, 2002). The same key gives the same stream on every machine;
 * `[seed, run]` gives each run of a seed a stream of its own. An empty key counts as `[0]`.
 */
export function seededRandom(key: readonly number[]): Random {
  const next = twister(key.length === 0 ? [0] : key);
  const below = (limit: number): number => Math.floor((next() / 2 ** 32) * limit);
  return {
    bits: next,
    below,
    chance: (probability) => next() < probability * 2 ** 32,
    pick: (items) => {
      const item = items[below(items.length)];
      if (item === undefined) throw new RangeError("cannot pick from an empty list");
      return item;
    },
  };
}

const SIZE = 624;
const SHIFT = 397;

function twister(key: readonly number[]): () => number {
  const state = keyedState(key);
  let used = SIZE;
  return () => {
    if (used === SIZE) {
      twist(state);
      used = 0;
    }
    return temper(word(state, used++));
  };
}

function temper(raw: number): number {
  let y = raw ^ (raw >>> 11);
  y ^= (y << 7) & 0x9d2c5680;
  y ^= (y << 15) & 0xefc60000;
  return (y ^ (y >>> 18)) >>> 0;
}

function twist(state: Uint32Array): void {
  for (let k = 0; k < SIZE; k++) {
    const y = (word(state, k) & 0x80000000) | (word(state, (k + 1) % SIZE) & 0x7fffffff);
    state[k] = word(state, (k + SHIFT) % SIZE) ^ (y >>> 1) ^ ((y & 1) === 0 ? 0 : 0x9908b0df);
  }
}

/** `init_by_array` of mt19937ar.c. */
function keyedState(key: readonly number[]): Uint32Array {
  const state = plainState(19650218);
  let i = 1;
  let j = 0;
  const mixed = (factor: number): number =>
    word(state, i) ^ Math.imul(word(state, i - 1) ^ (word(state, i - 1) >>> 30), factor);
  const step = (value: number): void => {
    state[i++] = value;
    if (i < SIZE) return;
    state[0] = word(state, SIZE - 1);
    i = 1;
  };
  for (let k = Math.max(SIZE, key.length); k > 0; k--) {
    step(mixed(1664525) + (key[j] ?? 0) + j);
    j = (j + 1) % key.length;
  }
  for (let k = SIZE - 1; k > 0; k--) step(mixed(1566083941) - i);
  state[0] = 0x80000000;
  return state;
}

/** `init_genrand` of mt19937ar.c. */
function plainState(seed: number): Uint32Array {
  const state = new Uint32Array(SIZE);
  state[0] = seed;
  for (let i = 1; i < SIZE; i++) {
    const before = word(state, i - 1);
    state[i] = Math.imul(1812433253, before ^ (before >>> 30)) + i;
  }
  return state;
}

function word(state: Uint32Array, index: number): number {
  return state[index] ?? 0;
}
