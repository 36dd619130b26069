// The layout of what the kernel finds in one line; line-kernel.ts has the same numbers for JavaScript.

/** One record per line, of RECORD bytes: u32 each, in this order; a value that is absent has end 0. */
export const RECORD: usize = 64;
export const START: usize = 0;
export const END: usize = 4;
export const KIND: usize = 8;
export const NAME_ID: usize = 12;
export const NAME: usize = 16;
export const TIME: usize = 24;
export const SEQ: usize = 32;
export const AT: usize = 40;
export const HOST: usize = 48;
export const PATH: usize = 56;

export const BLANK: u32 = 0;
export const EVENT: u32 = 1;
export const LOOK: u32 = 2;
/** An event whose line is taken for readable. */
export const QUICK: u32 = 3;

/** No value is there yet. */
export function clearRecord(out: usize): void {
  v128.store(out + KIND, i32x4.splat(0));
  v128.store(out + KIND + 16, i32x4.splat(0));
  v128.store(out + KIND + 32, i32x4.splat(0));
  store<u64>(out + PATH, 0);
}

/** Ids of names: 0 is a name not entered yet, 1 stands for events without a name. */
export const UNKNOWN: u32 = 0;
export const NAMELESS: u32 = 1;
