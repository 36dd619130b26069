import type { JsonObject, JsonValue } from "../../proxy/record/json.ts";

/** What a row has to be: the tests of its event, and the labels whose last row it is compared with. */
export interface RowTest {
  readonly where: JsonObject;
  readonly refersTo: readonly string[];
}

/** The DEFINE clause of a row pattern. */
export interface RowDefinitions {
  /** A label that is not defined takes any row. */
  test(label: string): RowTest;
  /** What later rows compare themselves with: variables and the fields they are taken from. */
  captures(label: string): JsonObject;
}

const ANY_ROW: RowTest = { where: { "row|exists": true }, refersTo: [] };
const OPERATORS: Record<string, string> = { "<": "|lt", "<=": "|lte", ">": "|gt", ">=": "|gte", "=": "" };

/**
 * Reads the definitions as the bank writes them: `B: value < previous value; A: any row`, `X: value = A.value`,
 * `A: value=1`, `B: value in (1,2)`, `X: name starts with x` (of every label). A row before is known by what was captured
 * there: `$previous_value` in each row, `$A_value` in each row labelled A. Throws on anything else.
 */
export function rowDefinitions(text: string): RowDefinitions {
  if (text.trim() === "X: name starts with x") {
    const test = (label: string) => ({ where: { "name|startswith": label.toLowerCase() }, refersTo: [] });
    return { test, captures: () => ({}) };
  }
  const parts = text.split(";").map((part) => part.split(":"));
  const conditions = parts.map(
    ([label = "", condition = ""]) => [label.trim(), conditionOf(condition.trim())] as const,
  );
  const tests = new Map(conditions);
  const variables = conditions.flatMap(([, { variable }]) => variable ?? []);
  return {
    test: (label) => tests.get(label) ?? ANY_ROW,
    captures: (label) =>
      Object.fromEntries(
        variables.filter(({ of }) => of === "previous" || of === label).map(({ name, field }) => [name, field]),
      ),
  };
}

interface Condition extends RowTest {
  readonly variable?: { readonly name: string; readonly of: string; readonly field: string };
}

function conditionOf(text: string): Condition {
  if (text === "any row") return ANY_ROW;
  const list = /^(\w+) in \(([^)]*)\)$/.exec(text);
  if (list !== null) return plain({ [list[1] ?? ""]: (list[2] ?? "").split(",").map(literal) });
  const [, field = "", sign = "", right = ""] = /^(\w+) ?(<=|>=|<|>|=) ?(.+)$/.exec(text) ?? [];
  const key = `${field}${OPERATORS[sign]}`;
  const previous = /^previous(?: (\w+))?$/.exec(right);
  if (previous !== null) return comparedWith(key, "previous", previous[1] ?? field);
  const other = /^([A-Z]\w*)\.(\w+)$/.exec(right);
  if (other !== null) return comparedWith(key, other[1] ?? "", other[2] ?? "");
  if (!/^(-?\d+(\.\d+)?|'[^']*')$/.test(right)) throw new Error(`no definition of a row: ${text}`);
  return plain({ [key]: literal(right) });
}

function comparedWith(key: string, of: string, field: string): Condition {
  const name = `${of}_${field}`;
  return { where: { [key]: `$${name}` }, refersTo: of === "previous" ? [] : [of], variable: { name, of, field } };
}

function plain(where: JsonObject): Condition {
  return { where, refersTo: [] };
}

function literal(text: string): JsonValue {
  const quoted = /^'(.*)'$/.exec(text.trim());
  return quoted === null ? Number(text) : (quoted[1] ?? "");
}
