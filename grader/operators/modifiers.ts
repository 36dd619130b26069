import { type Fault, fault } from "../../proxy/record/fault.ts";
import { nearest } from "../../proxy/record/near.ts";
import type { FieldTestNode } from "../scenario/ast.ts";
import { OPERATORS } from "./index.ts";
import { is } from "./is.ts";
import type { Operator, OperatorOptions } from "./operator.ts";
import { TRANSFORMERS, type Transformer } from "./transformer.ts";

/** What the modifiers of a field test ask for together. */
export interface Plan {
  readonly operator: Operator;
  readonly transformers: readonly Transformer[];
  readonly options: OperatorOptions;
  /** Every listed value, instead of any of them. */
  readonly all: boolean;
  /** Every value on the path, instead of any of them. */
  readonly every: boolean;
  /** The field is there and the rest does not hold. */
  readonly not: boolean;
  /** `every|not`: each value fails the rest; `not|every` and plain `not` negate the whole. */
  readonly notEach: boolean;
}

const FLAG_SUMMARIES: Readonly<Record<string, string>> = {
  all: "Every listed value, instead of any of them.",
  every: "Every value on the path, and at least one; instead of any of them.",
  not: "The field is there, and the rest does not hold.",
  i: "Letters count without their case.",
};
const FLAGS = Object.keys(FLAG_SUMMARIES);
/** Comparisons for which the case of letters means something. */
const WITH_CASE = [
  "is",
  "equals",
  "contains",
  "startswith",
  "endswith",
  "re",
  "glob",
  "gt",
  "gte",
  "lt",
  "lte",
  "under",
];

/** Every word that may stand behind a pipe. */
export function modifierNames(): string[] {
  const comparisons = OPERATORS.map(({ name }) => name).filter((name) => name !== "is");
  return [...comparisons, ...TRANSFORMERS.map(({ name }) => name), ...FLAGS];
}

/** Every modifier with one sentence on what it asks, in the order of the reference. */
export function modifierSummaries(): readonly (readonly [name: string, summary: string])[] {
  const comparisons = OPERATORS.filter(({ name }) => name !== "is");
  const named = [...comparisons, ...TRANSFORMERS].map(({ name, summary }) => [name, summary] as const);
  return [...named, ...Object.entries(FLAG_SUMMARIES)];
}

/** Reads the modifiers of a field test; undefined, with the fault reported, when they are unknown or do not go together. */
export function planOf(node: FieldTestNode, report: (problem: Fault) => void, text?: string): Plan | undefined {
  const problem = complaint(node.modifiers);
  if (problem !== undefined) {
    report(fault("WM_SCENARIO_MODIFIER", problem.message, { place: node.place, text, fix: problem.fix }));
    return undefined;
  }
  const has = (name: string) => node.modifiers.includes(name);
  const every = has("every");
  const notEach = every && node.modifiers.indexOf("not") > node.modifiers.indexOf("every");
  return {
    operator: OPERATORS.find(({ name }) => name !== "is" && has(name)) ?? (is as Operator),
    transformers: node.modifiers.flatMap((name) => TRANSFORMERS.filter((transformer) => transformer.name === name)),
    options: { ignoreCase: has("i") },
    all: has("all"),
    every,
    not: has("not") && !notEach,
    notEach,
  };
}

interface Complaint {
  readonly message: string;
  readonly fix: string;
}

function complaint(modifiers: readonly string[]): Complaint | undefined {
  const unknown = modifiers.find((name) => !modifierNames().includes(name));
  if (unknown !== undefined) return unknownModifier(unknown);
  const twice = modifiers.find((name, index) => modifiers.indexOf(name) !== index);
  if (twice !== undefined) return { message: `the modifier "${twice}" stands there twice`, fix: "Write it once." };
  const comparisons = modifiers.filter((name) => OPERATORS.some((operator) => operator.name === name));
  if (comparisons.length > 1) {
    const [a, b] = comparisons;
    const message = `a field test makes one comparison, but here are "${a}" and "${b}"`;
    return { message, fix: "Write two field tests; use all: [...] when both are about the same field." };
  }
  return badFlag(modifiers, comparisons[0] ?? "is");
}

function unknownModifier(unknown: string): Complaint {
  const [near] = nearest(unknown, modifierNames());
  const known = `Known: ${modifierNames().join(", ")}.`;
  const shown = unknown === "" ? "no modifier stands behind the pipe" : `unknown modifier "${unknown}"`;
  if (near === undefined) {
    return { message: shown, fix: `${known} A key with a pipe in its name is written in quotes: ['a|b'].` };
  }
  return { message: `${shown} — did you mean "${near}"?`, fix: `Write |${near}. ${known}` };
}

function badFlag(modifiers: readonly string[], comparison: string): Complaint | undefined {
  if (comparison === "exists" && modifiers.length > 1) {
    const other = modifiers.find((name) => name !== "exists");
    return { message: `"exists" and "${other}" do not go together`, fix: "Write exists: true or exists: false." };
  }
  if (modifiers.includes("i") && !WITH_CASE.includes(comparison)) {
    return { message: `"i" (ignore case) means nothing for "${comparison}"`, fix: "Leave out |i." };
  }
  return undefined;
}
