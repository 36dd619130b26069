import { isEqual } from "../../proxy/record/equality.ts";
import type { Fault } from "../../proxy/record/fault.ts";
import type { JsonValue } from "../../proxy/record/json.ts";
import type { FieldPath, FieldTestNode, Operand } from "../scenario/ast.ts";
import { variablesOf } from "../scenario/operands.ts";
import { badArgument, operandsOf, readArguments } from "./argument.ts";
import type { Clause, Equality, Identity } from "./clause.ts";
import { diagnoseField } from "./diagnose.ts";
import { type Argument, describeField } from "./explain.ts";
import { type Plan, planOf } from "./modifiers.ts";
import type { Bindings } from "./operand.ts";
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
    ...identityOf(test, isName ? context.eventName : undefined),
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

function passesOne({ operator, transformers, options }: Plan, argument: Argument, value: JsonValue): boolean {
  let compared: JsonValue | undefined = value;
  for (const transformer of transformers) {
    compared = transformer.apply(compared);
    if (compared === undefined) return false;
  }
  return operator.test(argument.value, compared, options);
}

/** Code without allocation for the tests that run for every event: one place, and arguments that are known or plain. */
function fastTest(test: FieldTest): Clause["test"] | undefined {
  const { plan, access, args, operands } = test;
  if (!access.single || plan.operator.name === "exists" || args?.length === 0) return undefined;
  const [operand] = operands;
  if (args !== undefined)
    return isPlain(plan) && args.every(isIdentical) ? identity(access, args) : onePlace(test, args);
  if (!isPlain(plan) || operands.length !== 1 || operand?.kind !== "variable") return undefined;
  return (root, bindings) => {
    const value = access.get(root);
    const wanted = value === undefined ? undefined : bindings.get(operand.name);
    return value !== undefined && wanted !== undefined && isEqual(wanted, value);
  };
}

function identity(access: PathAccess, args: readonly Argument[]): Clause["test"] {
  const [only] = args;
  if (args.length === 1) return (root) => access.get(root) === only?.given;
  const set: ReadonlySet<JsonValue | undefined> = new Set(args.map(({ given }) => given));
  return (root) => set.has(access.get(root));
}

function onePlace({ plan, access }: FieldTest, args: readonly Argument[]): Clause["test"] {
  const isNegated = plan.not || plan.notEach;
  return (root) => {
    const value = access.get(root);
    if (value === undefined) return false;
    for (const argument of args) {
      // any of them: the first that passes decides; all of them: the first that does not
      if (passesOne(plan, argument, value) !== plan.all) return plan.all === isNegated;
    }
    return plan.all !== isNegated;
  };
}

/** Values that are equal exactly when `===` says so (not large doubles, which may equal a bigint). */
function isIdentical({ given: value }: Argument): boolean {
  if (typeof value === "number") return Number.isSafeInteger(value) || !Number.isInteger(value);
  return value === null || typeof value === "string" || typeof value === "boolean";
}

function isPlain({ operator, transformers, options, all, every, not }: Plan): boolean {
  const isBare = operator.name === "is" && transformers.length === 0 && !options.ignoreCase;
  return isBare && !all && !every && !not;
}

function argumentsOf({ plan, operands, args }: FieldTest, bindings: Bindings): readonly Argument[] | undefined {
  return args ?? readArguments(plan, operands, bindings);
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

function identityOf(
  { node, plan, access, args }: FieldTest,
  eventName: FieldPath | undefined,
): { identity?: Identity } {
  if (!isPlain(plan) || !access.single || args === undefined || !args.every(isIdentical)) return {};
  const values = args.map(({ given }) => given).filter(isScalar);
  return values.length === args.length && values.length > 0
    ? { identity: { path: eventName ?? node.path, values } }
    : {};
}

function isScalar(value: JsonValue | undefined): value is string | number | boolean | null {
  return value === null || typeof value === "string" || typeof value === "number" || typeof value === "boolean";
}

function namesOf({ plan, args }: FieldTest): { names?: readonly string[] } {
  if (!isPlain(plan) || args === undefined) return {};
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
