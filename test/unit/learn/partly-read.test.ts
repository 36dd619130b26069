import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
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
  const logs = {
    whole: text,
    torn: `${first}{"name":"saved","da\nnot json\n${second}`,
    cut: `${text}{"name":"sav`,
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
      "warning: of the good run torn.ndjson only a part was learned: 2 lines cannot be read, the first is torn.ndjson:2",
      "warning: of the good run cut.ndjson only a part was learned: 1 line cannot be read, the first is cut.ndjson:3; it is not whole (cut.ndjson ends inside a record (line 3))",
    ],
  );
  const { partly_read } = JSON.parse(stdout) as { readonly partly_read: readonly object[] };
  assert.deepEqual(
    partly_read.map((part) => ({ ...part, run: "" })),
    [
      { run: "", lines_bad: 2 },
      { run: "", lines_bad: 1, cut: `${files[2]} ends inside a record (line 3)` },
    ],
  );
  assert.doesNotMatch((await say(["learn", files[0] ?? ""])).stderr, /only a part/);
});
