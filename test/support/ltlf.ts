import type { JsonObject } from "../../proxy/record/json.ts";
import type { ScenarioJson } from "./scenario-from-json.ts";

/** A formula in the words of the scenario language; `negated` when the scenario says its opposite. */
export interface Translation {
  readonly scenario: ScenarioJson;
  readonly negated: boolean;
}

const ATOMS = ["A", "B", "C"];

/**
 * LTLf in scenarios, as far as the language goes. Each position of a trace becomes an event with its atoms as fields.
 * A nested until has no counterpart.
 */
export function translate(formula: string): Translation | undefined {
  const text = formula.replace(/\s+/g, " ").trim();
  const release = /^!(\w) R !(\w)$/.exec(text);
  if (release !== null) return opposite(until(release[1], release[2]));
  const strictUntil = /^(\w) U (\w)$/.exec(text);
  if (strictUntil !== null) return plain(until(strictUntil[1], strictUntil[2]));
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
