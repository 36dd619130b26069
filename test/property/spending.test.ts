import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import test from "node:test";
import fc from "fast-check";
import { parsePrices } from "../../grader/trials/prices-file.ts";
import { readCosts, spend, totalOf } from "../../grader/trials/spending.ts";
import { markerSteps } from "../../grader/trials/steps.ts";
import type { MarkerResult } from "../../grader/verdict.ts";
import type { JsonObject } from "../../proxy/record/json.ts";
import { writeEvents } from "../support/captured-runs.ts";
import { scratchFolder } from "../support/scratch.ts";

const PRICES = parsePrices("a: {input: 1, output: 2}\nb: {input: 10, output: 20, cached: 1}\n", "p");
const T0 = Date.UTC(2026, 0, 31, 12);

const calls = fc.array(
  fc.record({
    at: fc.integer({ min: 0, max: 60_000 }),
    model: fc.constantFrom("a", "b", "c"),
    input: fc.option(fc.integer({ min: 0, max: 10_000 }), { nil: undefined }),
    output: fc.integer({ min: 0, max: 10_000 }),
  }),
  { maxLength: 12 },
);

const steps = fc.array(
  fc.record(
    {
      name: fc.constantFrom("plan", "act", "a"),
      started: fc.integer({ min: 0, max: 60_000 }),
      duration_ms: fc.integer({ min: 0, max: 20_000 }),
      cost_usd: fc.integer({ min: 0, max: 100 }).map((cents) => cents / 100),
      tokens_in: fc.integer({ min: 0, max: 10_000 }),
      tokens_out: fc.integer({ min: 0, max: 10_000 }),
      model: fc.constantFrom("a", "b", "c"),
    },
    { requiredKeys: ["name"] },
  ),
  { maxLength: 6 },
);

type Calls = typeof calls extends fc.Arbitrary<infer T> ? T : never;
type Steps = typeof steps extends fc.Arbitrary<infer T> ? T : never;

function write(folder: string, made: Calls, logged: Steps) {
  const events = [...made]
    .sort((a, b) => a.at - b.at)
    .map(({ at, model, input, output }, index) => ({
      name: "chat/completions",
      data: { model, ...(input === undefined ? {} : { input_tokens: input }), output_tokens: output, status: 200 },
      $capture: { seq: index + 1, at: new Date(T0 + at).toISOString(), format: "openai" },
    }));
  const places = writeEvents(folder, events as unknown as JsonObject[]);
  const lines = logged.map(({ started, ...rest }) =>
    JSON.stringify({ ...rest, ...(started === undefined ? {} : { started_at: new Date(T0 + started).toISOString() }) }),
  );
  writeFileSync(places.steps, lines.join("\n"));
  return places;
}

const close = (a = 0, b = 0): void => assert.ok(Math.abs(a - b) <= 1e-9 * Math.max(1, Math.abs(a)), `${a} is not ${b}`);

test("the steps add up to the total, which lies between what was logged alone and all sums together", async (t) => {
  const folder = scratchFolder(t);
  await fc.assert(
    fc.asyncProperty(calls, steps, async (made, logged) => {
      const places = write(folder, made, logged);
      const { used, steps: shown = [] } = await spend(places, { id: "r" }, { prices: PRICES });
      const total = (key: "cost_usd" | "tokens"): number => shown.reduce((sum, step) => sum + (step[key] ?? 0), 0);
      close(used?.cost_usd, total("cost_usd"));
      close(used?.tokens, total("tokens"));
      const onlyLogged = logged.reduce((sum, { cost_usd = 0 }) => sum + cost_usd, 0);
      const alone = await spend(write(folder, made, []), { id: "r" }, { prices: PRICES });
      const steps = await spend(write(folder, [], logged), { id: "r" }, { prices: PRICES });
      assert.ok(
        (used?.cost_usd ?? 0) <= (alone.used?.cost_usd ?? 0) + (steps.used?.cost_usd ?? 0) + 1e-9,
        "counted twice",
      );
      const repeated = new Set(
        logged.filter(({ started }) => started !== undefined).map((step) => JSON.stringify(step)),
      );
      if (repeated.size === logged.filter(({ started }) => started !== undefined).length) {
        assert.ok((used?.cost_usd ?? 0) >= onlyLogged - 1e-9, "what was logged is lost");
      }
    }),
    { numRuns: 60 },
  );
});

test("what can be placed is in exactly one stretch, so the stretches add up", async (t) => {
  const folder = scratchFolder(t);
  const markers = fc.array(fc.integer({ min: 0, max: 12 }), { maxLength: 4 });
  await fc.assert(
    fc.asyncProperty(calls, steps, markers, async (made, logged, lines) => {
      const { costs } = await readCosts(write(folder, made, logged), { prices: PRICES });
      const found = lines.map(
        (record, index): MarkerResult => ({
          name: `m${index}`,
          status: "found",
          record,
          at: new Date(T0 + record * 5000).toISOString(),
          source: { file: "s", line: 1, column: 1 },
        }),
      );
      const stretches = markerSteps({ markers: found, log: "l" }, costs);
      const placed = costs.filter(({ endedMs, place }) => endedMs !== undefined || place !== undefined);
      close(
        totalOf(placed)?.cost_usd,
        stretches.reduce((sum, { cost_usd = 0 }) => sum + cost_usd, 0),
      );
      close(
        totalOf(placed)?.tokens,
        stretches.reduce((sum, { tokens = 0 }) => sum + tokens, 0),
      );
    }),
    { numRuns: 60 },
  );
});
