import { isObject, type JsonObject, type JsonValue } from "../../proxy/record/json.ts";

/**
 * True when the value surely fits the JSON Schema; false when it does not, or when that takes words of the language which
 * the schema of scenarios does not have. Far cheaper than a library that can also say what is wrong.
 */
export function accepts(schema: JsonValue, value: JsonValue, root: JsonValue = schema): boolean {
  if (!isObject(schema)) return false;
  return Object.entries(schema).every(([word, rule]) => WORDS.get(word)?.(rule, value, { schema, root }) === true);
}

interface Context {
  readonly schema: JsonObject;
  readonly root: JsonValue;
}

type Word = (rule: JsonValue, value: JsonValue, context: Context) => boolean;

const TYPES: ReadonlyMap<JsonValue, (value: JsonValue) => boolean> = new Map([
  ["string", (value: JsonValue) => typeof value === "string"],
  ["boolean", (value: JsonValue) => typeof value === "boolean"],
  ["number", (value: JsonValue) => typeof value === "number" && Number.isFinite(value)],
  ["integer", (value: JsonValue) => Number.isSafeInteger(value)],
  ["array", (value: JsonValue) => Array.isArray(value)],
  ["object", (value: JsonValue) => isObject(value)],
]);

const says: Word = () => true;
const listed = (rule: JsonValue): readonly JsonValue[] => (Array.isArray(rule) ? rule : []);
const entriesOf = (value: JsonValue): readonly [string, JsonValue][] => (isObject(value) ? Object.entries(value) : []);

/** Rules about another kind of value than this one hold. */
const WORDS: ReadonlyMap<string, Word> = new Map<string, Word>([
  ["$schema", says],
  ["$comment", says],
  ["title", says],
  ["description", says],
  ["definitions", says],
  ["type", (rule, value) => TYPES.get(rule)?.(value) === true],
  ["const", (rule, value) => rule === value],
  ["enum", (rule, value) => listed(rule).includes(value)],
  ["minimum", (rule, value) => typeof value !== "number" || value >= Number(rule)],
  ["maximum", (rule, value) => typeof value !== "number" || value <= Number(rule)],
  ["minLength", (rule, value) => typeof value !== "string" || value.length >= Number(rule)],
  ["pattern", (rule, value) => typeof value !== "string" || new RegExp(String(rule)).test(value)],
  ["minItems", (rule, value) => !Array.isArray(value) || value.length >= Number(rule)],
  ["maxItems", (rule, value) => !Array.isArray(value) || value.length <= Number(rule)],
  ["anyOf", (rule, value, { root }) => listed(rule).some((one) => accepts(one, value, root))],
  ["allOf", (rule, value, { root }) => listed(rule).every((one) => accepts(one, value, root))],
  ["$ref", (rule, value, { root }) => accepts(definition(rule, root), value, root)],
  ["items", (rule, value, { root }) => !Array.isArray(value) || value.every((item) => accepts(rule, item, root))],
  ["required", (rule, value) => !isObject(value) || listed(rule).every((key) => Object.hasOwn(value, String(key)))],
  ["properties", (rule, value, { root }) => entriesOf(value).every((entry) => fits(rule, entry, root))],
  ["propertyNames", (rule, value, { root }) => entriesOf(value).every(([key]) => accepts(rule, key, root))],
  ["additionalProperties", (rule, value, { schema, root }) => othersFit(rule, value, { schema, root })],
  ["patternProperties", says], // of keys that nobody asks about here
]);

function definition(rule: JsonValue, root: JsonValue): JsonValue {
  const [, name = ""] = /^#\/definitions\/(\w+)$/.exec(String(rule)) ?? [];
  const known = isObject(root) ? root["definitions"] : undefined;
  return isObject(known) && Object.hasOwn(known, name) ? (known[name] ?? false) : false;
}

function fits(properties: JsonValue, [key, value]: readonly [string, JsonValue], root: JsonValue): boolean {
  if (!isObject(properties) || key === "__proto__") return false;
  return !Object.hasOwn(properties, key) || accepts(properties[key] ?? false, value, root);
}

function othersFit(rule: JsonValue, value: JsonValue, { schema, root }: Context): boolean {
  const known = isObject(schema["properties"]) ? schema["properties"] : {};
  const others = entriesOf(value).filter(([key]) => !Object.hasOwn(known, key));
  if (rule === false) return others.length === 0;
  return others.every(([key, other]) => key !== "__proto__" && accepts(rule, other, root));
}
