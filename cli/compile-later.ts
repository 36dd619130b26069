import { setFlagsFromString } from "node:v8";

/** How much of a function runs, in bytes of bytecode, before V8 looks whether to compile it for speed, three times; and what is usual. */
const LATE = 1_000_000;
const USUAL = 67_584;

/**
 * Lets V8 wait longer before it compiles a function for speed. Reading scenarios is over before what was compiled for it
 * pays, and a log is scanned by WebAssembly, which is compiled already: of a grade of 1 GB this saves a tenth of the
 * processor time, and the memory of some thirty compilations, which a longer log would need more of than a short one.
 * Node 20 only, whose V8 is known to have these numbers.
 */
export function compileLater(): void {
  wait(LATE);
}

/**
 * Lets V8 compile as it does by itself, for work that is JavaScript's. Due also before code is kept for the next start,
 * which is only taken under the flags it was made under.
 */
export function compileAsUsual(): void {
  wait(USUAL);
}

function wait(bytes: number): void {
  if (process.versions.v8.startsWith("11.3.")) setFlagsFromString(`--interrupt-budget=${bytes}`);
}
