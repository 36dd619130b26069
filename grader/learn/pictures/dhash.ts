import { type Grey, scaleTo } from "./grey.ts";

const SIDE = 8;

/**
 * The difference hash of a picture: scaled to 9 x 8 shades of grey, one bit for each pixel that is brighter than its right
 * neighbour, row by row, the first one highest (N. Krawetz, "Kind of Like That", hackerfactor.com, 2013). Pictures that
 * look alike differ in few bits, whatever their size.
 */
export function differenceHash(picture: Grey): bigint {
  const { pixels } = scaleTo(picture, SIDE + 1, SIDE);
  let hash = 0n;
  for (let y = 0; y < SIDE; y++) {
    for (let x = 0; x < SIDE; x++) {
      const at = y * (SIDE + 1) + x;
      hash = (hash << 1n) | ((pixels[at] ?? 0) > (pixels[at + 1] ?? 0) ? 1n : 0n);
    }
  }
  return hash;
}

/** In how many bits two hashes differ. */
export function hammingDistance(a: bigint, b: bigint): number {
  let rest = a ^ b;
  let bits = 0;
  for (; rest !== 0n; rest &= rest - 1n) bits++;
  return bits;
}
