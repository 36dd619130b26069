import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { Ajv } from "ajv";
import { learnRuns } from "../../../grader/learn/learn.ts";
import { heldRun } from "../../support/learning.ts";
import { scratchFolder } from "../../support/scratch.ts";
import { say } from "../../support/terminal.ts";

async function validator(name: string): Promise<(document: unknown) => void> {
  const { stdout, code } = await say(["schema", name]);
  assert.equal(code, 0);
  const ajv = new Ajv({ strict: false });
  const validate = ajv.compile(JSON.parse(stdout) as object);
  return (document) => assert.ok(validate(document), ajv.errorsText(validate.errors));
}

const RUNS = ["a", "b", "c"].map((id, at) => heldRun(id, at === 1 ? ["open", "loading", "paid"] : ["open", "paid"]));

test("what learn and mutate print with --json, and the graph, are as their schemas say", async (t) => {
  const folder = scratchFolder(t);
  const logs = [...RUNS, heldRun("bad", ["open"])].map(({ name, events }) => {
    const file = join(folder, `${name}.ndjson`);
    writeFileSync(file, events.map((event) => `${JSON.stringify(event)}\n`).join(""));
    return file;
  });
  const [good, bad = ""] = [logs.slice(0, 3), logs[3]];
  const [out, graph, again] = ["s.yaml", "g.json", "g2.json"].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ];
  const isLearn = await validator("learn");
  const words = ["learn", ...good, "-o", out, "--holdout", "--negative", bad, "--graph", graph, "--json"];
  isLearn(JSON.parse((await say(words)).stdout));
  isLearn(JSON.parse((await say(["learn", ...good, "--json"])).stdout));
  isLearn(JSON.parse((await say(["learn", "--explain", bad, "-o", out, "--json"])).stdout));
  isLearn(JSON.parse(readFileSync(graph, "utf8")));
  assert.throws(() => isLearn({ schema: "waymark.learn/1" }));

  const before = readFileSync(out, "utf8");
  const drawn = await say(["learn", "--graph", again, "-o", out]);
  assert.equal(drawn.code, 0, drawn.stderr);
  assert.equal(readFileSync(again, "utf8"), readFileSync(graph, "utf8"), "drawn from what is kept, without the runs");
  assert.equal(readFileSync(out, "utf8"), before);
  assert.match((await say(["learn", "--graph", again, "-o", join(folder, "none.yaml")])).stderr, /WM_LEARN_STATE/);

  const isMutate = await validator("mutate");
  const mutated = await say(["mutate", "-s", "s", "--markers", folder, ...good, "--json"]);
  isMutate(JSON.parse(mutated.stdout));
});

test("runs that prove little are learned from with a warning, or refused in words", async (t) => {
  const folder = scratchFolder(t);
  const said = (...runs: (readonly string[])[]): readonly string[] =>
    learnRuns(
      runs.map((names, at) => heldRun(String(at), names)),
      "x",
    ).model.provisional;
  assert.match(said(["a"]).join(), /learned from 1 run; three or more/);
  assert.match(said(["a", "b"], ["a", "b"]).join(), /learned from 2 runs; three or more/);
  assert.match(said(["a"], ["a"], ["a"]).join(), /all runs went one and the same way/);
  assert.match(said(["a"], ["b"], ["c"]).join(), /nothing that every run shares/);
  assert.deepEqual(said(["a", "b"], ["a", "c", "b"], ["a", "b"]), []);
  const odd = { none: "", blank: "\n\n", words: "no json\n", lists: "[1]\n", nameless: '{"data":{}}\n' };
  for (const [name, text] of Object.entries(odd)) {
    const file = join(folder, `${name}.ndjson`);
    writeFileSync(file, text);
    const { code, stderr } = await say(["learn", file]);
    assert.notEqual(code, 0, name);
    assert.match(stderr, /WM_[A-Z_]+/, name);
    assert.doesNotMatch(stderr, /WM_BUG/, name);
  }
});
