import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { scratchFolder } from "../support/scratch.ts";
import { say } from "../support/terminal.ts";

test("changes from outside are added and listed, oldest first", async (t) => {
  const db = join(scratchFolder(t), "waymark.db");
  const added = await say([
    ...[
      "changes",
      "add",
      "--db",
      db,
      "--element",
      "model",
      "--kind",
      "outside",
      "--size",
      "0.25",
      "--hash",
      "b".repeat(40),
    ],
    ...["--note", "the alias moved\u001b[2J", "--at", "2026-01-31T12:00:00Z"],
  ]);
  assert.deepEqual([added.code, added.stderr], [0, ""]);
  const second = await say(["changes", "add", "--db", db, "--element", "network", "--json"]);
  const { change } = JSON.parse(second.stdout) as { change: { seq: number; kind: string } };
  assert.deepEqual([change.seq, change.kind], [2, "outside"]);
  const listed = await say(["changes", "--db", db]);
  assert.match(listed.stdout, /^1 {4}2026-01-31 12:00:00 {2}model {4}outside {2}0\.25 {2}b{12} {2}the alias moved/m);
  assert.ok(!listed.stdout.includes("\u001b"));
  const json = JSON.parse((await say(["changes", "list", "--db", db, "--json"])).stdout) as {
    schema: string;
    changes: { element: string; hash?: string }[];
  };
  assert.equal(json.schema, "waymark.changes/1");
  assert.deepEqual(
    json.changes.map(({ element, hash }) => [element, hash]),
    [
      ["model", "b".repeat(40)],
      ["network", undefined],
    ],
  );
});

test("wrong use says what is wrong and writes nothing", async (t) => {
  const db = join(scratchFolder(t), "waymark.db");
  for (const [words, message] of [
    [["changes", "remove"], /knows list and add/],
    [["changes", "add"], /needs --element/],
    [["changes", "add", "--element", "a", "--size", "big"], /WM_USAGE_NOT_A_NUMBER/],
    [["changes", "add", "--element", "a", "--at", "soon"], /no ISO time/],
    [["changes", "list", "--element", "a"], /belongs to waymark changes add/],
  ] as const) {
    const said = await say([...words, "--db", db]);
    assert.equal(said.code, 2, words.join(" "));
    assert.match(said.stderr, message);
  }
  assert.equal((await say(["changes", "--db", join(scratchFolder(t), "none.db")])).code, 4);
});

test("an empty ledger says so", async (t) => {
  const db = join(scratchFolder(t), "waymark.db");
  await say(["changes", "add", "--db", db]);
  if (existsSync(db)) assert.match((await say(["changes", "--db", db])).stdout, /nothing has changed between runs/);
});
