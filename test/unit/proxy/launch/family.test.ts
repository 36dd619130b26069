import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import test from "node:test";
import { familyOf } from "../../../../proxy/launch/family.ts";
import {
  listProcesses,
  type ProcessEntry,
  parseCim,
  parsePs,
  startOf,
} from "../../../../proxy/launch/process-table.ts";

const SELF = 100;

/** init, waymark's shell, waymark, and a root 200 in a group and session of its own. */
function machine(...more: readonly Partial<ProcessEntry>[]): ProcessEntry[] {
  const plain = { name: "x", isMarked: false, startedAt: "5" };
  return [
    { pid: 1, parent: 0, group: 1, session: 1 },
    { pid: 50, parent: 1, group: 50, session: 50 },
    { pid: SELF, parent: 50, group: SELF, session: 50 },
    { pid: 200, parent: SELF, group: 200, session: 200 },
    ...more,
  ].map((entry) => ({ pid: 0, parent: 1, ...plain, ...entry }));
}

const CASES: readonly (readonly [name: string, entry: Partial<ProcessEntry>, isFamily: boolean])[] = [
  ["a child", { pid: 300, parent: 200, group: 200, session: 200 }, true],
  ["an orphan of the group", { pid: 300, parent: 1, group: 200, session: 200 }, true],
  ["an orphan in a group of its own, same session", { pid: 300, parent: 1, group: 300, session: 200 }, true],
  ["a child that left the session", { pid: 300, parent: 200, group: 300, session: 300 }, true],
  ["a marked orphan of its own session", { pid: 300, parent: 1, group: 300, session: 300, isMarked: true }, true],
  ["a stranger", { pid: 300, parent: 1, group: 300, session: 300 }, false],
  ["waymark's other child", { pid: 300, parent: SELF, group: 300, session: 300 }, false],
  ["a neighbour in waymark's session", { pid: 300, parent: 50, group: 300, session: 50 }, false],
];

for (const [name, entry, isFamily] of CASES) {
  test(`${name} is ${isFamily ? "" : "not "}of the family`, () => {
    const pids = familyOf(machine(entry), { pid: 200, startedAt: "5" }, SELF).map(({ pid }) => pid);
    assert.deepEqual(pids, isFamily ? [200, 300] : [200]);
  });
}

test("what an orphan started is of the family, also when it is listed first", () => {
  const all = machine(
    { pid: 400, parent: 300, group: 400, session: 400 },
    { pid: 300, isMarked: true, group: 300, session: 300 },
  );
  assert.deepEqual(
    familyOf(all, undefined, SELF)
      .map(({ pid }) => pid)
      .sort(),
    [300, 400],
  );
});

test("a stranger that got the root's id later is left alone", () => {
  assert.deepEqual(familyOf(machine(), { pid: 200, startedAt: "4" }, SELF), []);
});

test("neither waymark nor its ancestors are ever of the family, whatever they carry", () => {
  const all = machine().map((entry) => (entry.pid === 200 ? entry : { ...entry, isMarked: true }));
  assert.deepEqual(
    familyOf(all, { pid: 200 }, SELF).map(({ pid }) => pid),
    [200],
  );
});

test("this machine's table holds this process, with its mark and its start", {
  skip: process.platform === "win32",
}, async () => {
  const own = (await listProcesses(`PATH=${process.env["PATH"]}`)).find(({ pid }) => pid === process.pid);
  assert.equal(own?.parent, process.ppid);
  assert.equal(own?.isMarked, true);
  if (process.platform === "linux") assert.equal(own?.startedAt, startOf(process.pid));
});

test("the table that ps prints, as macOS has it, says the same", {
  skip: spawnSync("ps", ["-o", "pid="]).status !== 0 && "no ps here",
}, () => {
  const { stdout } = spawnSync("ps", ["axeww", "-o", "pid=,ppid=,pgid=,stat=,command="], {
    encoding: "utf8",
    maxBuffer: 67_108_864,
  });
  const own = parsePs(stdout, `PATH=${process.env["PATH"]}`).find(({ pid }) => pid === process.pid);
  assert.equal(own?.parent, process.ppid);
  assert.equal(own?.isMarked, true);
});

test("ps and PowerShell lines are read, zombies and noise are not", () => {
  assert.deepEqual(parsePs("  12     1    12 Ss   /bin/a b WM=1 X=2\n 13 12 12 Z <defunct>\nPID\n", "WM=1"), [
    { pid: 12, parent: 1, group: 12, name: "/bin/a", isMarked: true },
  ]);
  assert.deepEqual(parsePs("12 1 12 S /bin/a WM=11\n", "WM=1")[0]?.isMarked, false);
  assert.deepEqual(parseCim("4 0  System\r\n12 4 638 my app.exe\r\n"), [
    { pid: 4, parent: 0, startedAt: "", name: "System", isMarked: false },
    { pid: 12, parent: 4, startedAt: "638", name: "my app.exe", isMarked: false },
  ]);
});
