import assert from "node:assert/strict";
import test from "node:test";
import { benchBlame } from "../../bench/blame.ts";
import { figuresOf } from "../../bench/blame-table.ts";
import { scratchFolder } from "../support/scratch.ts";

// Ten runs with a fault of the app, ten of the agent, ten of nobody; `npm run bench -- blame` plays 100 of each.
test("faults planted into the demo's app and agent are blamed on the right side, under the real proxy", async (t) => {
  const tables: string[] = [];
  const order = { folder: scratchFolder(t), runs: 2, seed: 3, learnedFrom: 3 };
  const rows = await benchBlame(order, (table) => tables.push(table));
  const figures = figuresOf(rows);
  assert.deepEqual(
    figures.map(({ cause, runs }) => [cause, runs]),
    [
      ["product", 10],
      ["agent", 10],
      ["unknown", 10],
      ["none", 1],
    ],
  );
  // The published method has 0.52.
  for (const { cause, f1 } of figures.slice(0, 3)) assert.ok(f1 >= 0.8, `${cause}: ${f1}\n${tables.join("\n")}`);
});
