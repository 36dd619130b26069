import type { JsonObject, JsonValue } from "../../../proxy/record/json.ts";
import { compilePattern } from "../../match/pattern.ts";
import { compileProgram } from "../../match/program.ts";
import { type Bindings, compilePath, compileWhere, type PathAccess, type WhereContext } from "../../operators/where.ts";
import type { EventMarker, FieldPath, MarkerNode, Scenario, Where } from "../../scenario/ast.ts";
import { bindParams } from "../../scenario/params.ts";

/** A scenario under test, with its field tests ready: what a mutation needs to know of it. */
export interface Subject {
  readonly scenario: Scenario;
  readonly texts: ReadonlyMap<string, string> | undefined;
  readonly given: ReadonlyMap<string, JsonValue>;
  /** Values of the parameters, defaults among them. */
  readonly params: ReadonlyMap<string, JsonValue>;
  test(where: Where, event: JsonObject, bindings: Bindings): boolean;
  /** False when no captured value could make the event satisfy it. */
  could(where: Where, event: JsonObject): boolean;
  read(path: FieldPath): PathAccess;
}

/** Throws what compiling the scenario throws. A provisional scenario is put to the test as if it were none. */
export function createSubject(
  { scenario, texts }: { readonly scenario: Scenario; readonly texts?: ReadonlyMap<string, string> },
  given: ReadonlyMap<string, JsonValue>,
): Subject {
  const own = new Map([...given].filter(([name]) => scenario.params.some((known) => known.name === name)));
  compileProgram(scenario, own, texts);
  const params = bindParams(scenario, Object.fromEntries(own));
  const context: WhereContext = {
    eventName: scenario.events.name,
    params,
    fault: () => undefined, // compiling the program has raised them
  };
  const checks = new Map<Where, ReturnType<typeof compileWhere>>();
  const patterns = new Map<Where, ReturnType<typeof compilePattern>>();
  const paths = new Map<string, PathAccess>();
  return {
    scenario: { ...scenario, provisional: false },
    texts,
    given: own,
    params,
    test: (where, event, bindings) => kept(checks, where, () => compileWhere(where, context)).test(event, bindings),
    could: (where, event) => kept(patterns, where, () => compilePattern(where, context)).screen(event),
    read: (path) => kept(paths, JSON.stringify(path), () => compilePath(path, scenario.events.name)),
  };
}

function kept<K, V>(map: Map<K, V>, key: K, make: () => V): V {
  const known = map.get(key);
  if (known !== undefined) return known;
  const made = make();
  map.set(key, made);
  return made;
}

/** All nodes of a marker list, blocks before what is in them. */
export function nodesOf(markers: readonly MarkerNode[]): readonly MarkerNode[] {
  return markers.flatMap((node) => (node.kind === "marker" ? [node] : [node, ...node.lists.flatMap(nodesOf)]));
}

/** The single events of a marker list, in the order of the file. */
export function leavesIn(markers: readonly MarkerNode[]): readonly EventMarker[] {
  return nodesOf(markers).filter((node) => node.kind === "marker");
}
