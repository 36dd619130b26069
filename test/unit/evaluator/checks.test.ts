import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { lookAtState } from "../../../grader/evaluator/look.ts";
import { chatLines, evaluatorRoom, fiveChats, writeChats } from "../../support/evaluator.ts";
import { gradeText } from "../../support/grading.ts";
import { scratchFolder } from "../../support/scratch.ts";

const scenario = (path: string): string =>
  `waymark: 1\nscenario: saves\nmarkers: [{ event: chat_switch }]\nchecks:\n  - file_exists: { path: '${path}', file_name: report.txt }\n`;

test("a scenario's checks are asked with the evaluators at the end of a live run, and decide", async (t) => {
  const folder = scratchFolder(t);
  const log = chatLines(["general"]);
  const before = await gradeText(folder, log, scenario(folder), { look: lookAtState() });
  assert.equal(before.verdict, "fail");
  assert.match(before.results[0]?.reason ?? "", /check 'file_exists' failed: .*report\.txt does not exist/);
  writeFileSync(join(folder, "report.txt"), "");
  assert.equal((await gradeText(folder, log, scenario(folder), { look: lookAtState() })).verdict, "pass");
  assert.equal((await gradeText(folder, log, scenario("."), { look: lookAtState({ cwd: folder }) })).verdict, "pass");
  const held = await gradeText(folder, log, scenario(folder), { look: lookAtState({ root: scratchFolder(t) }) });
  assert.equal(held.verdict, "inconclusive", "what may not be looked at decides nothing");
});

test("the server asks a scenario's checks too", async (t) => {
  const markers = scratchFolder(t);
  const room = await evaluatorRoom(t, { markers });
  writeFileSync(join(markers, "saves.yaml"), scenario(room.folder));
  const item = fiveChats(writeChats(room.folder, ["general"]), { scenarios: ["saves"] });
  assert.equal((await room.evaluate(item)).body.verdict, "fail");
  writeFileSync(join(room.folder, "report.txt"), "");
  assert.equal((await room.evaluate(item)).body.verdict, "pass");
});
