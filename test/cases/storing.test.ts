import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import test, { type TestContext } from "node:test";
import Database from "better-sqlite3";
import { openStore } from "../../grader/store/store.ts";
import { PROJECT } from "../support/project.ts";
import { sampleResult } from "../support/result.ts";
import { scratchFolder } from "../support/scratch.ts";

const CHILD = join(PROJECT, "dist", "test", "support", "store-child.js");
const gradedAt = "2026-01-01T00:00:00.000Z";

interface Ended {
  readonly code: number | null;
  readonly lines: readonly string[];
  readonly stderr: string;
}

interface Child {
  readonly process: ChildProcess;
  /** Resolves when the child has printed this many lines. */
  readonly printed: (lines: number) => Promise<void>;
  readonly ended: Promise<Ended>;
}

function start(t: TestContext, args: readonly string[], user?: number): Child {
  const ids = user === undefined ? {} : { uid: user, gid: user };
  const child = spawn(process.execPath, [CHILD, ...args], { stdio: ["ignore", "pipe", "pipe"], ...ids });
  t.after(() => child.kill("SIGKILL"));
  const lines: string[] = [];
  let stderr = "";
  let noted = (): void => {};
  createInterface({ input: child.stdout }).on("line", (line) => {
    lines.push(line);
    noted();
  });
  child.stderr.on("data", (chunk) => {
    stderr += String(chunk);
  });
  const printed = (count: number): Promise<void> =>
    new Promise((resolve) => {
      noted = () => {
        if (lines.length >= count) resolve();
      };
      noted();
    });
  const ended = once(child, "close").then(([code]) => ({ code: code as number | null, lines, stderr }));
  return { process: child, printed, ended };
}

function integrity(file: string): unknown {
  const db = new Database(file, { readonly: true });
  try {
    return db.pragma("integrity_check", { simple: true });
  } finally {
    db.close();
  }
}

test("G01: eight processes that start at once on a missing database store all their results", async (t) => {
  const file = join(scratchFolder(t), "new", "waymark.db");
  const children = Array.from({ length: 8 }, (_, index) => start(t, [file, `P${index}-`, "200"]));
  const ended = await Promise.all(children.map((child) => child.ended));
  assert.deepEqual(
    ended.map(({ code, stderr }) => [code, stderr]),
    Array.from({ length: 8 }, () => [0, ""]),
  );
  const store = openStore(file, { readonly: true });
  t.after(() => store.close());
  assert.equal(store.listRuns().length, 1600);
  assert.equal(integrity(file), "ok");
});

test("G05 a: after a kill in the middle of a store the database opens with all that was committed", async (t) => {
  const file = join(scratchFolder(t), "waymark.db");
  const child = start(t, [file, "K", "0"]);
  await child.printed(50);
  child.process.kill("SIGKILL");
  const { lines } = await child.ended;
  const store = openStore(file);
  t.after(() => store.close());
  const stored = new Set(store.listRuns().map(({ id }) => id));
  assert.deepEqual(
    lines.filter((id) => id.length === 7 && !stored.has(id)),
    [],
  );
  store.saveResult(sampleResult("AFTER"), { gradedAt });
  assert.equal(integrity(file), "ok");
});

test("G05 b: a database in a folder without write permission is read from a copy", {
  skip: whyNoReadOnly(),
}, async (t) => {
  const folder = scratchFolder(t);
  const file = join(folder, "waymark.db");
  const writer = openStore(file);
  t.after(() => writer.close());
  writer.saveResult(sampleResult("01A"), { gradedAt });
  chmodSync(file, 0o444);
  chmodSync(folder, 0o555);
  try {
    const asNobody = process.getuid?.() === 0 ? 65_534 : undefined;
    const { code, lines, stderr } = await start(t, [file, "list"], asNobody).ended;
    if (asNobody !== undefined && stderr.includes("EACCES") && lines.length === 0) {
      t.skip("another user may not read this project's folder");
      return;
    }
    assert.deepEqual([code, lines, stderr], [0, ["01A"], ""]);
  } finally {
    chmodSync(folder, 0o755);
  }
});

test("G05 c: reading goes on beside a held write lock, and a writer waits for it and succeeds", async (t) => {
  const file = join(scratchFolder(t), "waymark.db");
  const store = openStore(file);
  t.after(() => store.close());
  store.saveResult(sampleResult("01A"), { gradedAt });
  const holder = start(t, [file, "hold", "400"]);
  await holder.printed(1);
  const reader = openStore(file, { readonly: true });
  assert.equal(reader.listRuns().length, 1);
  reader.close();
  store.saveResult(sampleResult("01B"), { gradedAt });
  assert.equal(store.listRuns().length, 2);
  assert.equal((await holder.ended).code, 0);
});

function whyNoReadOnly(): false | string {
  return process.platform === "win32" ? "Windows has no folder without write permission for its owner" : false;
}
