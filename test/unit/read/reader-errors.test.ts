import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { Intake } from "../../../grader/read/intake.ts";
import { openFile } from "../../../grader/read/open-file.ts";
import { SeriesReader } from "../../../grader/read/reader.ts";
import type { Selection } from "../../../grader/read/selection.ts";
import { Collected } from "../../support/collect.ts";
import { controlLine, eventLine } from "../../support/log-lines.ts";
import { scratchFolder } from "../../support/scratch.ts";

const NOTHING_WANTED: Selection = {
  keys: { name: "name", time: "time" },
  generation: 0,
  numberTimes: undefined,
  interests: () => [],
  pass: () => undefined,
  passRun: () => undefined,
};

for (const [how, more] of [
  ["every line is parsed", {}],
  ["lines are scanned", { selection: NOTHING_WANTED }],
] as const) {
  test(`an error in a line over several blocks comes once, and leaves no file open (${how})`, async (t) => {
    const folder = scratchFolder(t);
    const files = ["t-0.log", "t-1.log"].map((name) => join(folder, name));
    const start = controlLine("start", { record_format: 99, pad: "x".repeat(600_000) });
    writeFileSync(files[0] ?? "", eventLine("a", 1) + start + eventLine("b", 2));
    writeFileSync(files[1] ?? "", eventLine("c", 3));
    const open = new Set<string>();
    const reader = new SeriesReader(new Intake({ rule: { kind: "all" }, sink: Object.assign(new Collected(), more) }), {
      lineBytes: 1 << 20,
      blockBytes: 1 << 10,
      open: async (name) => {
        const file = await openFile(name);
        open.add(name);
        return {
          ...file,
          close: async () => {
            open.delete(name);
            await file.close();
          },
        };
      },
    });
    reader.extend(files.map((file, index) => ({ file, index })));
    await assert.rejects(reader.drain(), { code: "WM_LOG_NEWER_FORMAT" });
    assert.equal(open.size, 1);
    await reader.close();
    assert.equal(open.size, 0);
  });
}
