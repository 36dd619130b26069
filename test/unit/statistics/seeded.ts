/** A seeded source of numbers in 0..1 for simulations (mulberry32): the same seed gives the same batches everywhere. */
export function seeded(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Passes in `runs` simulated runs with true rate `rate`. */
export function simulate(random: () => number, runs: number, rate: number): number {
  let passed = 0;
  for (let run = 0; run < runs; run++) if (random() < rate) passed++;
  return passed;
}
