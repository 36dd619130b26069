import type * as z from "zod";
import { type Fault, type FaultCode, fault } from "../../proxy/record/fault.ts";
import { type JsonValue, stringifyJson } from "../../proxy/record/json.ts";
import { didYouMean } from "../../proxy/record/near.ts";
import { fileSchema } from "./schema.ts";
import { A_DURATION } from "./schema-kinds.ts";
import { entryOf, isEventModifier, nodeAt, toPlain, type YamlNode } from "./yaml.ts";

/** Checks the shape of a whole file against the schema. Every deviation is a fault with its place. */
export function checkShape(root: YamlNode, text: string): Fault[] {
  const plain = toPlain(root, isEventModifier);
  const result = fileSchema.safeParse(plain);
  return result.success ? [] : result.error.issues.flatMap((issue) => faultsOf(issue, [], { root, text }));
}

interface Source {
  readonly root: YamlNode;
  readonly text: string;
}

type Issue = z.core.$ZodIssue;

function faultsOf(issue: Issue, before: readonly PropertyKey[], source: Source): Fault[] {
  const path = [...before, ...issue.path];
  if (issue.code === "unrecognized_keys")
    return issue.keys.map((key) => unknownKey(key, issue.message, { path, ...source }));
  if (issue.code === "invalid_union") {
    const inner = issue.errors.find((issues) => !issues.some((each) => isWrongKind(each)));
    if (inner !== undefined) return inner.flatMap((each) => faultsOf(each, path, source));
  }
  return [wrongValue(issue.message, path, source)];
}

/** True when a union's alternative was not meant at all: the value is not even of its kind. */
function isWrongKind(issue: Issue): boolean {
  if (issue.path.length > 0) return false;
  return (
    issue.code === "invalid_type" ||
    (issue.code === "invalid_union" && issue.errors.every((errors) => errors.some(isWrongKind)))
  );
}

interface Located extends Source {
  readonly path: readonly PropertyKey[];
}

function unknownKey(key: string, known: string, { path, root, text }: Located): Fault {
  const entry = entryOf(nodeAt(root, path), key);
  const names = known.split(" ");
  const isMarker = names.includes("any_order");
  if (isMarker && (key === "max" || key === "exactly")) return upperBound(entry?.keyPlace, text);
  const fix =
    isMarker && !names.includes(key) && /[.|[]/.test(key)
      ? `Field tests stand under where: { ${key}: ... }.`
      : `Known here: ${names.join(", ")}.`;
  const message = `unknown key "${key}"${didYouMean(key, names)}`;
  return fault("WM_SCENARIO_UNKNOWN_KEY", message, { place: entry?.keyPlace, text, fix });
}

function upperBound(place: Fault["place"], text: string): Fault {
  return fault("WM_SCENARIO_UPPER_BOUND", "an upper bound forbids events, so it is a rule", { place, text });
}

function wrongValue(expected: string, path: readonly PropertyKey[], { root, text }: Source): Fault {
  const key = String(path.at(-1) ?? "");
  const parent = nodeAt(root, path.slice(0, -1));
  const isMissing = path.length > 0 && parent.kind === "map" && entryOf(parent, key) === undefined;
  if (isMissing) return missingKey(key, expected, { root: parent, text });
  const node = nodeAt(root, path);
  if (key === "repeat" && (entryOf(node, "max") ?? entryOf(node, "exactly")) !== undefined)
    return upperBound(node.place, text);
  const where =
    path.length === 0
      ? "the file"
      : typeof path.at(-1) === "number"
        ? `item ${Number(key) + 1} of "${String(path.at(-2) ?? "")}"`
        : `"${key}"`;
  const code = codeFor(expected, key, path);
  const shown = node.kind === "scalar" ? brief(node.value) : node.kind === "map" ? "a map" : "a list";
  return fault(code, `${where} has to be ${expected}, not ${shown}`, {
    place: node.place,
    text,
    fix: fixFor(expected, node),
  });
}

function missingKey(key: string, expected: string, { root, text }: Source): Fault {
  const fix = key === "waymark" ? "Write `waymark: 1` as the first key." : `Add ${key}: ${expected}.`;
  const code = key === "waymark" ? "WM_SCENARIO_VERSION" : "WM_SCENARIO_MISSING_KEY";
  return fault(code, `the key "${key}" is missing`, { place: root.place, text, fix });
}

function codeFor(expected: string, key: string, path: readonly PropertyKey[]): FaultCode {
  if (expected === A_DURATION) return "WM_SCENARIO_DURATION";
  return key === "waymark" && path.length === 1 ? "WM_SCENARIO_VERSION" : "WM_SCENARIO_WRONG_TYPE";
}

function fixFor(expected: string, node: YamlNode): string | undefined {
  if (node.kind !== "scalar") return undefined;
  if (expected === A_DURATION && typeof node.value === "number") return `Write ${node.value}s or ${node.value}ms.`;
  return expected === "text" && node.value !== null ? `Quote it: "${node.value}".` : undefined;
}

function brief(value: JsonValue): string {
  const json = stringifyJson(value);
  return json.length > 60 ? `${json.slice(0, 57)}...` : json;
}
