import { type Fault, WaymarkError } from "../../../proxy/record/fault.ts";
import { isObject, type JsonObject, type JsonValue, stringifyJson } from "../../../proxy/record/json.ts";
import type { ClauseResult } from "../../operators/clause.ts";
import { compileWhere } from "../../operators/where.ts";
import { parseScenario } from "../../scenario/parse-scenario.ts";

/** Field tests that came as JSON, ready for values. */
export interface FieldTests {
  test(value: JsonValue): boolean;
  /** The tests that do not hold, in words. */
  complain(value: JsonValue): string;
}

export type ReadTests =
  | { readonly ok: true; readonly tests: FieldTests }
  | { readonly ok: false; readonly why: string };

/**
 * Reads field tests with the operators of markers. JSON is YAML, so they are read as the only marker of a scenario: one
 * language, one reader. A value that is no object can only be tested by paths that begin with `$`.
 */
export function readTests(where: JsonObject): ReadTests {
  const text = stringifyJson({ waymark: 1, scenario: "state", markers: [{ name: "state", where }] });
  try {
    const { scenario } = parseScenario(text, "where");
    const [marker] = scenario.markers;
    if (marker?.kind !== "marker") return { ok: false, why: "these are no field tests" };
    const faults: Fault[] = [];
    const check = compileWhere(marker.where, {
      eventName: scenario.events.name,
      params: new Map(),
      fault: (one) => void faults.push(one),
    });
    if (faults.length > 0) return { ok: false, why: sentences(faults) };
    return {
      ok: true,
      tests: {
        test: (value) => check.test(asRoot(value), new Map()),
        complain: (value) => complaint(check.diagnose(asRoot(value), new Map())),
      },
    };
  } catch (error) {
    if (error instanceof WaymarkError) return { ok: false, why: sentences(error.faults) };
    throw error;
  }
}

function sentences(faults: readonly Fault[]): string {
  return faults.map(({ message }) => message).join("; ");
}

function asRoot(value: JsonValue): JsonObject {
  return isObject(value) ? value : (value as unknown as JsonObject);
}

const MOST_SHOWN = 200;

function complaint(clauses: readonly ClauseResult[]): string {
  const failed = clauses.filter(({ ok }) => !ok);
  return failed
    .map(({ path, want, got, hint }) => {
      const is = got === undefined ? "is not there" : `is ${stringifyJson(got).slice(0, MOST_SHOWN)}`;
      return `${path} ${is}, wanted ${stringifyJson(want).slice(0, MOST_SHOWN)}${hint === undefined ? "" : ` (${hint})`}`;
    })
    .join("; ");
}
