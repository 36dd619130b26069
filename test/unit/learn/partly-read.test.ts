import assert from "node:assert/strict";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { heldRun } from "../../support/learning.ts";
import { scratchFolder } from "../../support/scratch.ts";
import { say } from "../../support/terminal.ts";

test("a good run whose log cannot be read whole is learned from with a warning that names the line", async (t) => {
  const folder = scratchFolder(t);
  const text = heldRun("a", ["open", "paid"])
    .events.map((event) => `${JSON.stringify(event)}\n`)
    .join("");
  const [first, second] = text.split(/(?<=\n)/) as [string, string];
  const body = { name: null, body: "zz", $capture: { undecoded: "why", host: "h", path: "/p", format: "otlp" } };
  const logs = {
    whole: text,
    odd: `${first}null\n${second}`,
    torn: `${first}{"name":"saved","da\nnot json\n${second}`,
    cut: `${text}{"name":"sav`,
    undecoded: `${first}${JSON.stringify(body)}\n${second}`,
  };
  const files = Object.entries(logs).map(([name, log]) => {
    const file = join(folder, `${name}.ndjson`);
    writeFileSync(file, log);
    return file;
  });
  const { code, stderr, stdout } = await say(["learn", ...files, "--json"]);
  assert.equal(code, 0);
  const warnings = stderr.split("\n").filter((line) => line.startsWith("warning: of the good run"));
  assert.deepEqual(
    warnings.map((line) => line.replaceAll(`${folder}/`, "")),
    [
      "warning: of the good run torn.ndjson only a part was learned: its log has 2 gaps, the first at torn.ndjson:2 (not JSON: cut before its end, or followed by something else)",
      "warning: of the good run cut.ndjson only a part was learned: its log has 1 gap, the first at cut.ndjson:3 (not JSON: cut before its end, or followed by something else); it is not whole (cut.ndjson ends inside a record (line 3))",
      "warning: of the good run undecoded.ndjson only a part was learned: its log has 1 gap, the first at undecoded.ndjson:2 (a request of h could not be read: why)",
    ],
  );
  const { partly_read } = JSON.parse(stdout) as { readonly partly_read: readonly Record<string, unknown>[] };
  assert.deepEqual(
    partly_read.map(({ run: _, first: at, ...part }) => [(at as { readonly line: number }).line, part]),
    [
      [2, { gaps: 2 }],
      [3, { gaps: 1, cut: `${files[3]} ends inside a record (line 3)` }],
      [2, { gaps: 1 }],
    ],
  );
  assert.doesNotMatch((await say(["learn", files[0] ?? ""])).stderr, /only a part/);
});

test("--holdout, which reads runs again, refuses a stream before anything is written", async (t) => {
  const out = join(scratchFolder(t), "s.yaml");
  const { code, stderr } = await say(["learn", "-", "--holdout", "-o", out]);
  assert.equal(code, 2);
  assert.match(stderr, /--holdout reads each run again, and - can be read only once/);
  assert.equal(existsSync(out), false);
});
