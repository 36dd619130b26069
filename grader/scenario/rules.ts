import type { Place } from "../../proxy/record/place.ts";
import type { RuleCommon, RuleNode, Where } from "./ast.ts";
import { type Build, durationOf, given, isTrue, numberOf, textOf, valueAt } from "./build.ts";
import { Names } from "./markers.ts";
import { patternOf } from "./pattern.ts";
import { entryOf, type YamlMap, type YamlNode } from "./yaml.ts";

type Verb = RuleNode["verb"];

const COMMON = ["name", "severity", "weight", "require_trigger"];
const SCOPE = ["after", "before", "between"];
/** Keys each verb may have beside its own and the common ones (LANGUAGE.md section 5). */
const KEYS: Readonly<Record<Verb, readonly string[]>> = {
  never: [...SCOPE, "until", "capture", "immediately"],
  expect: [...SCOPE, "capture", "within", "without", "immediately"],
  count: [...SCOPE, "until", "capture", "min", "max", "exactly", "distinct", "per", "timespan"],
  each: ["must"],
  span: ["capture"],
  if: ["expect", "never"],
  first: [],
  last: [],
};
const VERBS = Object.keys(KEYS) as readonly Verb[];

/** Reads the list of rules; each gets exactly one verb and only keys that mean something with it. */
export function rulesOf(node: YamlNode | undefined, build: Build): RuleNode[] {
  const names = new Names(build);
  const items = node?.kind === "list" ? node.items : [];
  return items.flatMap((item, index) => (item.kind === "map" ? (ruleOf(item, index, { build, names }) ?? []) : []));
}

interface Reading {
  readonly build: Build;
  readonly names: Names;
}

function ruleOf(map: YamlMap, index: number, { build, names }: Reading): RuleNode | undefined {
  const verb = verbOf(map, build);
  if (verb === undefined) return undefined;
  checkKeys(map, verb, build);
  checkScope(map, verb, build);
  const node = valueAt(map, "name");
  const explicit = textOf(node);
  const name =
    node === undefined || explicit === undefined
      ? names.given(`rule ${index + 1}`, map.place.line)
      : names.explicit(explicit, node, "rule");
  const action = actionOf(map, verb, build);
  return action && { ...commonOf(map, build), name, place: map.place, ...action };
}

function verbOf(map: YamlMap, build: Build): Verb | undefined {
  const verbs = VERBS.filter((verb) => entryOf(map, verb) !== undefined);
  if (verbs.includes("if")) return conditional(map, verbs, build);
  const [verb, second] = verbs;
  if (verb !== undefined && second === undefined) return verb;
  if (verb === undefined) {
    const fix = `Add one of ${VERBS.join(", ")}.`;
    build.report("WM_SCENARIO_MISSING_KEY", "a rule needs a verb", map.place, { fix });
  } else {
    const place = entryOf(map, second ?? verb)?.keyPlace ?? map.place;
    const fix = "Write two rules.";
    build.report("WM_SCENARIO_UNKNOWN_KEY", `a rule has one verb, but here are "${verb}" and "${second}"`, place, {
      fix,
    });
  }
  return undefined;
}

function conditional(map: YamlMap, verbs: readonly Verb[], build: Build): Verb | undefined {
  const others = verbs.filter((verb) => verb !== "if");
  const isRight = others.length === 1 && (others[0] === "expect" || others[0] === "never");
  if (isRight) return "if";
  const fix = "Write if: A with either expect: B or never: B.";
  build.report("WM_SCENARIO_MISSING_KEY", `"if" goes together with exactly one of expect and never`, map.place, {
    fix,
  });
  return undefined;
}

function checkKeys(map: YamlMap, verb: Verb, build: Build): void {
  const known = [verb, ...KEYS[verb], ...COMMON];
  for (const { key, keyPlace } of map.entries) {
    if (known.includes(key) || !ALL_KEYS.has(key)) continue; // unknown keys were reported with the shape
    const fix = `With ${verb} go ${[...KEYS[verb], ...COMMON].join(", ")}.`;
    build.report("WM_SCENARIO_UNKNOWN_KEY", `"${key}" does not go together with "${verb}"`, keyPlace, { fix });
  }
}

const ALL_KEYS: ReadonlySet<string> = new Set([...VERBS, ...Object.values(KEYS).flat(), "until", "without"]);

/** Which keys need which: a scope is one of after, before and between; `until` closes an `after`. */
function checkScope(map: YamlMap, verb: Verb, build: Build): void {
  const placeOf = (key: string): Place => entryOf(map, key)?.keyPlace ?? map.place;
  const has = (key: string) => entryOf(map, key) !== undefined;
  const wrong = (key: string, message: string, fix: string) =>
    has(key) && build.report("WM_SCENARIO_UNKNOWN_KEY", message, placeOf(key), { fix });
  const [scope, second] = SCOPE.filter(has);
  if (scope !== undefined && second !== undefined) {
    wrong(
      second,
      `a rule has one scope, but here are "${scope}" and "${second}"`,
      "Write two rules, or between: [A, B].",
    );
  }
  if (scope !== "after") wrong("until", `"until" closes a scope that "after" opens`, "Add after: PATTERN.");
  const isAdjacent = scope === "after" || (scope === "before" && verb === "expect");
  if (!isAdjacent)
    wrong("immediately", `"immediately" needs after${verb === "expect" ? " or before" : ""}`, "Leave it out.");
  if (scope !== "after" && scope !== "before") wrong("without", `"without" needs after or before`, "Leave it out.");
  if (scope === "between") wrong("within", `"within" does not go together with "between"`, "Leave it out.");
  if (scope === undefined && verb !== "span") {
    wrong(
      "capture",
      `"capture" remembers values of a trigger, and this rule has none`,
      "Add after, before or between.",
    );
  }
}

/** What a rule has beside the common parts: its verb and the patterns that go with it. */
type Action = RuleNode extends infer Rule ? (Rule extends RuleNode ? Omit<Rule, keyof RuleCommon> : never) : never;

function actionOf(map: YamlMap, verb: Verb, build: Build): Action | undefined {
  const pattern = (key: string): Where | undefined => patternOf(valueAt(map, key), build);
  const target = verb === "span" ? undefined : pattern(verb);
  if (verb === "span") return spanOf(map, build);
  if (target === undefined) return undefined;
  switch (verb) {
    case "each": {
      const must = pattern("must");
      if (entryOf(map, "must") === undefined) {
        const fix = "Add must: { ... }, which every such event has to fulfil.";
        build.report("WM_SCENARIO_MISSING_KEY", `"each" needs "must"`, map.place, { fix });
      }
      return must && { verb, target, must };
    }
    case "if": {
      const then = entryOf(map, "expect") === undefined ? "never" : "expect";
      const other = pattern(then);
      return other && { verb, condition: target, then, target: other };
    }
    case "count":
      return { verb, target, ...countOf(map, build) };
    default:
      return { verb, target };
  }
}

function spanOf(map: YamlMap, build: Build): Action | undefined {
  const span = valueAt(map, "span");
  if (span?.kind !== "map") return undefined;
  const start = patternOf(valueAt(span, "start"), build);
  const end = patternOf(valueAt(span, "end"), build);
  const maxMs = durationOf(span, "max");
  if (start === undefined || end === undefined || maxMs === undefined) return undefined;
  return { verb: "span", start, end, maxMs, mustEnd: isTrue(span, "must_end") };
}

function countOf(map: YamlMap, build: Build) {
  const exactly = numberOf(valueAt(map, "exactly"));
  const min = numberOf(valueAt(map, "min")) ?? exactly;
  const max = numberOf(valueAt(map, "max")) ?? exactly;
  const hasBound = ["min", "max", "exactly"].some((key) => entryOf(map, key) !== undefined);
  if (!hasBound) {
    build.report("WM_SCENARIO_MISSING_KEY", `"count" needs min, max or exactly`, map.place, {
      fix: "Add one of them.",
    });
  }
  if (exactly !== undefined && (exactly !== min || exactly !== max)) {
    const place = entryOf(map, "exactly")?.keyPlace ?? map.place;
    build.report("WM_SCENARIO_WRONG_TYPE", `"exactly" contradicts min or max`, place, { fix: "Keep one of them." });
  }
  if (min !== undefined && max !== undefined && min > max) {
    const place = valueAt(map, "max")?.place ?? map.place;
    build.report("WM_SCENARIO_WRONG_TYPE", `min ${min} is above max ${max}: no count fits`, place, {
      fix: "Swap them.",
    });
  }
  return {
    ...given("min", min),
    ...given("max", max),
    ...given("distinct", build.paths(valueAt(map, "distinct"))),
    ...given("per", build.paths(valueAt(map, "per"))),
    ...given("timespanMs", durationOf(map, "timespan")),
  };
}

function commonOf(map: YamlMap, build: Build): Omit<RuleCommon, "name" | "place"> {
  const severity = textOf(valueAt(map, "severity"));
  const between = valueAt(map, "between");
  const [first, second] = between?.kind === "list" ? between.items.map((item) => patternOf(item, build)) : [];
  const pair: readonly [Where, Where] | undefined = first && second && [first, second];
  return {
    severity: severity === "warn" || severity === "info" ? severity : ("error" as const),
    requireTrigger: isTrue(map, "require_trigger"),
    capture: build.captures(valueAt(map, "capture")),
    immediately: isTrue(map, "immediately"),
    ...given("weight", numberOf(valueAt(map, "weight"))),
    ...given("after", patternOf(valueAt(map, "after"), build)),
    ...given("before", patternOf(valueAt(map, "before"), build)),
    ...given("between", pair),
    ...given("until", patternOf(valueAt(map, "until"), build)),
    ...given("withinMs", durationOf(map, "within")),
    ...given("without", patternOf(valueAt(map, "without"), build)),
  };
}
