import assert from "node:assert/strict";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { runProgram } from "../support/processes.ts";
import { PROJECT } from "../support/project.ts";
import { scratchFolder } from "../support/scratch.ts";
import { chatSwitches, FIVE_CHATS } from "../support/telemetry.ts";

const npm = (args: readonly string[], cwd: string) =>
  process.platform === "win32" ? runProgram("cmd", ["/c", "npm", ...args], { cwd }) : runProgram("npm", args, { cwd });

/** Uses both halves; a session whose thread cannot be started would print a problem. */
const USE = `
import { basename } from "node:path";
import { gradeLogs } from "waymark";
import { startSession } from "waymark/proxy";
console.log(typeof gradeLogs, typeof startSession);
const interceptor = { listen: "127.0.0.1", port: 0, certificateFor: async () => ({}), map: new Map(), maxBodyBytes: 1e6 };
const options = { log: { dir: "logs", name: "t", maxFileBytes: 1e6 }, interceptor, hosts: [], bypass: [], redact: [] };
const door = { address: { host: "127.0.0.1", port: 1 }, counts: {}, hosts: () => [], close: async () => {} };
const session = await startSession({ ...options, all: false, sink: false }, { startInterceptor: async () => door, onProblem: console.log });
await session.close();
console.log(basename(session.file));
`;

test("the packed package, installed elsewhere, has a working grade and an importable library", async (t) => {
  const cwd = scratchFolder(t);
  const packed = await npm(["pack", "--ignore-scripts", "--json", "--pack-destination", cwd], PROJECT);
  assert.equal(packed.code, 0, packed.stderr);
  const [{ filename, files }] = JSON.parse(packed.stdout) as [
    { filename: string; files: readonly { readonly path: string }[] },
  ];
  const compiled = files.filter(({ path }) => path.includes(".compiled"));
  assert.deepEqual(compiled, [], "what was compiled on this machine is for this machine");
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
  const grade = () => runProgram(process.execPath, [main, "--scenario", "simple_collab_switch", "run.ndjson"], { cwd });
  const graded = await grade();
  assert.equal(graded.code, 0, graded.stdout + graded.stderr);
  const again = await grade(); // by the code that the first one has compiled and kept
  assert.deepEqual([again.code, again.stdout.split("\n")[0]], [0, graded.stdout.split("\n")[0]], again.stderr);
  writeFileSync(join(cwd, "use.mjs"), USE);
  const used = await runProgram(process.execPath, ["use.mjs"], { cwd });
  assert.equal(used.stdout.trim(), "function function\nt-0.log", used.stderr);
  for (const folder of ["cli", "proxy"]) {
    assert.ok(existsSync(join(cwd, "node_modules", "waymark", "dist", folder, "recording-thread.js")), folder);
  }
});
