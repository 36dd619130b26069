import { setFlagsFromString } from "node:v8";

/** How much of a function runs, in bytes of bytecode, before V8 looks whether to compile it for speed, three times; and what is usual. */
const LATE = 300_000;
const USUAL = 67_584;

/**
 * Lets V8 wait longer before it compiles a function for speed, until what is returned is called. To read a hundred
 * scenarios takes a third of a second, and most of what was compiled on the way had its work behind it when it was ready:
 * a fifth of the processor time of such a grade. Node 20 only, whose V8 is known to have these numbers.
 */
export function compileLater(): () => void {
  if (!process.versions.v8.startsWith("11.3.")) return () => {};
  const wait = (bytes: number): void => setFlagsFromString(`--interrupt-budget=${bytes}`);
  wait(LATE);
  return () => wait(USUAL); // code that is kept for the next start is only taken under the flags it was made under
}
