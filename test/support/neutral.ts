import { isMap, isScalar, isSeq, parseDocument } from "yaml";
import type { LoadedScenario } from "../../grader/scenario/load.ts";
import { parseScenario } from "../../grader/scenario/parse-scenario.ts";

/**
 * Translates a case's scenario from the cases' neutral dialect (`markers: [{id, match: {field: value}, required}]`,
 * `forbidden`, `ordered`) into waymark's own YAML. Events of the cases carry `ts`, `name` and `props`.
 */
export function neutralToYaml(text: string): string {
  const root = toPlain(parseDocument(text, { intAsBigInt: true }).contents) as NeutralScenario;
  const markers = (root.markers ?? []).map(markerOf);
  const list = root.ordered === false && markers.length > 1 ? [`{ any_order: [${markers.join(", ")}] }`] : markers;
  const rules = (root.forbidden ?? []).map(
    (marker) => `{ name: ${quote(marker.id)}, never: ${whereOf(marker.match)} }`,
  );
  return [
    "waymark: 1",
    `scenario: ${quote(root.name)}`,
    "events: { time: ts }",
    ...(list.length === 0 ? [] : ["markers:", ...list.map((marker) => `  - ${marker}`)]),
    ...(rules.length === 0 ? [] : ["rules:", ...rules.map((rule) => `  - ${rule}`)]),
    "",
  ].join("\n");
}

/** A neutral scenario, loaded. */
export function loadNeutral(text: string, file = "scenario.yaml"): LoadedScenario {
  return parseScenario(neutralToYaml(text), file);
}

type Value = string | number | bigint | boolean | null;

interface NeutralMarker {
  readonly id: Value;
  readonly match: Readonly<Record<string, Value>>;
  readonly required?: boolean;
}

interface NeutralScenario {
  readonly name: Value;
  readonly ordered?: boolean;
  readonly markers?: readonly NeutralMarker[];
  readonly forbidden?: readonly NeutralMarker[];
}

function markerOf({ id, match, required }: NeutralMarker): string {
  const { name, ...fields } = match;
  const parts = [`name: ${quote(id)}`];
  if (typeof name === "string") parts.push(`event: ${quote(name)}`);
  const others = typeof name === "string" ? fields : match;
  if (Object.keys(others).length > 0) parts.push(`where: ${whereOf(others)}`);
  if (required === false) parts.push("optional: true");
  return `{ ${parts.join(", ")} }`;
}

function whereOf(match: Readonly<Record<string, Value>>): string {
  const tests = Object.entries(match).map(([field, value]) => testOf(field === "name" ? "event" : field, value));
  return `{ ${tests.join(", ")} }`;
}

/** Digits that a double would lose are compared as text. */
function testOf(field: string, value: Value): string {
  if (typeof value !== "bigint") return `${quote(field)}: ${JSON.stringify(value)}`;
  const isSafe = Number.isSafeInteger(Number(value));
  return isSafe ? `${quote(field)}: ${value}` : `${quote(`${field}|str`)}: ${quote(value)}`;
}

function quote(value: Value): string {
  return JSON.stringify(String(value));
}

/** The document as plain values; integers stay whole. */
function toPlain(node: unknown): unknown {
  if (isSeq(node)) return node.items.map(toPlain);
  if (isMap(node)) {
    return Object.fromEntries(node.items.map(({ key, value }) => [String(toPlain(key)), toPlain(value)]));
  }
  return isScalar(node) ? node.value : undefined;
}
