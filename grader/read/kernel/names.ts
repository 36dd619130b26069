import { UNKNOWN } from "./record";

let buckets: usize = 0;
let bucketMask: u32 = 0;

/** The table of names: `size` buckets (a power of two) of 16 bytes, all zero. */
export function useTable(table: usize, size: u32): void {
  buckets = table;
  bucketMask = size - 1;
}

/** Enters a name, whose bytes stay where they are, under an id. The caller leaves buckets free. */
export function enter(at: usize, length: usize, id: u32): void {
  const hash = hashOf(at, length);
  let bucket = hash & bucketMask;
  while (load<u32>(buckets + ((bucket as usize) << 4), 12) !== 0) bucket = (bucket + 1) & bucketMask;
  const entry = buckets + ((bucket as usize) << 4);
  store<u32>(entry, hash);
  store<u32>(entry, at as u32, 4);
  store<u32>(entry, length as u32, 8);
  store<u32>(entry, id, 12);
}

function hashOf(at: usize, length: usize): u32 {
  let hash: u32 = 2166136261 ^ (length as u32);
  for (let i: usize = 0; i < length; i++) hash = (hash ^ load<u8>(at + i)) * 16777619;
  return hash ^ (hash >> 15);
}

export function idOf(at: usize, length: usize): u32 {
  const hash = hashOf(at, length);
  let bucket = hash & bucketMask;
  while (true) {
    const entry = buckets + ((bucket as usize) << 4);
    const id = load<u32>(entry, 12);
    if (id === 0) return UNKNOWN;
    const isAlike = load<u32>(entry) === hash && load<u32>(entry, 8) === (length as u32);
    if (isAlike && same(at, load<u32>(entry, 4), length)) return id;
    bucket = (bucket + 1) & bucketMask;
  }
}

export function same(a: usize, b: usize, length: usize): bool {
  for (let i: usize = 0; i < length; i++) if (load<u8>(a + i) !== load<u8>(b + i)) return false;
  return true;
}
