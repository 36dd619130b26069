import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { waymark } from "../support/processes.ts";
import { scratchFolder } from "../support/scratch.ts";

const EVENT = '{"name":"a","time":"2026-01-01T00:00:00.000Z","data":{"k":1}}\n';
const MARKER = "markers:\n  - { name: first, event: a }\n";

/** Scenarios by what `grade -v` says of them. */
const SLOW: readonly (readonly [reason: string, text: string])[] = [
  ["it has rules", `${MARKER}rules:\n  - { never: { event: b } }\n`],
  ["it orders events by time", `events: { order: time }\n${MARKER}`],
  [
    "its markers have limits of time",
    "markers:\n  - { name: first, event: a }\n  - { name: last, event: b, within: 5s }\n",
  ],
  ["one of its markers asks for no event name", "markers:\n  - { name: first, where: { data.k: 1 } }\n"],
];

test("grade -v says which scenarios have every event parsed, and why", async (t) => {
  const cwd = scratchFolder(t);
  writeFileSync(join(cwd, "t.log"), EVENT);
  mkdirSync(join(cwd, "m"));
  const put = (id: string, text: string): void =>
    writeFileSync(join(cwd, "m", `${id}.yaml`), `waymark: 1\nscenario: ${id}\n${text}`);
  for (const [index, [, text]] of SLOW.entries()) put(`slow_${index}`, text);
  put("quick", MARKER);
  put("other", `events: { name: title }\n${MARKER}`);
  const grade = async (...words: readonly string[]): Promise<string[]> => {
    const { code, stderr } = await waymark(["grade", "t.log", "--markers", "m", "--no-store", ...words], { cwd });
    assert.notEqual(code, 2, stderr);
    return stderr.split("\n").filter((line) => line.startsWith("every event"));
  };

  const said = SLOW.map(([reason], index) => `every event is parsed for the scenario slow_${index}, because ${reason}`);
  assert.deepEqual(await grade("-v"), said);
  assert.deepEqual(await grade(), [], "only who asks for more hears of it");
  assert.deepEqual(await grade("-v", "-s", "quick"), []);
  assert.deepEqual(await grade("-v", "-s", "quick", "--session", "s"), [
    "every event is parsed, because only one session counts",
  ]);
  assert.deepEqual(await grade("-v", "-s", "quick", "-s", "other"), [
    "every event is parsed, because the scenarios quick and other do not read name and time of an event from the same keys",
  ]);
});
