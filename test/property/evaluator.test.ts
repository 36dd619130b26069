import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import fc from "fast-check";
import { waymark as run } from "../../cli/waymark.ts";
import { evaluatorRoom } from "../support/evaluator.ts";
import { PROJECT } from "../support/project.ts";

const chat = fc.constantFrom("general", "design", "support", "release", "random", "other");
const event = fc.oneof(
  {
    weight: 8,
    arbitrary: chat.map((chatId) => ({ name: "chat_switch", data: { Action: { Gesture: "click" }, chatId } })),
  },
  {
    weight: 2,
    arbitrary: fc.record({ name: fc.constantFrom("view_shown", "noise"), data: fc.jsonValue({ maxDepth: 1 }) }),
  },
);
const line = fc.oneof(
  { weight: 12, arbitrary: event.map((one) => JSON.stringify(one)) },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      "",
      "not json",
      '{"name":null,"$capture":{"control":"start","at":"2026-01-01T00:00:00Z"}}',
      "[]",
    ),
  },
);
const names = fc.constantFrom(["simple_collab_switch"], ["simple_collab_switch", "simple_collab_switch_any"], []);

test("the server and `grade --json` give equal results, ids aside", async (t) => {
  const { evaluate, folder } = await evaluatorRoom(t, { markers: join(PROJECT, "markers") });
  let count = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(line, { maxLength: 40 }), names, fc.boolean(), async (lines, scenarios, all) => {
      const log = join(folder, `log-${String(count++)}x.ndjson`);
      writeFileSync(log, lines.map((text) => `${text}\n`).join(""));
      const reply = await evaluate({ evaluator: "app_scenarios", scenarios, telemetry_file: log, all });
      const { exit, document } = await gradeJson([
        ...scenarios.flatMap((name) => ["-s", name]),
        ...(all ? ["--all"] : []),
        log,
      ]);
      const [item] = reply.body.results;
      assert.deepEqual(item.results.map(withoutRun), document.results.map(withoutRun));
      assert.deepEqual([item.verdict, item.exit_code], [document.verdict, exit]);
    }),
    { numRuns: 60 },
  );
});

async function gradeJson(
  words: readonly string[],
): Promise<{ exit: number; document: { verdict: string; results: object[] } }> {
  let out = "";
  const terminal = {
    out: (text: string) => {
      out += text;
    },
    err: () => undefined,
    outIsTerminal: false,
    errIsTerminal: false,
    colour: false,
    env: {},
  };
  const exit = await run(["grade", "--json", "--no-store", "--markers", join(PROJECT, "markers"), ...words], terminal);
  return { exit, document: JSON.parse(out) };
}

function withoutRun(result: object): object {
  const { run: _, ...rest } = result as { run: string };
  return rest;
}
