import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { chmodSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { listProcesses } from "../../../../proxy/launch/process-table.ts";
import { needsShared, SHARED } from "../../../support/project.ts";
import { scratchFolder } from "../../../support/scratch.ts";
import { launchHere, NEEDS_POSIX, outputWatch, processesWith } from "../../../support/tree.ts";

const CHILD = fileURLToPath(new URL("../../../support/tree-child.js", import.meta.url));

/** An environment by which the test finds the processes of its own launch. */
function marked(): { readonly env: NodeJS.ProcessEnv; readonly mark: string } {
  const id = randomUUID();
  return { env: { ...process.env, WAYMARK_RUN_ID: id }, mark: `WAYMARK_RUN_ID=${id}` };
}

/** Without a wait of its own: the process table is read until it is so, or the test's time is up. */
async function gone(mark: string): Promise<void> {
  while ((await processesWith(mark)).length > 0) await pause(20);
}

test("arguments reach the program as they were given (case H05)", needsShared("cases", "H05"), async (t) => {
  const args = ["--loglevel=woo", "-n", "5", "007", "--help", "", "a b"];
  const launched = launchHere(t, [process.execPath, join(SHARED, "cases", "H05", "argv.mjs"), ...args]);
  assert.deepEqual(await launched.ended, { kind: "exited", code: 0 });
  assert.deepEqual(JSON.parse(readFileSync(launched.stdoutFile, "utf8")), args);
});

test("arguments that a shell would act on stay as they are", async (t) => {
  const args = ["$HOME", "`id`", "a;b", "*", "'", '"', "\\", "ü\n", "%PATH%", "-", "--"];
  const script = "process.stdout.write(JSON.stringify(process.argv.slice(1)))";
  const launched = launchHere(t, [process.execPath, "-e", script, "--", ...args]);
  assert.deepEqual(await launched.ended, { kind: "exited", code: 0 });
  assert.deepEqual(JSON.parse(readFileSync(launched.stdoutFile, "utf8")), args);
});

test("an end is told as it was: exit code, foreign signal, timeout, stop", NEEDS_POSIX, async (t) => {
  assert.deepEqual(await launchHere(t, ["sh", "-c", "exit 7"]).ended, { kind: "exited", code: 7 });
  assert.deepEqual(await launchHere(t, ["sh", "-c", "kill -9 $$"]).ended, { kind: "killed", signal: "SIGKILL" });
  const hanging = launchHere(t, ["sleep", "985"], { timeoutMs: 100 });
  assert.deepEqual(await hanging.ended, { kind: "timeout", afterMs: 100 });
  const stopped = launchHere(t, ["sleep", "984"]);
  assert.deepEqual(await stopped.stop("decided"), { kind: "stopped", reason: "decided" });
  assert.deepEqual(await stopped.stop("again", "interrupted"), { kind: "stopped", reason: "decided" });
});

test("output goes to files, and its last lines are at hand", NEEDS_POSIX, async (t) => {
  const script = "for i in $(seq 30); do echo line $i; done; printf 'no newline' >&2; exit 3";
  const launched = launchHere(t, ["sh", "-c", script]);
  await launched.ended;
  const { stdout, stderr } = await launched.details;
  assert.equal(readFileSync(launched.stdoutFile, "utf8").split("\n").length, 31);
  assert.equal(stdout.lastLines.at(-1), "line 30");
  assert.equal(stdout.lastLines.length, 20);
  assert.deepEqual(stderr, { bytes: 10, omitted: 0, lastLines: ["no newline"] });
  assert.equal(readFileSync(launched.stderrFile, "utf8"), "no newline");
});

test(
  "a tree with a child that ignores SIGTERM is gone after a stop (case H03)",
  needsShared("cases", "H03"),
  async (t) => {
    const { env, mark } = marked();
    const launched = launchHere(t, ["sh", join(SHARED, "cases", "H03", "tree.sh")], { env });
    while ((await processesWith(mark)).length < 3) await pause(20);
    assert.deepEqual(await launched.stop("ctrl-c", "interrupted"), { kind: "interrupted", reason: "ctrl-c" });
    assert.deepEqual(await processesWith(mark), []);
  },
);

test("processes that left the group, and their parents, are ended too", NEEDS_POSIX, async (t) => {
  const { env, mark } = marked();
  const watch = outputWatch();
  const script =
    "setsid sleep 983 & (setsid sh -c '(trap \"\" TERM; sleep 982) & exit 0' &); env -i sleep 981 & echo up; wait";
  const launched = launchHere(t, ["sh", "-c", script], { env, onOutput: watch.onOutput });
  await watch.seen(/up/);
  while ((await processesWith(mark)).length < 3) await pause(20);
  await launched.stop("over");
  assert.deepEqual(await processesWith(mark), []);
  const { survivors, leftBehind } = await launched.details;
  assert.deepEqual([survivors, leftBehind], [[], []]);
  const left = (await listProcesses(mark)).filter(
    ({ group, session }) => group === launched.pid || session === launched.pid,
  );
  assert.deepEqual(left, []);
});

test("what outlives the main process gets the grace time, is ended then, and is named", NEEDS_POSIX, async (t) => {
  const { env, mark } = marked();
  const launched = launchHere(t, ["sh", "-c", "sleep 980 & setsid sleep 979 & exit 4"], { env });
  assert.deepEqual(await launched.ended, { kind: "exited", code: 4 });
  assert.deepEqual((await launched.details).leftBehind, ["sleep", "sleep"]);
  assert.deepEqual(await processesWith(mark), []);
});

test("a helper that ends by itself within the grace time is left alone", NEEDS_POSIX, async (t) => {
  const launched = launchHere(t, ["sh", "-c", "(sleep 0.3; echo late) & exit 0"], { graceMs: 5_000 });
  assert.deepEqual(await launched.ended, { kind: "exited", code: 0 });
  assert.deepEqual((await launched.details).leftBehind, []);
  assert.equal(readFileSync(launched.stdoutFile, "utf8"), "late\n");
});

test("a flood fills neither file nor memory, and the middle is left out", NEEDS_POSIX, async (t) => {
  const launched = launchHere(t, ["sh", "-c", "echo first; yes | head -c 30000000; echo last"], {
    maxOutputBytes: 100_000,
  });
  assert.deepEqual(await launched.ended, { kind: "exited", code: 0 });
  const { stdout } = await launched.details;
  assert.equal(stdout.bytes, 30_000_000 + "first\nlast\n".length);
  assert.equal(stdout.omitted, stdout.bytes - 100_000);
  const text = readFileSync(launched.stdoutFile, "utf8");
  assert.ok(statSync(launched.stdoutFile).size < 100_200);
  assert.ok(text.startsWith("first\ny\n") && text.endsWith("y\nlast\n"));
  assert.match(text, /\n\[waymark: [0-9]+ bytes left out here, the file is full\]\n/);
});

test("output that cannot be written costs the file, not the run", NEEDS_POSIX, async (t) => {
  const folder = scratchFolder(t);
  writeFileSync(join(folder, "file"), "");
  const launched = launchHere(t, ["sh", "-c", "echo one; exit 2"], { stdoutFile: join(folder, "file", "stdout.log") });
  assert.deepEqual(await launched.ended, { kind: "exited", code: 2 });
  const { stdout } = await launched.details;
  assert.match(stdout.problem ?? "", /ENOTDIR|ENOENT|EEXIST/);
  assert.deepEqual(stdout.lastLines, ["one"]);
});

const UNSTARTABLE: readonly (readonly [name: string, command: readonly string[], reason: RegExp])[] = [
  ["a misspelt name", ["sllep", "1"], /"sllep" is not in PATH \(ENOENT\) — did you mean "sleep"\?/],
  ["a path that is not there", ["./absent"], /"\.\/absent" does not exist \(ENOENT\)/],
  ["a folder", ["./folder"], /is a folder/],
  ["a file without the bit", ["./plain"], /is not executable \(EACCES\): chmod \+x/],
  ["a file of the working folder", ["plain"], /write \.\/plain/],
  ["a script whose interpreter is absent", ["./shebang"], /\(ENOENT\): the interpreter its first line names/],
  ["nothing", [], /the command is empty/],
  ["a NUL", ["sh", "a\0b"], /NUL/],
];

for (const [name, command, reason] of UNSTARTABLE) {
  test(`${name} cannot be started, and the launch says why`, NEEDS_POSIX, async (t) => {
    const cwd = scratchFolder(t);
    mkdirSync(join(cwd, "folder"));
    writeFileSync(join(cwd, "plain"), "");
    writeFileSync(join(cwd, "shebang"), "#!/absent/interpreter\n");
    chmodSync(join(cwd, "shebang"), 0o755);
    const end = await launchHere(t, command, { cwd }).ended;
    assert.equal(end.kind, "failed");
    assert.match(end.kind === "failed" ? end.reason : "", reason);
  });
}

test("a working folder that is none is said to be none", async (t) => {
  const end = await launchHere(t, [process.execPath, "-v"], { cwd: join(scratchFolder(t), "absent") }).ended;
  assert.match(end.kind === "failed" ? end.reason : "", /working folder ".*absent" is not a folder/);
});

for (const signal of ["SIGKILL", "SIGTERM"] as const) {
  test(
    `when waymark's process dies of ${signal}, no process of the launch survives, nor the guard`,
    NEEDS_POSIX,
    async (t) => {
      const { env, mark } = marked();
      const script = "(trap '' TERM; setsid sleep 978) & (trap '' TERM HUP; sleep 977) & echo up; wait";
      const child = spawn(process.execPath, [CHILD, scratchFolder(t), "sh", "-c", script], {
        env,
        stdio: ["ignore", "pipe", "inherit"],
      });
      await once(child.stdout, "data");
      const guard = (await listProcesses(mark)).find(({ parent, isMarked }) => parent === child.pid && !isMarked);
      assert.ok(guard, "the guard runs");
      child.kill(signal);
      await once(child, "exit");
      await gone(mark);
      while ((await listProcesses(mark)).some(({ pid }) => pid === guard.pid)) await pause(20);
    },
  );
}
