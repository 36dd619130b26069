import { nearest } from "../../proxy/record/near.ts";
import type { Place } from "../../proxy/record/place.ts";
import type { Operand, Where } from "./ast.ts";
import { type Build, type Definition, textOf, valueAt } from "./build.ts";
import { fieldTest, operandOf } from "./field.ts";
import { entryOf, type YamlEntry, type YamlMap, type YamlNode } from "./yaml.ts";

/** Where a pattern is being read. */
export interface Scope {
  /** Values of the parameters of the pattern being expanded. */
  readonly env: ReadonlyMap<string, Operand>;
  /** Names of the patterns being expanded, outermost first. */
  readonly open: readonly string[];
  /** Inside a nested map, where `event` is a key like any other. */
  readonly nested: boolean;
}

export const TOP: Scope = { env: new Map(), open: [], nested: false };

/** Reads a pattern: a name, a map of field tests, or a list of them (any of). Undefined when it was refused. */
export function patternOf(node: YamlNode | undefined, build: Build, scope: Scope = TOP): Where | undefined {
  if (node === undefined) return undefined;
  if (scope.open.length > 0 && !build.mayGrow(node.place)) return undefined;
  return build.within(node.place, () => expand(node, build, scope));
}

function expand(node: YamlNode, build: Build, scope: Scope): Where | undefined {
  if (node.kind === "list") {
    const items = node.items.flatMap((item) => patternOf(item, build, scope) ?? []);
    return { kind: "any", items, place: node.place };
  }
  if (node.kind === "map") return isReference(node) ? reference(node, build, scope) : whereOf(node, build, scope);
  const name = textOf(node);
  return name === undefined ? undefined : named(name, { place: node.place, with: undefined }, { build, scope });
}

/** Reads a map of field tests: all of them hold for one event. */
export function whereOf(map: YamlMap, build: Build, scope: Scope): Where {
  const items = map.entries.flatMap((entry) => blockOf(entry, build, scope) ?? fieldTest(entry, build, scope));
  return { kind: "all", items, place: map.place };
}

/**
 * The event keys, named pattern and `where` of a map, combined with and: the form of markers, which patterns may take as
 * well. The event's name comes first: it is the cheapest test and tells most.
 */
export function reference(map: YamlMap, build: Build, scope: Scope): Where {
  const items: Where[] = [];
  for (const entry of map.entries) if (isEventKey(entry.key)) items.push(...fieldTest(entry, build, scope));
  const pattern = entryOf(map, "pattern");
  const name = textOf(pattern?.value);
  if (pattern !== undefined && name !== undefined) {
    const found = named(name, { place: pattern.value.place, with: valueAt(map, "with") }, { build, scope });
    if (found !== undefined) items.push(found);
  } else if (pattern !== undefined) items.push(...[patternOf(pattern.value, build, scope) ?? []].flat());
  const where = patternOf(valueAt(map, "where"), build, scope);
  if (where !== undefined) items.push(where);
  return { kind: "all", items: items.flatMap(flatten), place: map.place };
}

export function isEventKey(key: string): boolean {
  return key === "event" || key.startsWith("event|");
}

/** True for `{ pattern: NAME, with: {...} }` and `{ event: ..., where: {...} }`; other maps are field tests. */
function isReference(map: YamlMap): boolean {
  const only = (...keys: readonly string[]) => map.entries.every(({ key }) => keys.includes(key) || isEventKey(key));
  const isNamed = textOf(valueAt(map, "pattern")) !== undefined && only("pattern", "with", "where");
  const where = valueAt(map, "where")?.kind;
  return isNamed || ((where === "map" || where === "list") && only("where", "params", "description"));
}

function flatten(where: Where): readonly Where[] {
  return where.kind === "all" ? where.items : [where];
}

function blockOf(entry: YamlEntry, build: Build, scope: Scope): Where | undefined {
  const { key, value, keyPlace } = entry;
  const inner = { ...scope, nested: scope.nested };
  if (key === "not" && value.kind !== "scalar") {
    const item = patternOf(value, build, inner);
    return item && { kind: "not", item, place: keyPlace };
  }
  if (key === "not" && textOf(value) !== undefined && build.definitions.has(textOf(value) ?? "")) {
    const item = patternOf(value, build, inner);
    return item && { kind: "not", item, place: keyPlace };
  }
  if ((key === "all" || key === "any") && value.kind === "list") {
    const items = value.items.flatMap((item) => patternOf(item, build, inner) ?? []);
    if (value.items.length === 0) reportEmpty(key, value, build);
    return { kind: key, items, place: keyPlace };
  }
  return undefined;
}

function reportEmpty(key: string, { place }: YamlNode, build: Build): void {
  const fix = "Name at least one pattern.";
  build.report("WM_SCENARIO_ARGUMENT", `"${key}" takes a list with at least one pattern`, place, { fix });
}

interface Reading {
  readonly build: Build;
  readonly scope: Scope;
}

interface Use {
  readonly place: Place;
  readonly with: YamlNode | undefined;
}

/** The pattern of that name, with its parameters put in. Markers count as patterns; defined ones come first. */
export function named(name: string, use: Use, { build, scope }: Reading): Where | undefined {
  if (scope.open.includes(name)) {
    const circle = [...scope.open.slice(scope.open.indexOf(name)), name].join(" -> ");
    build.report("WM_SCENARIO_CYCLE", `the pattern "${name}" refers to itself: ${circle}`, use.place);
    return undefined;
  }
  const open = [...scope.open, name];
  const definition = build.definitions.get(name);
  if (definition !== undefined) {
    build.used.add(name);
    const env = environment(definition, use, { build, scope });
    return patternOf(definition.body, build, { env, open, nested: false });
  }
  const marker = build.markers.get(name);
  if (marker !== undefined && isBlock(marker)) {
    build.report(
      "WM_SCENARIO_UNKNOWN_PATTERN",
      `"${name}" is a block of markers, not a pattern of one event`,
      use.place,
    );
    return undefined;
  }
  if (marker !== undefined) return reference(marker, build, { env: new Map(), open, nested: false });
  unknown(name, use.place, build);
  return undefined;
}

export function isBlock(marker: YamlMap): boolean {
  return marker.entries.some(({ key }) => key === "any_order" || key === "one_of" || key === "sequence");
}

function unknown(name: string, place: Place, build: Build): void {
  const known = [...build.definitions.keys(), ...build.markers.keys()];
  const [near] = nearest(name, known);
  const hint = near === undefined ? "" : ` — did you mean "${near}"?`;
  const list = known.length === 0 ? "none is defined" : `known: ${known.slice(0, 20).join(", ")}`;
  const fix = `Define it under define:, or name a marker (${list}). An event's name is written { event: ${name} }.`;
  build.report("WM_SCENARIO_UNKNOWN_PATTERN", `no pattern is called "${name}"${hint}`, place, { fix });
}

function environment({ name, params }: Definition, use: Use, { build, scope }: Reading): Map<string, Operand> {
  const env = new Map<string, Operand>();
  const entries = use.with?.kind === "map" ? use.with.entries : [];
  for (const { key, keyPlace, value } of entries) {
    if (params.includes(key)) env.set(key, operandOf(value, build, scope));
    else {
      const fix = params.length === 0 ? "It takes none: leave out with." : `It takes ${params.join(", ")}.`;
      build.report("WM_SCENARIO_VARIABLE", `the pattern "${name}" takes no parameter "${key}"`, keyPlace, { fix });
    }
  }
  const missing = params.filter((param) => !env.has(param));
  if (missing.length > 0) {
    const fix = `Write { pattern: ${name}, with: { ${missing.map((param) => `${param}: ...`).join(", ")} } }.`;
    const message = `the pattern "${name}" needs a value for ${missing.map((param) => `"${param}"`).join(", ")}`;
    build.report("WM_SCENARIO_VARIABLE", message, use.place, { fix });
  }
  for (const param of missing) env.set(param, { kind: "literal", value: null });
  return env;
}
