import { type Fault, fault } from "../../proxy/record/fault.ts";
import type { JsonValue } from "../../proxy/record/json.ts";
import type { FieldPath, FieldTestNode, Operand } from "../scenario/ast.ts";
import type { Clause, Equality } from "./clause.ts";
import { diagnoseField } from "./diagnose.ts";
import { type Argument, describeField } from "./explain.ts";
import { type Plan, planOf } from "./modifiers.ts";
import { type Bindings, operandValue, variablesOf } from "./operand.ts";
import { compilePath, isEventShorthand, type PathAccess } from "./path-access.ts";

export interface FieldContext {
  /** Where the event's name is; undefined inside a nested map, where `event` is a key like any other. */
  readonly eventName: FieldPath | undefined;
  readonly params: ReadonlyMap<string, JsonValue>;
  fault(problem: Fault): void;
  textOf(file: string): string | undefined;
}

/** A field test whose argument is read; `args` is undefined when variables decide them event by event. */
export interface FieldTest {
  readonly node: FieldTestNode;
  readonly plan: Plan;
  readonly access: PathAccess;
  readonly args: readonly Argument[] | undefined;
  readonly operands: readonly Operand[];
}

/** Compiles a field test. Unknown modifiers and arguments that do not fit are reported; such a test never holds. */
export function compileField(node: FieldTestNode, context: FieldContext): Clause {
  const text = context.textOf(node.place.file);
  const plan = planOf(node, context.fault, text);
  const access = compilePath(node.path, context.eventName);
  const operands = operandsOf(node, plan, context.params);
  const isStatic = operands.every(({ kind }) => kind === "literal");
  const report = (why: string) => context.fault(badArgument(node, plan, why, text));
  const args = plan !== undefined && isStatic ? readArguments(plan, operands, new Map(), report) : undefined;
  const test: FieldTest | undefined = plan && {
    node,
    plan,
    access,
    operands,
    args: isStatic ? (args ?? []) : undefined,
  };
  if (test === undefined) return never(node);
  const isName = isEventShorthand(node.path) || node.path.text === context.eventName?.text;
  return {
    cost: costOf(test),
    test: fastTest(test) ?? ((root, bindings) => holds(test, root, bindings)),
    diagnose(root, bindings) {
      return [diagnoseField(test, root, { args: argumentsOf(test, bindings), ok: holds(test, root, bindings) })];
    },
    describe: (bindings) => describeField(test, argumentsOf(test, bindings)),
    variables: operands.flatMap(variablesOf),
    paths: [node.path.text],
    ...equalityOf(test),
    ...(isName && context.eventName !== undefined ? namesOf(test) : {}),
  };
}

/** Whether the field test holds for the value at hand. Total: never throws. */
function holds(test: FieldTest, root: JsonValue, bindings: Bindings): boolean {
  const { plan, access } = test;
  const args = argumentsOf(test, bindings);
  if (args === undefined || args.length === 0) return false;
  const values = access.all(root);
  if (plan.operator.name === "exists") return args.some(({ value }) => value === values.length > 0);
  if (values.length === 0) return false;
  return valuesHold(plan, args, values) !== plan.not;
}

function valuesHold(plan: Plan, args: readonly Argument[], values: readonly JsonValue[]): boolean {
  const passes = (argument: Argument, value: JsonValue) => passesOne(plan, argument, value);
  if (plan.every) {
    return values.every((value) => {
      const ok = plan.all ? args.every((arg) => passes(arg, value)) : args.some((arg) => passes(arg, value));
      return ok !== plan.notEach;
    });
  }
  if (plan.all) return args.every((arg) => values.some((value) => passes(arg, value)));
  return values.some((value) => args.some((arg) => passes(arg, value)));
}

function passesOne({ operator, transformers, ignoreCase }: Plan, argument: Argument, value: JsonValue): boolean {
  let compared: JsonValue | undefined = value;
  for (const transformer of transformers) {
    compared = transformer.apply(compared);
    if (compared === undefined) return false;
  }
  return operator.test(argument.value, compared, { ignoreCase });
}

/** Straight code for `path: value` and `path: [values]`, the tests that run for every event. */
function fastTest({ plan, access, args }: FieldTest): Clause["test"] | undefined {
  if (!isPlain(plan) || !access.single || args === undefined || args.length === 0) return undefined;
  const values = args.map(({ given }) => given);
  if (!values.every(isIdentical)) return undefined;
  const [only] = values;
  if (values.length === 1) return (root) => access.get(root) === only;
  const set: ReadonlySet<JsonValue | undefined> = new Set(values);
  return (root) => set.has(access.get(root));
}

/** Values that are equal exactly when `===` says so (not large doubles, which may equal a bigint). */
function isIdentical(value: JsonValue): boolean {
  if (typeof value === "number") return Number.isSafeInteger(value) || !Number.isInteger(value);
  return value === null || typeof value === "string" || typeof value === "boolean";
}

function isPlain({ operator, transformers, ignoreCase, every, not }: Plan): boolean {
  return operator.name === "is" && transformers.length === 0 && !ignoreCase && !every && !not;
}

function argumentsOf({ plan, operands, args }: FieldTest, bindings: Bindings): readonly Argument[] | undefined {
  return args ?? readArguments(plan, operands, bindings);
}

function readArguments(
  plan: Plan,
  operands: readonly Operand[],
  bindings: Bindings,
  report?: (why: string) => void,
): readonly Argument[] | undefined {
  const read: Argument[] = [];
  for (const operand of operands) {
    const value = operandValue(operand, bindings);
    if (value === undefined) return undefined;
    for (const given of spread(plan, value)) {
      const argument = readArgument(plan, given);
      if (typeof argument !== "string") read.push(argument);
      else if (report === undefined) return undefined;
      else report(argument);
    }
  }
  return read;
}

/** A captured list is any of its elements for comparisons that take one value, and itself for the others. */
function spread({ operator }: Plan, value: JsonValue): readonly JsonValue[] {
  const takesLists = ["is", "equals", "contains"].includes(operator.name);
  return Array.isArray(value) && !takesLists ? value : [value];
}

function readArgument({ operator, transformers, ignoreCase }: Plan, given: JsonValue): Argument | string {
  let value: JsonValue | undefined = given;
  for (const { alsoArgument, apply } of transformers) {
    if (alsoArgument && value !== undefined) value = apply(value);
  }
  const names = transformers.map(({ name }) => name);
  if (value === undefined) return names.includes("num") ? "a number" : "a text, a number, true or false";
  if (names.includes("size") && typeof value !== "number") return "a number";
  const parsed = operator.parse(value, { ignoreCase });
  return parsed.ok ? { given: value, value: parsed.value } : parsed.why;
}

/** The operands with parameters put in; a parameter that is a list is any of its elements, as a written list is. */
function operandsOf(
  node: FieldTestNode,
  plan: Plan | undefined,
  params: ReadonlyMap<string, JsonValue>,
): readonly Operand[] {
  const written = isOperandList(node.value) ? node.value : [node.value];
  return written.flatMap((operand): readonly Operand[] => {
    if (operand.kind === "literal" || !variablesOf(operand).every((name) => params.has(name))) return [operand];
    const value = operandValue(operand, params);
    if (value === undefined) return [operand];
    if (!Array.isArray(value) || plan?.operator.name === "equals") return [{ kind: "literal", value }];
    return value.map((item: JsonValue) => ({ kind: "literal", value: item }));
  });
}

function isOperandList(value: Operand | readonly Operand[]): value is readonly Operand[] {
  return Array.isArray(value);
}

function badArgument(node: FieldTestNode, plan: Plan | undefined, why: string, text: string | undefined): Fault {
  const name = plan?.operator.name ?? "is";
  const message = `"${name === "is" ? node.key : name}" takes ${why}`;
  const code = name === "re" ? "WM_SCENARIO_REGEX" : "WM_SCENARIO_ARGUMENT";
  return fault(code, message, { place: node.valuePlace, text });
}

const COSTS: Readonly<Record<string, number>> = { is: 1, exists: 1, gt: 1, gte: 1, lt: 1, lte: 1, type: 1, re: 20 };

function costOf({ plan, access, args }: FieldTest): number {
  return (COSTS[plan.operator.name] ?? 3) + (access.single ? 0 : 10) + (args === undefined ? 2 : 0);
}

function equalityOf({ node, plan, access, operands }: FieldTest): { equality?: Equality } {
  const [operand] = operands;
  if (!isPlain(plan) || !access.single || operand === undefined || operands.length !== 1) return {};
  if (operand.kind === "variable") {
    return { equality: { kind: "variable", path: node.path, variable: operand.name } };
  }
  if (operand.kind !== "literal" || typeof operand.value !== "string") return {};
  return { equality: { kind: "literal", path: node.path, value: operand.value } };
}

function namesOf({ plan, args }: FieldTest): { names?: readonly string[] } {
  if (!isPlain(plan) || plan.all || args === undefined) return {};
  const names = args.map(({ given }) => given).filter((name) => typeof name === "string");
  return names.length === args.length ? { names } : {};
}

function never(node: FieldTestNode): Clause {
  return {
    cost: 0,
    test: () => false,
    diagnose: () => [{ path: node.path.text, want: "a valid field test", ok: false }],
    describe: () => node.key,
    variables: [],
    paths: [node.path.text],
  };
}
