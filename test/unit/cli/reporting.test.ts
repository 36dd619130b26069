import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { guessReporters } from "../../../cli/reporter-guess.ts";
import { writeWhole } from "../../../cli/write-whole.ts";
import { scratchFolder } from "../../support/scratch.ts";
import { needsSmallDisk, smallDisk } from "../../support/small-disk.ts";

const cases: readonly [boolean, Record<string, string>, readonly string[]][] = [
  [true, {}, ["pretty"]],
  [false, {}, ["plain"]],
  [false, { GITHUB_ACTIONS: "true" }, ["plain", "github"]],
  [true, { GITHUB_ACTIONS: "false" }, ["pretty"]],
  [true, { CLAUDECODE: "1" }, ["agent"]],
  [true, { CURSOR_AGENT: "1" }, ["agent"]],
  [true, { CURSOR_AGENT: "" }, ["pretty"]],
  [false, { CLAUDECODE: "1" }, ["agent"]],
  [false, { AI_AGENT: "x", GITHUB_ACTIONS: "true" }, ["agent", "github"]],
];

for (const [outIsTerminal, env, want] of cases) {
  test(`auto: ${outIsTerminal ? "terminal" : "pipe"} with ${JSON.stringify(env)} is ${want.join(" and ")}`, () => {
    assert.deepEqual(guessReporters({ outIsTerminal, env }), want);
  });
}

test("a file is written whole, and nothing else stays", (t) => {
  const folder = scratchFolder(t);
  const file = join(folder, "out.txt");
  writeFileSync(file, "old");
  writeWhole(file, ["new ", "text"]);
  assert.equal(readFileSync(file, "utf8"), "new text");
  assert.deepEqual(readdirSync(folder), ["out.txt"]);
});

test("a file that cannot be written leaves no empty one", (t) => {
  const folder = scratchFolder(t);
  assert.throws(() => writeWhole(join(folder, "no", "such", "out.txt"), ["x"]));
  assert.deepEqual(readdirSync(folder), []);
});

test("a full disk leaves neither half a file nor an empty one, and what stood there stays", needsSmallDisk, (t) => {
  const disk = smallDisk(t);
  if (disk === undefined) return;
  const file = join(disk, "out.txt");
  writeFileSync(file, "old");
  assert.throws(() => writeWhole(file, ["x".repeat(3_000_000)]), /ENOSPC/);
  assert.equal(readFileSync(file, "utf8"), "old");
  assert.deepEqual(readdirSync(disk), ["out.txt"]);
  assert.ok(existsSync(file));
});
