import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { runProgram } from "../support/processes.ts";
import { PROJECT } from "../support/project.ts";
import { scratchFolder } from "../support/scratch.ts";
import { chatSwitches, FIVE_CHATS } from "../support/telemetry.ts";

const npm = (args: readonly string[], cwd: string) =>
  process.platform === "win32" ? runProgram("cmd", ["/c", "npm", ...args], { cwd }) : runProgram("npm", args, { cwd });

test("the packed package, installed elsewhere, has a working grade and an importable library", async (t) => {
  const cwd = scratchFolder(t);
  const packed = await npm(["pack", "--ignore-scripts", "--json", "--pack-destination", cwd], PROJECT);
  assert.equal(packed.code, 0, packed.stderr);
  const [{ filename }] = JSON.parse(packed.stdout) as [{ filename: string }];
  writeFileSync(
    join(cwd, "package.json"),
    '{"name":"elsewhere","private":true,"type":"module","allowScripts":{"better-sqlite3":true}}',
  );
  const installed = await npm(["install", "--no-audit", "--no-fund", join(cwd, filename)], cwd);
  assert.equal(installed.code, 0, installed.stderr);

  writeFileSync(
    join(cwd, "run.ndjson"),
    chatSwitches(FIVE_CHATS)
      .map((event) => `${JSON.stringify(event)}\n`)
      .join(""),
  );
  const main = join(cwd, "node_modules", "waymark", "dist", "cli", "grade-main.js");
  const graded = await runProgram(process.execPath, [main, "--scenario", "simple_collab_switch", "run.ndjson"], {
    cwd,
  });
  assert.equal(graded.code, 0, graded.stdout + graded.stderr);
  writeFileSync(
    join(cwd, "use.mjs"),
    'import { gradeLogs } from "waymark"; import { startSession } from "waymark/proxy"; console.log(typeof gradeLogs, typeof startSession);',
  );
  const used = await runProgram(process.execPath, ["use.mjs"], { cwd });
  assert.equal(used.stdout.trim(), "function function", used.stderr);
});
