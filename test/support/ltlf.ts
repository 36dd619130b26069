import type { JsonObject } from "../../proxy/record/json.ts";
import type { ScenarioJson } from "./scenario-from-json.ts";

/** A formula in the words of the scenario language; `negated` when the scenario says its opposite. */
export interface Translation {
  readonly scenario: ScenarioJson;
  readonly negated: boolean;
}

const ATOMS = ["A", "B", "C"];

/**
 * LTLf in scenarios. Each position of a trace becomes an event with its atoms as fields. Undefined for a formula of
 * another form than those of the bank.
 */
export function translate(formula: string): Translation | undefined {
  const text = formula.replace(/\s+/g, " ").trim();
  const release = /^!(\w) R !(\w)$/.exec(text);
  if (release !== null) return opposite(until(release[1], release[2]));
  const simpleUntil = /^(\w) U (\w)$/.exec(text);
  if (simpleUntil !== null) return plain(until(simpleUntil[1], simpleUntil[2]));
  const nested = nestedUntil(text);
  if (nested !== undefined) return plain(nested);
  const dual = nestedUntil(dualOf(text));
  if (dual !== undefined) return opposite(dual);
  const next = /^([XN]) (\w)$/.exec(text);
  if (next !== null)
    return next[1] === "X" ? second(holds(next[2])) : opposite(second({ not: holds(next[2]) }).scenario);
  const repeated = /^([FG] [FG]|F|G) (.+)$/.exec(text);
  if (repeated !== null) return unary(repeated[1] ?? "", repeated[2] ?? "");
  return ATOMS.includes(text) ? plain({ rules: [{ first: holds(text) }] }) : undefined;
}

/** On a finite trace `F G p` and `G F p` both say that the last position satisfies p. */
function unary(operator: string, operand: string): Translation | undefined {
  const where = state(operand);
  if (where === undefined) return undefined;
  if (operator === "F") return plain({ rules: [{ expect: where }] });
  if (operator === "G") return plain({ rules: [{ never: { not: where } }] });
  return plain({ rules: [{ last: where }] });
}

function until(a = "", b = ""): ScenarioJson {
  return { rules: [{ expect: holds(b) }, { never: { not: holds(a) }, before: holds(b) }] };
}

/** `A U (B U (C ...))`: as markers that follow each other, with nothing but A, then nothing but B, up to the next one. */
function nestedUntil(text: string): ScenarioJson | undefined {
  const [last = "", ...others] = text.replace(/[()]/g, "").split(" U ").reverse();
  const isNested =
    text === others.reduce((inner, atom, depth) => `${atom} U ${depth === 0 ? inner : `(${inner})`}`, last);
  if (!isNested || others.length < 2) return undefined;
  const [guard = "", ...atoms] = [...others].reverse();
  return { markers: [{ one_of: reaching([...atoms, last], guard) }] };
}

/** The ways to come to the first position where the rest of an until holds, while `guard` holds before it. */
function reaching([first = "", ...rest]: readonly string[], guard: string): JsonObject[][] {
  const marker = (atom: string): JsonObject => ({ where: holds(atom), without: { not: holds(guard) } });
  if (rest.length === 0) return [[marker(first)]];
  return [...reaching(rest, guard), ...reaching(rest, first).map((chain) => [marker(first), ...chain])];
}

/** The negation of a release of negated atoms: `!A R !B` as `A U B`. */
function dualOf(text: string): string {
  return /^[\s()]*!\w( R \(?!\w\)?)+\)*$/.test(text) ? text.replaceAll("!", "").replaceAll(" R ", " U ") : "";
}

function second(where: JsonObject): Translation {
  return plain({
    markers: [
      { where: {}, immediately: true },
      { where, immediately: true },
    ],
  });
}

function state(text: string): JsonObject | undefined {
  const inner = text.replace(/^\((.*)\)$/, "$1");
  const parts = inner.split(/ [&|] /);
  if (parts.some((part) => !/^!?[ABC]$/.test(part))) return undefined;
  const tests = parts.map((part) => (part.startsWith("!") ? { not: holds(part.slice(1)) } : holds(part)));
  return inner.includes("|") ? { any: tests } : { all: tests };
}

function holds(atom = ""): JsonObject {
  return { [atom]: true };
}

function plain(scenario: ScenarioJson): Translation {
  return { scenario, negated: false };
}

function opposite(scenario: ScenarioJson): Translation {
  return { scenario, negated: true };
}
