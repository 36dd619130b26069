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

/** What is known of a marker: its tests, and the interests in them by `least`, below 0 for those that count. */
interface Known {
  readonly tests: readonly AwaitedTest[];
  readonly interests: Map<number, Interest>;
}

/**
 * The interests of one session. The same object each time, as they are asked for with each name of a log; and not for longer
 * than the session, as weak references are given back only by a collection of everything.
 */
export class Interests {
  readonly #known = new Map<LeafPlan, Known>();

  /** In events that could satisfy at least `least` of a marker's tests; all of them unless it says less. */
  in(leaf: LeafPlan, least = leaf.pattern.clauses.length, more?: typeof COUNTS): Interest {
    const { tests, interests } = this.#knownOf(leaf);
    const key = more === undefined ? least : -least;
    const before = interests.get(key);
    if (before !== undefined) return before;
    const made: Interest = { tests, least, ...more };
    interests.set(key, made);
    return made;
  }

  #knownOf(leaf: LeafPlan): Known {
    const before = this.#known.get(leaf);
    if (before !== undefined) return before;
    const made: Known = { tests: leaf.pattern.clauses.map(testOf), interests: new Map() };
    this.#known.set(leaf, made);
    return made;
  }
}

/** What bytes say of a test: the text without which it cannot hold, in quotes; and the field that decides it. */
export function testOf({ literals, identities }: FieldCheck): AwaitedTest {
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
