import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { priceCall, priceOf } from "../../../grader/trials/prices.ts";
import { findPrices, parsePrices } from "../../../grader/trials/prices-file.ts";
import { WaymarkError } from "../../../proxy/record/fault.ts";
import { PROJECT } from "../../support/project.ts";
import { scratchFolder } from "../../support/scratch.ts";

const TABLE = parsePrices(
  `
"*": {input: 100, output: 100}
gpt-4o*: {input: 2.50, output: 10.00, cached: 1.25}
gpt-4o-mini*: {input: 0.15, output: 0.60}
gpt-4o-mini: {input: 9, output: 9}
"?-7": {input: 1}
`,
  "prices.yaml",
);

test("a model's own name wins over patterns, and of patterns the longest", () => {
  for (const [model, found] of [
    ["gpt-4o-mini", "gpt-4o-mini"],
    ["gpt-4o-mini-2024-07-18", "gpt-4o-mini*"],
    ["gpt-4o-2024-08-06", "gpt-4o*"],
    ["m-7", "?-7"],
    ["mm-7", "*"],
    ["GPT-4o", "*"],
  ] as const) {
    assert.equal(priceOf(TABLE, model)?.model, found, model);
  }
  assert.equal(priceOf({ file: "p", prices: [{ model: "a*b*c", input: 1 }] }, "a_b_b_d"), undefined);
  assert.equal(priceOf({ file: "p", prices: [{ model: "a*b*c", input: 1 }] }, "abbc")?.input, 1);
});

test("a call costs its tokens times the price per million, cached tokens at their own", () => {
  // 1000 in, of them 400 cached, 200 out: 600 * 2.50 + 400 * 1.25 + 200 * 10 = 4000 per million
  const { usd, unpriced } = priceCall(["gpt-4o"], { input: 1000, cached: 400, output: 200 }, TABLE);
  assert.deepEqual([usd, unpriced], [0.004, []]);
});

test("what has no price is named and never free", () => {
  assert.deepEqual(priceCall(["other"], { input: 5, output: 5 }, { file: "p", prices: [] }), {
    usd: undefined,
    unpriced: ["other"],
  });
  assert.deepEqual(priceCall(["other"], { input: 5 }, undefined).usd, undefined);
  assert.deepEqual(priceCall(["gpt-4o-mini"], { input: 100, cached: 40, output: 0 }, TABLE), {
    usd: 0.00054,
    unpriced: ["gpt-4o-mini: cached tokens"],
  });
  assert.deepEqual(priceCall(["m-7"], { output: 3 }, TABLE), { usd: undefined, unpriced: ["m-7: output tokens"] });
  assert.deepEqual(priceCall(["m-7"], {}, TABLE), { usd: undefined, unpriced: [] });
});

test("the model that answered is looked up before the one that was asked for", () => {
  const list = parsePrices("a: {input: 1}\nb: {input: 2}\n", "p");
  assert.equal(priceCall(["b", "a"], { input: 1_000_000 }, list).usd, 2);
  assert.equal(priceCall(["x", "a"], { input: 1_000_000 }, list).usd, 1);
});

test("a price file tells every mistake with its place", () => {
  const wrong = "gpt: {input: -1, outptu: 2}\nllm: 5\nnone: {}\nhuge: {input: .inf}\n";
  assert.throws(
    () => parsePrices(wrong, "prices.yaml"),
    (error) => {
      assert.ok(error instanceof WaymarkError);
      assert.equal(error.code, "WM_RUN_PRICES");
      assert.deepEqual(
        error.faults.map(({ place }) => [place?.line, place?.column]),
        [
          [1, 14],
          [1, 18],
          [2, 6],
          [3, 1],
          [4, 15],
        ],
      );
      assert.match(error.message, /did you mean "output"/);
      return true;
    },
  );
  for (const text of ["- a\n", "a: {input: 1", "a: {input: 1}\na: {input: 2}\n"]) {
    assert.throws(() => parsePrices(text, "p"), { code: "WM_RUN_PRICES" }, text);
  }
  assert.deepEqual(parsePrices("", "p").prices, []);
  assert.deepEqual(parsePrices('{"m": {"input": 1.50, "cache_write": 2}}', "p.json").prices, [
    { model: "m", input: 1.5, cacheWrite: 2 },
  ]);
});

test("the project's own price file is used when it stands there; one asked for has to", (t) => {
  const file = join(scratchFolder(t), "prices.yaml");
  assert.equal(findPrices(undefined, file), undefined);
  assert.throws(() => findPrices(file), { code: "WM_RUN_PRICES" });
  writeFileSync(file, "m: {input: 1}\n");
  assert.equal(findPrices(undefined, file)?.prices.length, 1);
});

test("the price list of docs/cost.md is one", () => {
  const page = readFileSync(join(PROJECT, "docs", "cost.md"), "utf8");
  const example = /```yaml\n(gpt-x:[^`]*)```/.exec(page)?.[1] ?? "";
  const list = parsePrices(example, "prices.yaml");
  assert.equal(priceOf(list, "gpt-x")?.input, 2.5);
  assert.equal(priceOf(list, "gpt-x-mini-2")?.output, 0.6);
  assert.equal(priceOf(list, "claude-9")?.cacheWrite, 3.75);
});
