import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { mkdirSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import Database from "better-sqlite3";
import { isNamed, parsePs, parseTasklist } from "../../../grader/evaluator/evaluators/process-running.ts";
import { lookOnce } from "../../../grader/evaluator/look.ts";
import type { JsonObject } from "../../../proxy/record/json.ts";
import { scratchFolder } from "../../support/scratch.ts";

const NONE = { commands: new Map<string, readonly string[]>() };

async function look(evaluator: string, args: JsonObject, sight = {}): Promise<string> {
  const { verdict } = await lookOnce({ evaluator, args }, { ...NONE, ...sight });
  return verdict;
}

test("file_exists looks at name, content, hash, time and glob", async (t) => {
  const path = scratchFolder(t);
  writeFileSync(join(path, "report.docx"), "total: 42 EUR\n");
  const sha256 = createHash("sha256").update("total: 42 EUR\n").digest("hex");
  utimesSync(join(path, "report.docx"), new Date("2026-01-02"), new Date("2026-01-02"));
  mkdirSync(join(path, "deep", "er"), { recursive: true });
  writeFileSync(join(path, "deep", "er", "a.log"), "x");
  const cases: readonly (readonly [JsonObject, string])[] = [
    [{ file_name: "report.docx" }, "pass"],
    [{ file_name: "Report.docx2" }, "fail"],
    [{}, "pass"],
    [{ file_name: "none", exists: false }, "pass"],
    [{ file_name: "report.docx", exists: false }, "fail"],
    [{ file_name: "report.docx", contains: "42 EUR" }, "pass"],
    [{ file_name: "report.docx", contains: "43" }, "fail"],
    [{ file_name: "report.docx", matches: "total: [0-9]+" }, "pass"],
    [{ file_name: "report.docx", matches: "^[0-9]+$" }, "fail"],
    [{ file_name: "report.docx", matches: "(?=x)" }, "error"],
    [{ file_name: "report.docx", sha256 }, "pass"],
    [{ file_name: "report.docx", sha256: "0".repeat(64) }, "fail"],
    [{ file_name: "report.docx", newer_than: "2026-01-01" }, "pass"],
    [{ file_name: "report.docx", newer_than: "2026-01-03" }, "fail"],
    [{ file_name: "report.docx", newer_than: "soon" }, "error"],
    [{ glob: "*.docx" }, "pass"],
    [{ glob: "**/*.log" }, "pass"],
    [{ glob: "**/*.xls" }, "fail"],
    [{ file_name: "deep", contains: "x" }, "fail"],
  ];
  for (const [args, verdict] of cases)
    assert.equal(await look("file_exists", { path, ...args }), verdict, JSON.stringify(args));
});

test("a slow regular expression ends, because the engine is linear", async (t) => {
  const path = scratchFolder(t);
  writeFileSync(join(path, "a.txt"), `${"a".repeat(50_000)}b`);
  assert.equal(await look("file_exists", { path, file_name: "a.txt", matches: "(a+)+$" }), "fail");
});

test("a file too large to be searched is an error, never a guess", async (t) => {
  const path = join(scratchFolder(t), "big.txt");
  writeFileSync(path, Buffer.alloc(1_100_000, "a"));
  const { verdict, facts } = await lookOnce({ evaluator: "file_exists", args: { path, matches: "b" } }, NONE);
  assert.equal(verdict, "error");
  assert.equal((facts["error"] as JsonObject)["code"], "WM_SERVE_LIMIT");
});

test("a Windows path on another system does not exist, and the answer says so", {
  skip: process.platform === "win32" ? "Windows paths exist here" : false,
}, async () => {
  const args = { path: "C:\\\\out", file_name: "report.docx" };
  const { verdict, reason, facts } = await lookOnce({ evaluator: "file_exists", args }, NONE);
  assert.deepEqual([verdict, facts["exists"]], ["fail", false]);
  assert.match(reason, /is a Windows path, and this machine runs/);
});

test("a link that leads nowhere, a circle of links and a path through a file do not exist", async (t) => {
  const path = scratchFolder(t);
  writeFileSync(join(path, "f"), "");
  symlinkSync("nowhere", join(path, "dangling"));
  symlinkSync("circle", join(path, "circle"));
  for (const file_name of ["dangling", "circle", "f/g"])
    assert.equal(await look("file_exists", { path, file_name }), "fail", file_name);
});

test("process_running knows a process that runs by its whole name, and no longer when it has ended", async (t) => {
  const child = spawn(process.execPath, ["-e", "setInterval(()=>{},1e6)", "waymark-marker-word"], { stdio: "ignore" });
  t.after(() => child.kill("SIGKILL"));
  await once(child, "spawn");
  const name = process.execPath.split(/[\\/]/).at(-1) ?? "";
  assert.equal(await look("process_running", { name }), "pass");
  assert.equal(await look("process_running", { name: name.slice(0, -1) }), "fail");
  if (process.platform !== "win32") {
    assert.equal(await look("process_running", { name, arguments_contain: "waymark-marker-word" }), "pass");
  }
  child.kill("SIGKILL");
  await once(child, "close");
  assert.equal(await look("process_running", { name, arguments_contain: "waymark-marker-word" }), "fail");
  assert.equal(await look("process_running", { name: "no-such-program", running: false }), "pass");
});

test("what ps and tasklist print is read, and names are compared as each system does", () => {
  const ps = parsePs(
    "  1 Ss   /sbin/launchd\n 77 S+   /Applications/Chat App.app/Contents/MacOS/Chat App\n 78 Z  (dead)\n",
    " 77 /Applications/Chat App --x\n",
  );
  assert.deepEqual(
    ps.map(({ pid, names }) => [pid, names[0]]),
    [
      [1, "launchd"],
      [77, "Chat App"],
    ],
  );
  const tasks = parseTasklist(
    '"System Idle Process","0","Services","0","8 K"\r\n"ms-teams.exe","4711","Console","1","120,004 K"\r\n',
  );
  assert.deepEqual(
    tasks.map(({ pid }) => pid),
    [0, 4711],
  );
  const [, teams] = tasks;
  assert.ok(teams);
  for (const name of ["ms-teams", "MS-Teams.exe"]) assert.ok(isNamed(teams, name, "win32"), name);
  for (const name of ["teams", "ms-teams.exe.exe"]) assert.equal(isNamed(teams, name, "win32"), false, name);
  assert.equal(isNamed(teams, "ms-teams", "linux"), false);
});

test("command runs only what was allowed, without a shell, and ends what takes too long", async () => {
  const commands = new Map([
    ["ok", [process.execPath, "-e", "process.stdout.write('fine; $(x)')"]],
    ["three", [process.execPath, "-e", "process.exit(3)"]],
    ["slow", [process.execPath, "-e", "setInterval(()=>{},1e6)"]],
    ["gone", ["/no/such/program"]],
  ]);
  assert.equal(await look("command", { name: "ok", contains: "$(x)" }, { commands }), "pass");
  assert.equal(await look("command", { name: "ok", contains: "y" }, { commands }), "fail");
  assert.equal(await look("command", { name: "three" }, { commands }), "fail");
  assert.equal(await look("command", { name: "three", exit_code: 3 }, { commands }), "pass");
  assert.equal(await look("command", { name: "slow", timeout: "200ms" }, { commands }), "error");
  assert.equal(await look("command", { name: "gone" }, { commands }), "error");
  const { verdict, facts } = await lookOnce({ evaluator: "command", args: { name: "rm" } }, { commands });
  assert.deepEqual([verdict, (facts["error"] as JsonObject)["code"]], ["error", "WM_SERVE_COMMAND"]);
});

test("command looks at all that was printed before the end, and ends what the command started too", {
  skip: process.platform === "win32" ? "needs a POSIX shell" : false,
}, async () => {
  const commands = new Map([
    ["long", ["sh", "-c", "head -c 900000 /dev/zero | tr '\\0' x; echo MARK"]],
    ["longer", ["sh", "-c", "head -c 1100000 /dev/zero | tr '\\0' x; echo MARK"]],
    ["parent", ["sh", "-c", "sleep 86391 & wait"]],
  ]);
  const ask = (name: string, more: object = {}) => look("command", { name, ...more }, { commands });
  assert.equal(await ask("long", { contains: "MARK" }), "pass");
  assert.equal(await ask("longer", { contains: "MARK" }), "error", "never a guess");
  assert.equal(await ask("longer"), "pass");
  assert.equal(await ask("parent", { timeout: "300ms" }), "error");
  const gone = { name: "sleep", arguments_contain: "86391", running: false };
  while ((await look("process_running", gone)) !== "pass") await new Promise((resolve) => setImmediate(resolve));
});

test("json_file tests fields with the operators of markers", async (t) => {
  const path = join(scratchFolder(t), "settings.json");
  writeFileSync(path, JSON.stringify({ window: { zoom: 1.5, tabs: [{ id: "a" }, { id: "b" }] }, id: 1, list: [1] }));
  writeFileSync(`${path}.bad`, "{");
  const cases: readonly (readonly [JsonObject, string])[] = [
    [{ "window.zoom|gte": 1 }, "pass"],
    [{ "window.zoom|gte": 2 }, "fail"],
    [{ "window.tabs[*].id": "b" }, "pass"],
    [{ "$.window.tabs[0].id": "a" }, "pass"],
    [{ id: "1" }, "fail"],
    [{ "id|nope": 1 }, "error"],
  ];
  for (const [where, verdict] of cases)
    assert.equal(await look("json_file", { path, where }), verdict, JSON.stringify(where));
  assert.equal(await look("json_file", { path: `${path}.bad`, where: { a: 1 } }), "fail");
  assert.equal(await look("json_file", { path: `${path}.none`, where: { a: 1 } }), "fail");
});

test("sqlite_query takes one SELECT, never writes, never attaches, and ends at its limit", async (t) => {
  const path = join(scratchFolder(t), "app.db");
  const db = new Database(path);
  db.exec(
    "CREATE TABLE orders (id INTEGER, status TEXT); INSERT INTO orders VALUES (7, 'paid'), (8, 'open'), (9007199254740993, 'x')",
  );
  db.close();
  const cases: readonly (readonly [JsonObject, string])[] = [
    [{ query: "SELECT status FROM orders WHERE id = ?", params: [7], where: { status: "paid" } }, "pass"],
    [{ query: "SELECT status FROM orders WHERE id = ?", params: [8], where: { status: "paid" } }, "fail"],
    [{ query: "SELECT * FROM orders", rows: { min: 3, max: 3 } }, "pass"],
    [{ query: "SELECT * FROM orders", rows: { max: 2 } }, "fail"],
    [{ query: "SELECT * FROM orders WHERE 0", rows: { max: 0 } }, "pass"],
    [{ query: "SELECT * FROM orders WHERE 0" }, "fail"],
    [{ query: "DELETE FROM orders" }, "error"],
    [{ query: "WITH x AS (SELECT 1) DELETE FROM orders" }, "error"],
    [{ query: `ATTACH '${path}' AS other` }, "error"],
    [{ query: "PRAGMA user_version = 3" }, "error"],
    [{ query: "SELECT 1; DELETE FROM orders" }, "error"],
    [{ query: "SELECT nope FROM orders" }, "error"],
    [
      {
        query: "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n",
        timeout: "500ms",
      },
      "error",
    ],
  ];
  for (const [args, verdict] of cases)
    assert.equal(await look("sqlite_query", { path, ...args }), verdict, JSON.stringify(args));
  assert.equal(await look("sqlite_query", { path: `${path}.none`, query: "SELECT 1" }), "fail");
  const refused = await lookOnce({ evaluator: "sqlite_query", args: { path, query: "DELETE FROM orders" } }, NONE);
  assert.equal((refused.facts["error"] as JsonObject)["code"], "WM_SERVE_LOOK");
  const after = new Database(path, { readonly: true });
  t.after(() => after.close());
  assert.equal(after.prepare("SELECT count(*) FROM orders").pluck().get(), 3);
});
