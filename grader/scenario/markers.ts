import type { BlockMarker, EventMarker, MarkerCommon, MarkerNode, Where } from "./ast.ts";
import { type Build, durationOf, given, isTrue, numberOf, textOf, valueAt } from "./build.ts";
import { isBlock, isEventKey, patternOf, reference, TOP } from "./pattern.ts";
import { entryOf, type YamlMap, type YamlNode } from "./yaml.ts";

const BLOCKS = ["any_order", "one_of", "sequence"] as const;

/** Reads the list of markers. Names are given where there is none, and kept unique. */
export function markersOf(node: YamlNode | undefined, build: Build): MarkerNode[] {
  const names = new Names(build);
  return listOf(node, "", { build, names });
}

/** All maps of a marker list that are markers, with those inside blocks: for finding them by name. */
export function markerMaps(node: YamlNode | undefined): YamlMap[] {
  if (node === undefined || node.kind === "scalar") return [];
  if (node.kind === "list") return node.items.flatMap(markerMaps);
  return [node, ...BLOCKS.flatMap((key) => markerMaps(valueAt(node, key)))];
}

/** The event's name when a `where` asks for exactly one, as the name of a marker without one. */
export function eventNameOf(where: Where): string | undefined {
  if (where.kind === "all") return where.items.map(eventNameOf).find((name) => name !== undefined);
  if (where.kind !== "field" || where.key !== "event" || Array.isArray(where.value)) return undefined;
  const operand = where.value as Exclude<typeof where.value, readonly unknown[]>;
  return operand.kind === "literal" && typeof operand.value === "string" ? operand.value : undefined;
}

/** Names of one kind in a file: explicit ones must differ, given ones are numbered. */
export class Names {
  readonly #build: Build;
  readonly #lines = new Map<string, number>();

  constructor(build: Build) {
    this.#build = build;
  }

  explicit(name: string, node: YamlNode, kind: string): string {
    const first = this.#lines.get(name);
    if (first !== undefined) {
      const message = `two ${kind}s are called "${name}" (the first in line ${first})`;
      this.#build.report("WM_SCENARIO_DUPLICATE_NAME", message, node.place);
    }
    this.#lines.set(name, first ?? node.place.line);
    return name;
  }

  given(wanted: string, line: number): string {
    let name = wanted;
    for (let number = 2; this.#lines.has(name); number++) name = `${wanted} ${number}`;
    this.#lines.set(name, line);
    return name;
  }

  reserve(names: readonly { readonly name: string; readonly line: number }[]): void {
    for (const { name, line } of names) if (!this.#lines.has(name)) this.#lines.set(name, line);
  }
}

interface Reading {
  readonly build: Build;
  readonly names: Names;
}

function listOf(node: YamlNode | undefined, number: string, reading: Reading): MarkerNode[] {
  const items = node?.kind === "list" ? node.items : [];
  return items.flatMap((item, index) => {
    const map = mapOf(item);
    return map === undefined ? [] : [markerOf(map, number === "" ? `${index + 1}` : `${number}.${index + 1}`, reading)];
  });
}

/** A name alone is a marker of that pattern. */
function mapOf(node: YamlNode): YamlMap | undefined {
  if (node.kind === "map") return node;
  if (textOf(node) === undefined) return undefined;
  return { kind: "map", place: node.place, entries: [{ key: "pattern", keyPlace: node.place, value: node }] };
}

function markerOf(map: YamlMap, number: string, reading: Reading): MarkerNode {
  return isBlock(map) ? blockOf(map, number, reading) : eventMarkerOf(map, number, reading);
}

function eventMarkerOf(map: YamlMap, number: string, reading: Reading): EventMarker {
  const { build } = reading;
  const where = reference(map, build, TOP);
  const isOpen = !map.entries.some(({ key }) => key === "where" || key === "pattern" || isEventKey(key));
  if (isOpen) {
    const fix = "Say which event: event: NAME, where: { ... } or pattern: NAME.";
    build.report("WM_SCENARIO_MISSING_KEY", "a marker needs event, where or pattern", map.place, { fix });
  }
  const name = textOf(valueAt(map, "event")) ?? textOf(valueAt(map, "pattern")) ?? eventNameOf(where);
  const common = commonOf(map, name ?? `marker ${number}`, reading);
  return { kind: "marker", ...common, where, capture: build.captures(valueAt(map, "capture")) };
}

function blockOf(map: YamlMap, number: string, reading: Reading): BlockMarker {
  const { build } = reading;
  const [kind = "sequence", ...others] = BLOCKS.filter((key) => entryOf(map, key) !== undefined);
  for (const other of others) wrongKey(other, `a marker is one block, and here is ${kind} already`);
  for (const { key } of map.entries) {
    if (["where", "pattern", "with", "capture"].includes(key) || isEventKey(key)) {
      wrongKey(key, `"${key}" belongs to a marker of one event, not beside ${kind}`);
    }
  }
  const common = commonOf(map, `marker ${number}`, reading);
  const body = valueAt(map, kind);
  const items = body?.kind === "list" ? body.items : [];
  const lists =
    kind === "sequence"
      ? [listOf(body, number, reading)]
      : items.map((item, index) => chainOf(item, `${number}.${index + 1}`, reading));
  return { kind, ...common, lists };

  function wrongKey(key: string, message: string): void {
    const place = entryOf(map, key)?.keyPlace ?? map.place;
    build.report("WM_SCENARIO_UNKNOWN_KEY", message, place, { fix: "Write it as a marker inside the block." });
  }
}

function chainOf(item: YamlNode, number: string, reading: Reading): MarkerNode[] {
  const map = mapOf(item);
  if (map !== undefined) return [markerOf(map, number, reading)];
  const chain = listOf(item, number, reading);
  if (item.kind === "list" && item.items.length === 0) {
    reading.build.report("WM_SCENARIO_WRONG_TYPE", "a list of markers is empty", item.place, { fix: "Remove it." });
  }
  return chain;
}

function commonOf(map: YamlMap, fallback: string, { build, names }: Reading): MarkerCommon {
  const node = valueAt(map, "name");
  const explicit = textOf(node);
  const name =
    node === undefined || explicit === undefined
      ? names.given(fallback, map.place.line)
      : names.explicit(explicit, node, "marker");
  return {
    name,
    place: map.place,
    optional: isTrue(map, "optional"),
    advisory: isTrue(map, "advisory"),
    weight: numberOf(valueAt(map, "weight")) ?? 1,
    repeat: numberOf(valueAt(map, "repeat")) ?? 1,
    immediately: isTrue(map, "immediately"),
    ...given("distinct", build.paths(valueAt(map, "distinct"))),
    ...given("same", build.paths(valueAt(map, "same"))),
    ...given("timespanMs", durationOf(map, "timespan")),
    ...given("withinMs", durationOf(map, "within")),
    ...given("without", patternOf(valueAt(map, "without"), build)),
  };
}
