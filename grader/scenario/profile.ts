import { didYouMean } from "../../proxy/record/near.ts";
import {
  type CheckNode,
  DEFAULT_LIMITS,
  type EventProfile,
  type ExampleNode,
  type FieldPath,
  type Limits,
  type ParamDefinition,
} from "./ast.ts";
import { type Build, durationOf, entriesOf, given, isTrue, numberOf, textOf, valueAt } from "./build.ts";
import { isVariableName } from "./operand.ts";
import { patternOf } from "./pattern.ts";
import { entryOf, toPlain, type YamlMap, type YamlNode } from "./yaml.ts";

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const NAME: FieldPath = { kind: "dotted", text: "name", segments: [{ kind: "key", key: "name", exact: true }] };

/** A lateness makes sense only with order: time, so giving one asks for it. */
function orderOf(map: YamlMap): EventProfile["order"] {
  const written = textOf(valueAt(map, "order"));
  const standard = valueAt(map, "lateness") === undefined ? "line" : "time";
  return written === "time" || written === "line" ? written : standard;
}

/** How events are read (LANGUAGE.md section 6), with its defaults. */
export function profileOf(node: YamlNode | undefined, build: Build): EventProfile {
  const map: YamlMap = node?.kind === "map" ? node : NOTHING;
  const path = (key: string) => literal(build.path(valueAt(map, key)));
  const sessionNode = valueAt(map, "session");
  const session = build.paths(sessionNode)?.flatMap((each) => literal(each) ?? []);
  return {
    name: path("name") ?? NAME,
    order: orderOf(map),
    latenessMs: durationOf(map, "lateness") ?? 2 * SECOND,
    sessions: textOf(valueAt(map, "sessions")) === "any" ? "any" : "all",
    sessionless: textOf(valueAt(map, "sessionless")) === "broadcast" ? "broadcast" : "aside",
    unreadable: textOf(valueAt(map, "unreadable")) === "ignore" ? "ignore" : "gap",
    retries: textOf(valueAt(map, "retries")) === "count" ? "count" : "drop",
    dedupeMs: durationOf(map, "dedupe") ?? 10 * MINUTE,
    ...given("time", path("time")),
    ...given("timeUnit", timeUnit(textOf(valueAt(map, "time_unit")))),
    ...given("session", session),
    ...given("sessionEnd", patternOf(valueAt(map, "session_end"), build)),
    ...given("idleMs", durationOf(map, "idle")),
    ...given("id", path("id")),
  };
}

const NOTHING: YamlMap = { kind: "map", entries: [], place: { file: "", line: 1, column: 1 } };

/** In the profile itself `event` is a field's name: it cannot stand for what is being defined. */
function literal(path: FieldPath | undefined): FieldPath | undefined {
  if (path?.kind !== "dotted" || path.text !== "event") return path;
  return { ...path, segments: [{ kind: "key", key: "event", exact: true }] };
}

function timeUnit(text: string | undefined): EventProfile["timeUnit"] {
  return text === "ms" || text === "s" || text === "us" || text === "ns" ? text : undefined;
}

/** The declared parameters. One without a default has to be given. */
export function paramsOf(node: YamlNode | undefined, build: Build): ParamDefinition[] {
  return entriesOf(node).flatMap(({ key, keyPlace, value }): ParamDefinition[] => {
    if (!isVariableName(key)) {
      const fix = "Names are letters, digits and _, beginning with a letter or _.";
      build.report("WM_SCENARIO_VARIABLE", `"${key}" cannot be the name of a parameter`, keyPlace, { fix });
    }
    if (value.kind !== "map") return [];
    const type = paramType(textOf(valueAt(value, "type")));
    const fallback = valueAt(value, "default");
    return [
      {
        name: key,
        required: isTrue(value, "required") || fallback === undefined,
        place: keyPlace,
        ...given("type", type),
        ...given("default", fallback && toPlain(fallback)),
      },
    ];
  });
}

function paramType(text: string | undefined): ParamDefinition["type"] {
  return text === "string" || text === "number" || text === "boolean" || text === "list" ? text : undefined;
}

/** The limits of section 8.4, with their defaults. */
export function limitsOf(node: YamlNode | undefined): Limits {
  const number = (key: string) => (node?.kind === "map" ? numberOf(valueAt(node, key)) : undefined);
  return {
    runs: number("runs") ?? DEFAULT_LIMITS.runs,
    keys: number("keys") ?? DEFAULT_LIMITS.keys,
    pending: number("pending") ?? DEFAULT_LIMITS.pending,
    sessions: number("sessions") ?? DEFAULT_LIMITS.sessions,
    latenessEvents: number("lateness_events") ?? DEFAULT_LIMITS.latenessEvents,
    lineBytes: number("line_bytes") ?? DEFAULT_LIMITS.lineBytes,
  };
}

/** The evaluators that look at the final state. */
const EVALUATORS = ["file_exists", "process_running", "command", "json_file", "sqlite_query"];

/** Checks of the final state. An evaluator that is not known here may still be one of the program that grades. */
export function checksOf(node: YamlNode | undefined, build: Build): CheckNode[] {
  const items = node?.kind === "list" ? node.items : [];
  return items.flatMap((item) =>
    entriesOf(item).map(({ key, keyPlace, value }) => {
      if (!EVALUATORS.includes(key)) {
        const message = `waymark has no evaluator "${key}"${didYouMean(key, EVALUATORS)}`;
        const fix = `Known: ${EVALUATORS.join(", ")}.`;
        build.report("WM_SCENARIO_LINT", message, keyPlace, { severity: "warning", fix });
      }
      return { evaluator: key, args: toPlain(value), place: keyPlace };
    }),
  );
}

/** Examples a scenario is tested with. */
export function examplesOf(node: YamlNode | undefined): ExampleNode[] {
  const items = node?.kind === "list" ? node.items : [];
  return items.flatMap((item): ExampleNode[] => {
    const capture = item.kind === "map" ? textOf(valueAt(item, "capture")) : undefined;
    const verdict = item.kind === "map" ? textOf(valueAt(item, "verdict")) : undefined;
    if (item.kind !== "map" || capture === undefined) return [];
    if (verdict !== "pass" && verdict !== "fail" && verdict !== "inconclusive") return [];
    return [{ capture, verdict, place: item.place, ...given("mutate", textOf(valueAt(item, "mutate"))) }];
  });
}

/** The budget; undefined when none is given. */
export function budgetOf(map: YamlMap) {
  const budget = entryOf(map, "budget")?.value;
  if (budget?.kind !== "map") return undefined;
  return {
    ...given("cost", numberOf(valueAt(budget, "cost"))),
    ...given("durationMs", durationOf(budget, "duration")),
    ...given("tokens", numberOf(valueAt(budget, "tokens"))),
  };
}
