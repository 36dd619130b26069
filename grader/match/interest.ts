import type { Interest } from "../read/selection.ts";
import type { LeafPlan } from "./plan.ts";

/** Texts that JSON spells in one way, apart from `\u` escapes: no quote, backslash, slash, control character or half a pair. */
const PLAIN = /^[^"\\/\p{Cc}\p{Cs}\ufffd]*$/u;

const known = new WeakMap<LeafPlan, readonly (Buffer | undefined)[]>();

/** An interest in events that could satisfy at least `least` of a marker's tests; all of them unless it says less. */
export function interestIn(leaf: LeafPlan, least = leaf.pattern.clauses.length): Interest {
  const tests = known.get(leaf) ?? testsOf(leaf);
  known.set(leaf, tests);
  return { tests, least };
}

/** Per test the bytes without which it cannot hold: the text it asks for, in quotes. */
function testsOf({ pattern }: LeafPlan): readonly (Buffer | undefined)[] {
  return pattern.clauses.map(({ literals }) => {
    const text = literals.find(({ value }) => PLAIN.test(value))?.value;
    return text === undefined ? undefined : Buffer.from(`"${text}"`);
  });
}
