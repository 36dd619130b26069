import assert from "node:assert/strict";
import test from "node:test";
import fc from "fast-check";
import { FlatMatcher } from "../../grader/match/flat.ts";
import type { Matcher } from "../../grader/match/matcher.ts";
import { compileProgram } from "../../grader/match/program.ts";
import { RunSetMatcher } from "../../grader/match/runs.ts";
import { createTraceGrader } from "../../grader/match/stream.ts";
import type { JsonObject } from "../../proxy/record/json.ts";
import { scenarioFrom } from "../support/scenario-from-json.ts";

const seed = Number(process.env["WAYMARK_SEED"] ?? Date.now() % 1_000_000);

const WHERES: readonly JsonObject[] = [
  { name: "a" },
  { name: "b" },
  { name: ["a", "c"] },
  { id: 1 },
  { name: "a", id: 2 },
  { "name|startswith": "c" },
];

const event = fc.record({
  name: fc.constantFrom("a", "b", "c", "cc", "x"),
  id: fc.constantFrom<string | number>(1, 2, "1"),
});
const lists = fc.array(fc.nat(WHERES.length - 1), { minLength: 1, maxLength: 5 });
const logs = fc.array(event, { maxLength: 30 });

/** The original checker: one index that moves on a match and never resets. */
function originalLoop(wheres: readonly JsonObject[], log: readonly JsonObject[]): number[] {
  const lines: number[] = [];
  for (const [line, one] of log.entries()) {
    const where = wheres[lines.length];
    if (where !== undefined && fits(where, one)) lines.push(line);
  }
  return lines;
}

function fits(where: JsonObject, one: JsonObject): boolean {
  return Object.entries(where).every(([key, wanted]) => {
    if (key === "name|startswith") return String(one["name"]).startsWith(String(wanted));
    return Array.isArray(wanted) ? wanted.includes(one[key] ?? null) : one[key] === wanted;
  });
}

test("a plain list is graded as the original loop does it, on 10,000 random logs", (t) => {
  t.diagnostic(`seed ${seed}`);
  const check = fc.property(lists, fc.array(logs, { minLength: 50, maxLength: 50 }), (list, many) => {
    const wheres = list.map((index) => WHERES[index] ?? {});
    const program = compileProgram(scenarioFrom({ markers: wheres.map((where) => ({ where })) }), new Map());
    for (const log of many) {
      const grader = createTraceGrader(program);
      for (const [record, one] of log.entries()) grader.event(one, { file: "a.log", line: record + 1, record });
      const [outcome] = grader.finish({ kind: "complete" });
      const lines = originalLoop(wheres, log);
      assert.deepEqual(outcome?.matchIndices, lines);
      assert.equal(outcome?.matchedInOrder, lines.length === wheres.length);
      assert.equal(outcome?.coverage, lines.length / wheres.length);
    }
  });
  fc.assert(check, { seed, numRuns: 200 });
});

test("the short way for plain lists and the general way give the same result", (t) => {
  t.diagnostic(`seed ${seed}`);
  const lines = (matcher: Matcher, log: readonly JsonObject[]): unknown => {
    for (const [index, one] of log.entries()) {
      const place = { file: "a.log", line: index + 1, record: index };
      matcher.event({ event: one, place, index, at: 0, clock: 0 });
    }
    const { position, uses } = matcher.progress;
    const indices = (matcher.found ?? uses).map((use) => use.event.index);
    return [matcher.found !== undefined || position, indices];
  };
  const check = fc.property(lists, logs, (list, log) => {
    const markers = list.map((index) => ({ where: WHERES[index] ?? {} }));
    const plan = compileProgram(scenarioFrom({ markers }), new Map()).markers;
    assert.ok(plan.flat);
    assert.deepEqual(lines(new FlatMatcher(plan.flat), log), lines(new RunSetMatcher(plan, 100), log));
  });
  fc.assert(check, { seed, numRuns: 2000 });
});
