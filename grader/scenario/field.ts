import { isObject, type JsonValue } from "../../proxy/record/json.ts";
import type { FieldPath, FieldTestNode, Operand, Where } from "./ast.ts";
import type { Build } from "./build.ts";
import { parseOperand } from "./operand.ts";
import { splitModifiers } from "./path.ts";
import { patternOf, type Scope } from "./pattern.ts";
import type { YamlEntry, YamlList, YamlMap, YamlNode } from "./yaml.ts";

/** Modifiers behind which a list or a map is one value, not several or nested tests. */
const WHOLE = ["equals", "like"];

/** Reads `path|modifier: value`. Empty when the path was refused. */
export function fieldTest(entry: YamlEntry, build: Build, scope: Scope): Where[] {
  if (!build.mayGrow(entry.keyPlace)) return [];
  const { path: written, modifiers } = splitModifiers(entry.key);
  const path = scope.nested && written === "event" ? nestedEvent() : build.pathIn(written, entry.keyPlace);
  if (path === undefined) return [];
  const test: Test = { entry, path, modifiers };
  const { value } = entry;
  if (modifiers.some((name) => WHOLE.includes(name)) || value.kind === "scalar") {
    return [leaf(test, spread(operandOf(value, build, scope), modifiers))];
  }
  if (value.kind === "map") {
    if (modifiers.includes("contains")) return [leaf(test, operandOf(value, build, scope))];
    return [nestedTest(test, value, { build, scope })];
  }
  return [listTest(test, value, { build, scope })];
}

interface Test {
  readonly entry: YamlEntry;
  readonly path: FieldPath;
  readonly modifiers: readonly string[];
}

interface Reading {
  readonly build: Build;
  readonly scope: Scope;
}

function nestedEvent(): FieldPath {
  return { kind: "dotted", text: "event", segments: [{ kind: "key", key: "event", exact: true }] };
}

function leaf({ entry, path, modifiers }: Test, value: FieldTestNode["value"]): FieldTestNode {
  const { key, keyPlace: place, value: node } = entry;
  return { kind: "field", key, path, modifiers, value, place, valuePlace: node.place };
}

/** A parameter of a pattern that was given a list means any of its values, as a written list does. */
function spread(operand: Operand, modifiers: readonly string[]): FieldTestNode["value"] {
  const isList = operand.kind === "literal" && Array.isArray(operand.value);
  if (!isList || modifiers.some((name) => WHOLE.includes(name))) return operand;
  return (operand.value as readonly JsonValue[]).map((value) => ({ kind: "literal", value }));
}

/** Maps in a list are nested tests of their own; everything else in it is a value. */
function listTest(test: Test, list: YamlList, reading: Reading): Where {
  const { build, scope } = reading;
  const maps = list.items.filter((item) => item.kind === "map");
  const values = list.items.filter((item) => item.kind !== "map");
  if (list.items.length === 0) {
    build.report("WM_SCENARIO_ARGUMENT", `"${test.entry.key}" is any of no values, which never holds`, list.place, {
      fix: "List at least one value; for an empty list write |equals: [].",
    });
  }
  for (const item of values) if (item.kind === "list") listInList(test, item, build);
  const operands = values.flatMap((item) => spread(operandOf(item, build, scope), test.modifiers));
  if (maps.length === 0) return leaf(test, operands);
  const isAll = test.modifiers.includes("all");
  const modifiers = test.modifiers.filter((name) => name !== "all" && name !== "not");
  const each = { ...test, modifiers };
  const items = [
    ...maps.map((item) => nestedTest(each, item, reading)),
    ...(operands.length > 0 ? [leaf({ ...test, modifiers: isAll ? [...modifiers, "all"] : modifiers }, operands)] : []),
  ];
  const joined: Where = { kind: isAll ? "all" : "any", items, place: list.place };
  return test.modifiers.includes("not") ? thereBut(test, joined) : joined;
}

function listInList({ entry }: Test, { place }: YamlNode, build: Build): void {
  build.report("WM_SCENARIO_ARGUMENT", `"${entry.key}" has a list in its list of values`, place, {
    fix: "For a field whose value is this whole list write |equals: [...].",
  });
}

/** A map: some value at the path satisfies all of its tests (`every`: each value; `not`: none, but the field is there). */
function nestedTest(test: Test, map: YamlMap, { build, scope }: Reading): Where {
  const { path, modifiers, entry } = test;
  const wrong = modifiers.find((name) => name !== "not" && name !== "every" && name !== "all");
  if (wrong !== undefined) {
    build.report("WM_SCENARIO_MODIFIER", `"${wrong}" does not go together with a map of field tests`, entry.keyPlace, {
      fix: "Write |equals: {...} to compare the whole value, or leave out the modifier.",
    });
  }
  const place = entry.keyPlace;
  const where = patternOf({ ...map, kind: "map" }, build, { ...scope, nested: true }) ?? {
    kind: "all",
    items: [],
    place,
  };
  const nested: Where = { kind: "nested", path, where, place };
  const hasNot = modifiers.includes("not");
  if (!modifiers.includes("every")) return hasNot ? thereBut(test, nested) : nested;
  const other: Where = { kind: "nested", path, where: { kind: "not", item: where, place }, place };
  const isEachNot = hasNot && modifiers.indexOf("not") > modifiers.indexOf("every");
  const counter = isEachNot ? nested : other;
  const every: Where = { kind: "all", items: [existence(test), { kind: "not", item: counter, place }], place };
  return hasNot && !isEachNot ? thereBut(test, every) : every;
}

function thereBut(test: Test, item: Where): Where {
  const place = test.entry.keyPlace;
  return { kind: "all", items: [existence(test), { kind: "not", item, place }], place };
}

function existence({ entry, path }: Test): FieldTestNode {
  const value: Operand = { kind: "literal", value: true };
  return leaf({ entry: { ...entry, key: `${path.text}|exists` }, path, modifiers: ["exists"] }, value);
}

/** A value with its variables; those that are parameters of the pattern being expanded are put in. */
export function operandOf(node: YamlNode, build: Build, scope: Scope): Operand {
  if (node.kind === "scalar") return substitute(parseOperand(node.value), node, { build, scope });
  if (node.kind === "list") {
    const items = node.items.map((item) => operandOf(item, build, scope));
    const values = items.flatMap((item) => (item.kind === "literal" ? [item.value] : []));
    return values.length === items.length ? { kind: "literal", value: values } : { kind: "list", items };
  }
  const entries = node.entries.map(({ key, value }) => [key, operandOf(value, build, scope)] as const);
  const values = entries.flatMap(([key, item]) => (item.kind === "literal" ? [[key, item.value] as const] : []));
  if (values.length === entries.length) return { kind: "literal", value: Object.fromEntries(values) };
  return { kind: "map", entries };
}

function substitute(operand: Operand, node: YamlNode, { build, scope }: Reading): Operand {
  if (operand.kind === "variable") return put(scope.env.get(operand.name), node, build) ?? operand;
  if (operand.kind !== "template") return operand;
  const parts = operand.parts.flatMap((part) => {
    const given = typeof part === "string" ? undefined : put(scope.env.get(part.name), node, build);
    return given === undefined ? [part] : partsOf(given, node, build);
  });
  const isText = parts.every((part) => typeof part === "string");
  return isText ? { kind: "literal", value: parts.join("") } : { kind: "template", parts };
}

/** The value of a parameter, counted: values that are put into values double with each pattern on the way. */
function put(given: Operand | undefined, { place }: YamlNode, build: Build): Operand | undefined {
  if (given === undefined || build.mayGrow(place, sizeOf(given))) return given;
  return { kind: "literal", value: "" };
}

const MAX_SIZE = 20_000;
const CHARACTERS_PER_PART = 100;

/** How many values an operand holds, long texts counting for more; counts no further than MAX_SIZE. */
function sizeOf(operand: Operand): number {
  let size = 0;
  const open: unknown[] = [operand];
  while (open.length > 0 && size < MAX_SIZE) {
    const value = open.pop();
    size += 1;
    if (typeof value === "string") size += Math.floor(value.length / CHARACTERS_PER_PART);
    else if (typeof value === "object" && value !== null) {
      for (const inner of Object.values(value)) if (open.length < MAX_SIZE) open.push(inner);
    }
  }
  return size;
}

function partsOf(operand: Operand, { place }: YamlNode, build: Build): (string | { readonly name: string })[] {
  if (operand.kind === "variable") return [{ name: operand.name }];
  if (operand.kind === "template") return [...operand.parts];
  const value = operand.kind === "literal" ? operand.value : [];
  if (!Array.isArray(value) && !isObject(value) && value !== null) return [String(value)];
  build.report("WM_SCENARIO_ARGUMENT", "only text, numbers, true and false can be put into a text", place);
  return [];
}
