import { type Fault, fault, WaymarkError } from "../../proxy/record/fault.ts";
import { type JsonValue, parseJson, stringifyJson } from "../../proxy/record/json.ts";
import { didYouMean } from "../../proxy/record/near.ts";
import type { ParamDefinition, Scenario } from "./ast.ts";

/**
 * The value of every parameter of a scenario: what is given for this run, else its default. Text (as a command line
 * gives it) is read as the declared type, or as the type of the default. Throws a `WaymarkError` with every parameter
 * that is missing, of the wrong type, or not declared.
 */
export function bindParams(
  { params, id, place }: Pick<Scenario, "params" | "id" | "place">,
  given: Readonly<Record<string, JsonValue>>,
): ReadonlyMap<string, JsonValue> {
  const faults: Fault[] = [];
  const values = new Map<string, JsonValue>();
  for (const param of params) {
    const own = Object.hasOwn(given, param.name) ? given[param.name] : undefined;
    const value = own === undefined ? param.default : read(own, param);
    if (value === undefined) faults.push(own === undefined ? missing(param) : wrong(param, own));
    else values.set(param.name, value);
  }
  const known = params.map(({ name }) => name);
  for (const name of Object.keys(given)) {
    if (known.includes(name)) continue;
    const list = known.length === 0 ? "It has none." : `It has ${known.join(", ")}.`;
    const message = `the scenario "${id}" has no parameter "${name}"${didYouMean(name, known)}`;
    faults.push(fault("WM_USAGE_PARAM", message, { place, fix: list }));
  }
  if (faults.length > 0) throw new WaymarkError(faults);
  return values;
}

function typeOf({ type, default: fallback }: ParamDefinition): ParamDefinition["type"] {
  if (type !== undefined || fallback === undefined || fallback === null) return type;
  if (Array.isArray(fallback)) return "list";
  const kind = typeof fallback;
  return kind === "string" || kind === "number" || kind === "boolean" ? kind : undefined;
}

function read(given: JsonValue, param: ParamDefinition): JsonValue | undefined {
  switch (typeOf(param)) {
    case "number":
      return typeof given === "string" ? numberIn(given) : isNumber(given) ? given : undefined;
    case "boolean":
      return booleanIn(given);
    case "list":
      return typeof given === "string" ? listIn(given) : Array.isArray(given) ? given : undefined;
    case "string":
      return typeof given === "string" ? given : undefined;
    default:
      return given;
  }
}

function booleanIn(given: JsonValue): boolean | undefined {
  if (typeof given === "boolean") return given;
  return given === "true" ? true : given === "false" ? false : undefined;
}

/** A decimal number, integers with all their digits. */
function numberIn(text: string): JsonValue | undefined {
  if (!/^-?(0|[1-9]\d*)(\.\d+)?$/.test(text)) return undefined;
  return parseJson(text);
}

function isNumber(value: JsonValue): boolean {
  return typeof value === "number" || typeof value === "bigint";
}

/** `a,b,c`, or a JSON list for elements that are no text or have commas. */
function listIn(text: string): JsonValue | undefined {
  if (!text.trimStart().startsWith("[")) return text === "" ? [] : text.split(",").map((item) => item.trim());
  try {
    const value = parseJson(text);
    return Array.isArray(value) ? value : undefined;
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof RangeError) return undefined;
    throw error;
  }
}

function missing({ name, place }: ParamDefinition): Fault {
  const fix = `Pass it with --param ${name}=VALUE, or give it a default.`;
  return fault("WM_SCENARIO_PARAM", `the parameter "${name}" has no value`, { place, fix });
}

function wrong(param: ParamDefinition, given: JsonValue): Fault {
  const message = `the parameter "${param.name}" has to be a ${typeOf(param)}, not ${stringifyJson(given)}`;
  return fault("WM_SCENARIO_PARAM", message, { place: param.place });
}
