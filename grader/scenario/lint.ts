import { nearest } from "../../proxy/record/near.ts";
import type { FieldTestNode, MarkerNode, Scenario, Where } from "./ast.ts";
import type { Build } from "./build.ts";
import { lintValue } from "./lint-value.ts";

/** Warnings and hints about what is well formed but will not do what its author wants (LANGUAGE.md section 10). */
export function lintScenario(scenario: Scenario, build: Build): void {
  lintList(scenario.markers, build);
  for (const rule of scenario.rules) {
    const parts = [rule.after, rule.before, ...(rule.between ?? []), rule.until, rule.without];
    const own = rule.verb === "span" ? [rule.start, rule.end] : [rule.target];
    const more = rule.verb === "each" ? [rule.must] : rule.verb === "if" ? [rule.condition] : [];
    for (const part of [...parts, ...own, ...more]) if (part !== undefined) lintWhere(part, build);
  }
  for (const { name, place } of build.definitions.values()) {
    if (build.used.has(name) || place.file !== scenario.place.file) continue;
    warn(build, `the pattern "${name}" is never used`, place, "Use it in a marker or rule, or remove it.");
  }
}

function lintList(markers: readonly MarkerNode[], build: Build): void {
  for (const [index, marker] of markers.entries()) {
    lintMarker(marker, build);
    const before = markers[index - 1];
    if (before?.kind === "marker" && marker.kind === "marker" && isSame(before.where, marker.where)) {
      const message = `"${marker.name}" asks for the same event as the marker before it`;
      warn(
        build,
        message,
        marker.place,
        "Write repeat: 2 on one marker, unless two events with the same look are meant.",
      );
    }
  }
}

function lintMarker(marker: MarkerNode, build: Build): void {
  if (marker.without !== undefined) lintWhere(marker.without, build);
  if (marker.kind !== "marker") {
    for (const list of marker.lists) lintList(list, build);
    return;
  }
  lintWhere(marker.where, build);
  if (marker.where.kind === "all" && marker.where.items.length === 0) {
    warn(
      build,
      `"${marker.name}" is satisfied by any event`,
      marker.place,
      "Say which event: event: NAME or where: { ... }.",
    );
  }
  if (marker.without !== undefined && isSame(marker.without, marker.where)) {
    const message = `"without" of "${marker.name}" names the marker's own events`;
    warn(build, message, marker.without.place, "Name the events that must not come in between.");
  }
}

/** What a pattern's field tests look like but do not mean. */
function lintWhere(where: Where, build: Build): void {
  if (where.kind === "all" || where.kind === "any") for (const item of where.items) lintWhere(item, build);
  else if (where.kind === "not") lintWhere(where.item, build);
  else if (where.kind === "nested") lintWhere(where.where, build);
  else {
    lintKey(where, build);
    lintValue(where, build);
  }
}

/** Keys of markers and rules that no event is likely to have: inside a pattern they are names of fields. */
const KEYS = [
  ["within", "without", "immediately", "repeat", "distinct", "same", "timespan", "optional", "advisory", "capture"],
  ["where", "pattern", "with", "after", "before", "until", "between", "exactly", "must", "severity", "require_trigger"],
].flat();

/** A slip in `event:`, or a key of the marker or rule around it, silently becomes a test of a field with that name. */
function lintKey({ path, place, key }: FieldTestNode, build: Build): void {
  if (path.kind !== "dotted" || path.segments.length !== 1) return;
  const [segment] = path.segments;
  if (segment?.kind !== "key" || segment.exact) return;
  if (KEYS.includes(segment.key)) {
    const message = `"${key}" stands inside a pattern, where it is the event's field of that name`;
    warn(build, message, place, "Move it out, beside the pattern; a field really called so is written in ['...'].");
  } else if (isSlipOf(segment.key, "event")) {
    warn(build, `"${key}" is a field of the event here — did you mean "event"?`, place, "Write event: NAME.");
  }
}

function isSlipOf(typed: string, word: string): boolean {
  const isAlike = Math.abs(typed.length - word.length) <= 1 && typed.length > 3 && !typed.startsWith(word);
  return isAlike && nearest(typed, [word]).length > 0;
}

/** Whether two patterns ask for the same, wherever they stand. */
function isSame(a: unknown, b: unknown): boolean {
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return a === b;
  const parts = partsOf(a);
  const others = new Map(partsOf(b));
  return parts.length === others.size && parts.every(([key, value]) => isSame(value, others.get(key)));
}

function partsOf(node: object): [string, unknown][] {
  return Object.entries(node).filter(([key, value]) => value !== undefined && key !== "place" && key !== "valuePlace");
}

function warn(build: Build, message: string, place: Scenario["place"], fix: string): void {
  build.report("WM_SCENARIO_LINT", message, place, { severity: "warning", fix });
}
