import assert from "node:assert/strict";
import { once } from "node:events";
import { PassThrough, Readable } from "node:stream";
import test from "node:test";
import { setImmediate } from "node:timers/promises";
import { branchesOf } from "../../../grader/read/branches.ts";

test("every branch brings all, at the pace of the slowest", async () => {
  const chunks = Array.from({ length: 50 }, (_, at) => Buffer.alloc(10_000, at));
  const [a, b] = branchesOf(Readable.from(chunks), 2);
  assert.ok(a && b);
  const readA = (async () => Buffer.concat(await a.toArray()))();
  for (let turn = 0; turn < 20; turn++) await setImmediate();
  assert.equal(a.readableEnded, false, "the other one has not been read yet");
  assert.ok(b.readableLength < 100_000);
  const whole = Buffer.concat(chunks);
  assert.ok(Buffer.concat(await b.toArray()).equals(whole));
  assert.ok((await readA).equals(whole));
});

test("a branch that is let go of does not hold up the others; with the last one the source goes too", async () => {
  const source = new PassThrough();
  const [a, b] = branchesOf(source, 2);
  assert.ok(a && b);
  a.destroy();
  source.write(Buffer.alloc(200_000));
  await once(b, "readable");
  assert.ok(b.read());
  assert.equal(source.destroyed, false);
  b.destroy();
  await once(source, "close");
});

test("the error of the source is an error of every branch", async () => {
  const source = new PassThrough();
  const branches = branchesOf(source, 3);
  const errors = branches.map(async (branch) => (await once(branch, "error"))[0] as unknown);
  const broken = new Error("disk on fire");
  source.destroy(broken);
  assert.deepEqual(await Promise.all(errors), [broken, broken, broken]);
});
