import assert from "node:assert/strict";
import { PassThrough, Readable } from "node:stream";
import test from "node:test";
import { setImmediate } from "node:timers/promises";
import { StreamFile } from "../../../grader/read/stream-file.ts";

async function all(file: StreamFile, blockBytes: number): Promise<readonly string[]> {
  const into = Buffer.alloc(blockBytes);
  const pieces: string[] = [];
  for (;;) {
    const length = await file.read(into);
    if (length === 0) return pieces;
    pieces.push(into.toString("latin1", 0, length));
  }
}

test("each reading brings what has come, at most what there is room for", async () => {
  const chunks = [Buffer.from("abcde"), Buffer.alloc(0), Buffer.from("fg")];
  assert.deepEqual(await all(new StreamFile(Readable.from(chunks), "-"), 2), ["ab", "cd", "e", "fg"]);
  assert.deepEqual(await all(new StreamFile(Readable.from([]), "-"), 2), []);
});

test("text comes as UTF-8", async () => {
  const stream = Readable.from([Buffer.from("\u00e9")], { encoding: "utf8" });
  assert.deepEqual(await all(new StreamFile(stream, "-"), 9), ["\u00c3\u00a9"]);
});

test("what is there is handed over before more has come", async () => {
  const stream = new PassThrough();
  const file = new StreamFile(stream, "-");
  const into = Buffer.alloc(9);
  stream.write("ab");
  assert.equal(await file.read(into), 2);
  const next = file.read(into);
  await setImmediate();
  stream.end("c");
  assert.equal(await next, 1);
  assert.equal(await file.read(into), 0);
});

test("a stream that fails, or is closed before its end, rejects behind what came before", async () => {
  const causes = [
    [undefined, "ERR_STREAM_PREMATURE_CLOSE"],
    [new Error("disk on fire"), "disk on fire"],
    [Object.assign(new Error("read EIO"), { code: "EIO" }), "EIO"],
  ] as const;
  for (const [broken, why] of causes) {
    const stream = new PassThrough();
    const file = new StreamFile(stream, "-");
    const into = Buffer.alloc(9);
    stream.write("ab");
    assert.equal(await file.read(into), 2);
    stream.destroy(broken);
    await assert.rejects(file.read(into), (error: Error) => {
      assert.match(error.message, /WM_LOG_UNREADABLE/);
      assert.ok(error.message.includes(`- cannot be read (${why})`), error.message);
      return true;
    });
  }
});

test("a stop ends it with what has come by then, and closing lets go of the stream", async () => {
  const stream = new PassThrough();
  const stop = new AbortController();
  const file = new StreamFile(stream, "-", stop.signal);
  const into = Buffer.alloc(9);
  const waiting = file.read(into);
  await setImmediate();
  stop.abort();
  assert.equal(await waiting, 0);

  const full = new PassThrough();
  full.write("ab");
  const late = new StreamFile(full, "-", AbortSignal.abort());
  assert.equal(await late.read(into), 2);
  full.write("cd");
  assert.equal(await late.read(into), 0);
  await late.close();
  assert.ok(full.destroyed);
});

test("a source that always has more is left after a stop", async () => {
  const endless = new Readable({
    read() {
      this.push("x");
    },
  });
  const stop = new AbortController();
  const file = new StreamFile(endless, "-", stop.signal);
  const into = Buffer.alloc(9);
  assert.ok((await file.read(into)) > 0);
  stop.abort();
  for (let turn = 0; turn < 3; turn++) await file.read(into);
  assert.equal(await file.read(into), 0);
});
