import type { JsonObject } from "../../proxy/record/json.ts";
import { gradeEvents } from "./grade-events.ts";
import { ruleOutcomes, violatingLines } from "./oracle-rules.ts";

/** A first-order past-time property in the words of the language. */
export interface PastProperty {
  /** The parts that are rules. */
  readonly rules?: readonly JsonObject[];
  /** The part that is a list of markers about one event, the last of the list. */
  readonly point?: {
    readonly markers: readonly JsonObject[];
    /** Whether the event violates the property when its markers are found, or when they are not. */
    readonly violatedIf: "found" | "not found";
  };
}

/**
 * The properties of DejaVu for which the bank gives no rule, or one that is only near, by the family in the case's id. A
 * rule knows the variables of its trigger only, so "some y" besides the trigger's own (`since-exists`), a join over three
 * events (`unsafe-iterator`) or a limit on `never` after (`timed-...`) is no rule (LANGUAGE.md section 8.4). As markers
 * each of them can be said of one event.
 */
export function pastProperty(id: string): PastProperty | undefined {
  return Object.entries(PROPERTIES).find(([family]) => `${id}/`.startsWith(`dejavu/${family}/`))?.[1];
}

const [P, DISPATCH, ENTER] = [{ name: "p" }, { name: "dis" }, { name: "enter" }];

const PROPERTIES: Record<string, PastProperty> = {
  "since-none": { rules: [{ never: { name: "r" }, after: P, capture: { y: "a1" }, until: { name: "q", a1: "$y" } }] },
  "since-exists": {
    point: {
      markers: [
        { where: P, capture: { y: "a1" } },
        { where: { name: "r" }, without: { name: "q", a1: "$y" } },
      ],
      violatedIf: "not found",
    },
  },
  "unsafe-iterator": {
    point: {
      markers: [
        { where: { name: "create" }, capture: { m: "map", c: "coll" } },
        { where: { name: "iterator", coll: "$c" }, capture: { i: "iter" } },
        { where: { name: "update", map: "$m" } },
        { where: { name: "next", iter: "$i" }, without: { name: "iterator", coll: "$c", iter: "$i" } },
      ],
      violatedIf: "found",
    },
  },
  fifo: {
    rules: [
      { count: ENTER, per: "a1", max: 1 },
      { count: { name: "exit" }, per: "a1", max: 1 },
      { before: { name: "exit" }, capture: { x: "a1" }, expect: { name: "enter", a1: "$x" } },
    ],
    point: {
      markers: [
        { where: ENTER, capture: { x: "a1" } },
        { where: ENTER, capture: { y: "a1" }, without: { name: "exit", a1: "$x" } },
        { where: { name: "exit", a1: "$y" }, without: { name: "exit", a1: "$x" } },
      ],
      violatedIf: "found",
    },
  },
  "timed-absence": {
    point: {
      markers: [
        { where: DISPATCH, capture: { m: "cmd" } },
        { where: { name: "suc", cmd: "$m" }, within: "10s" },
      ],
      violatedIf: "found",
    },
  },
  "timed-no-quick-repeat": {
    point: {
      markers: [
        { where: DISPATCH, capture: { m: "cmd" } },
        { where: { name: "dis", cmd: "$m" }, within: "10s", without: { name: "suc", cmd: "$m" } },
      ],
      violatedIf: "found",
    },
  },
};

/** The events (from 0) that violate a property, sorted, each once. */
export function violatingEvents({ rules, point }: PastProperty, events: readonly JsonObject[]): number[] {
  const byRule = rules === undefined ? [] : violatingLines(ruleOutcomes(rules, events));
  const byPoint = point === undefined ? [] : violatingPoints(point, events);
  return [...new Set([...byRule, ...byPoint])].sort((a, b) => a - b);
}

/** Asks at every event that could be the last of the list, with the log up to there and that event marked. */
function violatingPoints(
  { markers, violatedIf }: NonNullable<PastProperty["point"]>,
  events: readonly JsonObject[],
): number[] {
  const last = markers.at(-1) ?? {};
  const where = last["where"] as JsonObject;
  const list = [...markers.slice(0, -1), { ...last, where: { ...where, point: true } }];
  return [...events.keys()].filter((index) => {
    if (events[index]?.["name"] !== where["name"]) return false;
    const upTo = events.slice(0, index + 1).map((event, at) => (at === index ? { ...event, point: true } : event));
    const { matchedInOrder } = gradeEvents({ events: { name: "name", time: "t" }, markers: list }, upTo);
    return matchedInOrder === (violatedIf === "found");
  });
}
