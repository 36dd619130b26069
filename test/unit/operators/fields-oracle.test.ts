import assert from "node:assert/strict";
import test from "node:test";
import { WaymarkError } from "../../../proxy/record/fault.ts";
import type { JsonObject } from "../../../proxy/record/json.ts";
import { needsShared } from "../../support/project.ts";
import { compileBare, readShared } from "../../support/scenario.ts";

interface FieldCase {
  readonly id: string;
  readonly pattern: { readonly words: string; readonly where: unknown };
  readonly event: "BASE" | JsonObject;
  readonly expected: { readonly matches?: boolean; readonly load_error?: boolean };
}

function answer(where: unknown, event: JsonObject): boolean | "load error" {
  try {
    const { check, faults } = compileBare(where);
    return faults.length > 0 ? "load error" : check.test(event, new Map());
  } catch (error) {
    if (error instanceof WaymarkError) return "load error";
    throw error;
  }
}

test("field tests answer as the oracle bank says", needsShared("oracles", "fields.json"), async (t) => {
  const bank = readShared("oracles", "fields.json") as unknown as {
    base_event: JsonObject;
    cases: readonly FieldCase[];
  };
  const counts = { matches: 0, not: 0, "load error": 0 };
  for (const { id, pattern, event, expected } of bank.cases) {
    await t.test(`${id}: ${pattern.words}`, () => {
      const got = answer(pattern.where, event === "BASE" ? bank.base_event : event);
      assert.equal(got, expected.load_error === true ? "load error" : expected.matches);
      counts[got === true ? "matches" : got === false ? "not" : got] += 1;
    });
  }
  t.diagnostic(`${bank.cases.length} cases: ${JSON.stringify(counts)}`);
});
