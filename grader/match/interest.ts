import type { FieldCheck } from "../operators/where.ts";
import type { AwaitedField, AwaitedTest, Interest } from "../read/selection.ts";
import type { FieldPath } from "../scenario/ast.ts";
import type { LeafPlan } from "./plan.ts";

/** Texts that JSON spells in one way, apart from `\u` escapes: no quote, backslash, slash, control character or half a pair. */
const PLAIN = /^[^"\\/\p{Cc}\p{Cs}\ufffd]*$/u;
/** Keys that nothing but a member of their name answers to: no path of two steps, no index. */
const PLAIN_KEY = /^(?!-?\d)[^"\\/.\p{Cc}\p{Cs}\ufffd]+$/u;
/** Texts that have bytes of their own in UTF-8. */
const ENCODABLE = /^[^\p{Cs}\ufffd]*$/u;

/** Says of an interest that it `counts`. */
export const COUNTS = { counts: true } as const;

/** What is known of a marker: its tests, and the interests in them by `least`. */
interface Known {
  readonly tests: readonly AwaitedTest[];
  readonly plain: Map<number, Interest>;
  readonly counting: Map<number, Interest>;
}

const known = new WeakMap<LeafPlan, Known>();

/**
 * An interest in events that could satisfy at least `least` of a marker's tests; all of them unless it says less. The same
 * object each time, as it is asked for with each name of a log.
 */
export function interestIn(leaf: LeafPlan, least = leaf.pattern.clauses.length, more?: typeof COUNTS): Interest {
  const { tests, plain, counting } = knownOf(leaf);
  const interests = more === undefined ? plain : counting;
  const before = interests.get(least);
  if (before !== undefined) return before;
  const made: Interest = { tests, least, ...more };
  interests.set(least, made);
  return made;
}

function knownOf(leaf: LeafPlan): Known {
  const before = known.get(leaf);
  if (before !== undefined) return before;
  const made = { tests: leaf.pattern.clauses.map(testOf), plain: new Map(), counting: new Map() };
  known.set(leaf, made);
  return made;
}

/** What bytes say of a test: the text without which it cannot hold, in quotes; and the field that decides it. */
function testOf({ literals, identities }: FieldCheck): AwaitedTest {
  const text = literals.find(({ value }) => PLAIN.test(value))?.value;
  const field = identities.length === 1 ? fieldOf(identities[0]) : undefined;
  return {
    ...(text === undefined ? {} : { bytes: Buffer.from(`"${text}"`) }),
    ...(field === undefined ? {} : { field }),
  };
}

function fieldOf(identity: FieldCheck["identities"][number] | undefined): AwaitedField | undefined {
  const path = identity === undefined ? undefined : plainPath(identity.path);
  if (identity === undefined || path === undefined) return undefined;
  const { values } = identity;
  const areEncodable = values.every((value) => typeof value !== "string" || ENCODABLE.test(value));
  // by type and text, as JSON has no NaN and would take it for null
  const id = JSON.stringify([path, values.map((value) => `${typeof value} ${value}`)]);
  return areEncodable ? { path, values, id } : undefined;
}

/** Its keys, when only objects within objects can lead along the path. */
function plainPath(path: FieldPath): readonly string[] | undefined {
  if (path.kind !== "dotted") return undefined;
  const keys = path.segments.map((segment) => (segment.kind === "key" ? segment.key : ""));
  const arePlain = keys.every((key) => PLAIN_KEY.test(key) && !(key in Object.prototype) && !(key in Array.prototype));
  return arePlain ? keys : undefined;
}
