import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdirSync, readdirSync, symlinkSync, writeFileSync } from "node:fs";
import { request } from "node:http";
import { connect } from "node:net";
import { join } from "node:path";
import test from "node:test";
import { readTrial } from "../../../grader/trials/folder.ts";
import { type EvaluatorRoom, evaluatorRoom, fiveChats, writeChats } from "../../support/evaluator.ts";
import { runProgram } from "../../support/processes.ts";
import { scratchFolder } from "../../support/scratch.ts";
import { FIVE_CHATS } from "../../support/telemetry.ts";

const POSIX = { skip: process.platform === "win32" ? "needs a POSIX system" : false };

/** Sends bytes as they are, and answers the status line. */
async function raw({ server }: EvaluatorRoom, text: string): Promise<string> {
  const socket = connect(server.port, server.host);
  socket.write(text);
  let answer = "";
  socket.setEncoding("utf8").on("data", (part: string) => {
    answer += part;
  });
  await once(socket, "close");
  return answer.split("\r\n", 1)[0] ?? "";
}

test("bodies that are deep, have fields no object can have, or come in another charset are refused", async (t) => {
  const room = await evaluatorRoom(t);
  const looking = (where: string) =>
    `{"evaluation":[{"evaluator":"json_file","path":"package.json","where":${where}}]}`;
  const cases = [
    [looking(`${'{"a":'.repeat(20_000)}1${"}".repeat(20_000)}`), 400],
    [`${"[".repeat(400_000)}${"]".repeat(400_000)}`, 400],
    [looking('{"__proto__":{"name":"other"}}'), 400],
    [looking('{"name":"other"}'), 200],
    ['{"evaluation":[{"evaluator":"file_exists","path":"/","__proto__":{"exists":false}}]}', 400],
  ] as const;
  for (const [body, status] of cases) assert.equal((await room.ask("/", { body })).status, status, body.slice(0, 80));
  const charset = async (name: string) =>
    (await room.ask("/", { body: looking("{}"), headers: { "Content-Type": `application/json; charset=${name}` } }))
      .status;
  assert.deepEqual([await charset("utf-16"), await charset('"UTF-8"')], [415, 200]);
});

test("a client that goes on sending what was refused still gets the answer, and its connection goes on", async (t) => {
  const room = await evaluatorRoom(t);
  const socket = connect(room.server.port, room.server.host);
  let answer = "";
  socket.setEncoding("utf8").on("data", (part: string) => {
    answer += part;
  });
  socket.write(
    "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 100000000\r\n\r\n",
  );
  const part = Buffer.alloc(1_000_000, "x");
  for (let sent = 0; sent < 100; sent++) if (!socket.write(part)) await once(socket, "drain");
  socket.end("GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
  await once(socket, "close");
  assert.deepEqual(answer.match(/HTTP\/1\.1 [0-9]+/g), ["HTTP/1.1 413", "HTTP/1.1 200"]);
});

test("two Host headers are refused, and a client that goes in the middle of its body is no bug", async (t) => {
  const room = await evaluatorRoom(t);
  const hosts = "GET /healthz HTTP/1.1\r\nHost: localhost\r\nHost: evil.example\r\nConnection: close\r\n\r\n";
  assert.match(await raw(room, hosts), /^HTTP\/1\.1 40[03] /);
  const socket = connect(room.server.port, room.server.host);
  socket.write("POST / HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 500\r\n\r\n{");
  await once(socket, "connect");
  socket.destroy();
  assert.equal((await room.ask("/healthz")).status, 200); // the room throws what the server calls a bug
});

test("a glob names only what is below its folder, follows no link, and is never slow", POSIX, async (t) => {
  const outside = scratchFolder(t);
  const root = join(scratchFolder(t), "root");
  mkdirSync(join(root, "a", "b"), { recursive: true });
  writeFileSync(join(root, "a", "b", `${"a".repeat(250)}.x`), "");
  writeFileSync(join(outside, "secret.txt"), "");
  symlinkSync(outside, join(root, "out"));
  const room = await evaluatorRoom(t, { root });
  const ask = async (glob: string) => {
    const { status, body } = await room.evaluate({ evaluator: "file_exists", path: ".", glob });
    return body.verdict ?? status;
  };
  for (const wrong of ["../*", "/usr/**", "a/../../*", "./a", "a//b", "{a,b}", "[ab]", "a\\b", "C:x"])
    assert.equal(await ask(wrong), 400, wrong);
  for (const held of ["a", "a/b", "**", "**/b", "a/**/*.x", "a/b/*a*a*a*a*a*a*a*.x", "?/b", "out"])
    assert.equal(await ask(held), held === "out" ? "fail" : "pass", held);
  for (const not of [
    "out/*",
    "out/**",
    "**/secret.txt",
    `**/${"*a".repeat(60)}*b`,
    "(a+)+$*b",
    `${"**/".repeat(200)}z`,
  ])
    assert.equal(await ask(not), "fail", not);
});

test("pipes and devices are no logs: they are an error at once and hold up nobody", POSIX, async (t) => {
  const room = await evaluatorRoom(t);
  const pipe = join(room.folder, "pipe.log");
  await runProgram("mkfifo", [pipe]);
  const answers = await Promise.all([pipe, pipe, pipe, "/dev/zero"].map((log) => room.evaluate(fiveChats(log))));
  for (const { status, body } of answers)
    assert.deepEqual([status, body.verdict, body.results[0].error.code], [200, "error", "WM_LOG_UNREADABLE"]);
  assert.equal((await room.ask(`/v1/events?telemetry_file=${encodeURIComponent(pipe)}`)).status, 400);
  assert.equal((await room.evaluate(fiveChats(writeChats(room.folder, FIVE_CHATS)))).body.verdict, "pass");
});

test("times beyond what a date can be and names with NUL are the client's mistakes", async (t) => {
  const room = await evaluatorRoom(t);
  assert.equal((await room.ask("/v1/events?since=999999999d")).status, 400);
  assert.equal((await room.ask("/v1/events?telemetry_file=a%00b")).status, 400);
  assert.equal((await room.ask("/v1/stream?telemetry_file=a%00b")).status, 400);
  assert.equal((await room.evaluate({ evaluator: "file_exists", path: ".", file_name: "a\0" })).status, 400);
  assert.equal(
    (await room.evaluate({ evaluator: "file_exists", path: ".", newer_than: "999999999d" })).body.verdict,
    "error",
  );
});

test("many waits at once all end when their time is up", async (t) => {
  const room = await evaluatorRoom(t);
  const log = writeChats(room.folder, ["general"]);
  const waits = Array.from({ length: 32 }, () => room.evaluate(fiveChats(log, { wait: "1s" })));
  for (const { body } of await Promise.all(waits))
    assert.deepEqual([body.verdict, body.results[0].waited.timed_out], ["fail", true]);
  assert.equal(room.server.counts()["waiting"], 0);
});

test("evidence that comes at once, under one name, and while a run ends is all kept", async (t) => {
  const room = await evaluatorRoom(t);
  const start = async () => (await room.ask("/v1/runs", { body: { scenarios: ["simple_collab_switch"] } })).body;
  const run = await start();
  const attach = (n: number) =>
    room.ask(`/v1/runs/${run.id}/attach?name=shot.png`, {
      body: `${n}`.repeat(50_000),
      headers: { "Content-Type": "image/png" },
    });
  const answers = await Promise.all([1, 2, 3, 4, 5, 6].map(attach));
  assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([200]));
  assert.equal(readTrial(run.folder).manifest.artifacts?.length, 6);
  assert.equal(readdirSync(join(run.folder, "evidence")).length, 6);
  const other = await start();
  const slow = request(`${room.server.url}/v1/runs/${other.id}/attach?name=late.log`, { method: "POST" });
  slow.write("first");
  await room.ask(`/v1/runs/${other.id}/stop`, { body: { settle: { idle: "0ms" } } });
  const answered = once(slow, "response");
  slow.end("last");
  const [response] = (await answered) as [import("node:http").IncomingMessage];
  response.resume();
  assert.equal(response.statusCode, 200);
  const { state, artifacts } = readTrial(other.folder).manifest;
  assert.deepEqual([state, artifacts?.map(({ path }) => path)], ["graded", ["evidence/late.log"]]);
});

test("runs that begin at once in a batch have numbers of their own, and a damaged one hides no other", async (t) => {
  const room = await evaluatorRoom(t);
  const { id: batch } = (await room.ask("/v1/batches", { body: {} })).body;
  const body = { scenarios: ["simple_collab_switch"], batch, telemetry_file: writeChats(room.folder, FIVE_CHATS) };
  const begun = await Promise.all(Array.from({ length: 6 }, () => room.ask("/v1/runs", { body })));
  assert.deepEqual(begun.map(({ body: run }) => run.index).sort(), [1, 2, 3, 4, 5, 6]);
  writeFileSync(join(begun[0]?.body.folder, "run.json"), "{");
  assert.equal((await room.ask(`/v1/batches/${batch}`)).status, 200);
});

test("a stream ends when the server stops", async (t) => {
  const room = await evaluatorRoom(t);
  const outgoing = request(`${room.server.url}/v1/stream`).end();
  const [response] = (await once(outgoing, "response")) as [import("node:http").IncomingMessage];
  response.resume();
  const ended = once(response, "end");
  await room.server.close();
  await ended;
});
