/** A seeded source of choices (mulberry32): the same seed makes the same mutations everywhere. */
export interface Random {
  /** 0 to below 1. */
  next(): number;
  below(count: number): number;
  /** At most so many of the items, in their order. */
  some<T>(items: readonly T[], most: number): readonly T[];
}

/** `seed`: any whole number; its low 32 bits count. */
export function createRandom(seed: number): Random {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (count: number): number => Math.floor(next() * count);
  return {
    next,
    below,
    some(items, most) {
      if (items.length <= most) return items;
      const chosen = new Set<number>();
      while (chosen.size < most) chosen.add(below(items.length));
      return items.filter((_, index) => chosen.has(index));
    },
  };
}
