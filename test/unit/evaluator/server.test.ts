import assert from "node:assert/strict";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import test from "node:test";
import { startEvaluator } from "../../../grader/evaluator/server.ts";
import { evaluatorRoom, fiveChats, writeChats } from "../../support/evaluator.ts";
import { scratchFolder } from "../../support/scratch.ts";
import { FIVE_CHATS } from "../../support/telemetry.ts";

const BROKEN = ["general", "design", "design", "release", "random"];

test("a log is graded with the keys of the CLI; a missing one is inconclusive, never a fail", async (t) => {
  const room = await evaluatorRoom(t);
  const good = await room.evaluate(fiveChats(writeChats(room.folder, FIVE_CHATS)));
  assert.equal(good.status, 200);
  assert.deepEqual([good.body.verdict, good.body.success], ["pass", true]);
  const [result] = good.body.results[0].results;
  assert.equal(result.matched_in_order, true);
  assert.deepEqual(result.match_indices, [0, 1, 2, 3, 4]);
  assert.equal(result.found.length, 5);
  assert.deepEqual(result.not_found, []);
  const bad = await room.ask("/", { body: { evaluation: [fiveChats(writeChats(room.folder, BROKEN, "bad.ndjson"))] } });
  assert.deepEqual([bad.status, bad.body.verdict, bad.body.results[0].exit_code], [200, "fail", 1]);
  assert.match(
    bad.body.summary,
    /'Switched to support' never reached.*nearest .*data\.chatId is "design", wanted "support"/,
  );
  const missing = await room.evaluate(fiveChats(join(room.folder, "none.log")));
  assert.deepEqual([missing.status, missing.body.verdict], [200, "inconclusive"]);
  assert.equal(room.store.listRuns().length, 3);
});

test("one request can hold all kinds of items, in order; the worst decides", async (t) => {
  const room = await evaluatorRoom(t);
  const log = writeChats(room.folder, FIVE_CHATS);
  const reply = await room.evaluate(
    fiveChats(log),
    { evaluator: "file_exists", path: room.folder, file_name: "run.ndjson" },
    { evaluator: "process_running", name: "surely-no-such-program" },
    { evaluator: "command", name: "not-listed" },
  );
  assert.deepEqual(
    reply.body.results.map(({ verdict }: { verdict: string }) => verdict),
    ["pass", "pass", "fail", "error"],
  );
  assert.deepEqual([reply.body.verdict, reply.body.success], ["error", false]);
  assert.equal(reply.body.results[1].exists, true);
  assert.match(reply.body.summary, /^2 of 4 items passed: /);
});

test("the original body is answered 200 without a root and 403 with one", async (t) => {
  const original = [
    {
      evaluator: "teams_scenarios",
      scenarios: ["simple_collab_switch"],
      telemetry_file: "/data/logs/teams-telemetry/teams-telemetry-0.log",
    },
    { evaluator: "file_exists", path: "C:\\\\out", file_name: "report.docx" },
    { evaluator: "process_running", name: "ms-teams" },
  ];
  const open = await evaluatorRoom(t);
  const answer = await open.evaluate(...original);
  assert.equal(answer.status, 200);
  assert.deepEqual(
    answer.body.results.map(({ verdict }: { verdict: string }) => verdict),
    ["inconclusive", "fail", "fail"],
  );
  const held = await evaluatorRoom(t, { root: scratchFolder(t) });
  const refused = await held.evaluate(...original);
  assert.deepEqual(
    [refused.status, refused.body.error.code, refused.body.error.pointer],
    [403, "WM_SERVE_FORBIDDEN", "/evaluation/0/telemetry_file"],
  );
});

test("nothing outside the root is told apart: existing, missing, through a link, through a series or a glob", async (t) => {
  const base = scratchFolder(t);
  const root = join(base, "root");
  mkdirSync(join(root, "logs"), { recursive: true });
  const secret = writeChats(join(base, "secret"), FIVE_CHATS, "t-1.log");
  symlinkSync(secret, join(root, "link.log"));
  symlinkSync(join(base, "secret", "missing.log"), join(root, "nowhere.log"));
  writeChats(join(root, "logs"), FIVE_CHATS, "t-0.log");
  const room = await evaluatorRoom(t, { root });
  assert.equal((await room.evaluate(fiveChats("logs/t-0.log"))).body.verdict, "pass");
  symlinkSync(secret, join(root, "logs", "t-1.log"));
  const logs = [
    secret,
    join(base, "none"),
    "../secret/t-1.log",
    "link.log",
    "nowhere.log",
    "logs",
    "logs/t-0.log",
    "/etc/passwd",
    "/proc/self/environ",
  ];
  const texts = new Set<string>();
  for (const log of logs) {
    const { status, text } = await room.evaluate(fiveChats(log));
    assert.equal(status, 403, log);
    texts.add(text);
  }
  assert.equal(texts.size, 1, "the answers do not differ");
  for (const item of [
    { path: secret },
    { path: "link.log" },
    { path: ".", file_name: "../secret/t-1.log" },
    { path: "nowhere.log" },
  ]) {
    assert.equal((await room.evaluate({ evaluator: "file_exists", ...item })).status, 403, JSON.stringify(item));
  }
  const globbed = await room.evaluate({ evaluator: "file_exists", path: ".", glob: "link*" });
  assert.deepEqual([globbed.status, globbed.body.verdict], [200, "fail"], "a link that leads out is not there");
});

test("wrong requests are answered as documented, with a pointer and the known names", async (t) => {
  const { ask, evaluate, folder } = await evaluatorRoom(t);
  const log = writeChats(folder, FIVE_CHATS);
  const cases: readonly (readonly [
    Promise<{ status: number; body: { error: { code: string; pointer?: string } } }>,
    number,
    string,
    string | undefined,
  ])[] = [
    [ask("/", { body: '{"evaluation":[' }), 400, "WM_SERVE_BODY", ""],
    [ask("/", { body: "\u00ff".repeat(3) }), 400, "WM_SERVE_BODY", ""],
    [ask("/", { body: {} }), 400, "WM_SERVE_BODY", "/evaluation"],
    [ask("/", { body: { evaluation: [] } }), 400, "WM_SERVE_BODY", "/evaluation"],
    [ask("/", { body: { evaluation: [{}] } }), 400, "WM_SERVE_BODY", "/evaluation/0/evaluator"],
    [ask("/", { body: { evaluations: [] } }), 400, "WM_SERVE_BODY", "/evaluation"],
    [evaluate({ evaluator: "file_exists", path: 5 }), 400, "WM_SERVE_BODY", "/evaluation/0/path"],
    [evaluate({ evaluator: "file_exists", path: "a\0b" }), 400, "WM_SERVE_BODY", "/evaluation/0/path"],
    [evaluate({ evaluator: "file_exists", path: "a", "a/b~": 1 }), 400, "WM_SERVE_BODY", "/evaluation/0/a~1b~0"],
    [evaluate(fiveChats(log, { since: "yesterday" })), 400, "WM_SERVE_BODY", "/evaluation/0/since"],
    [evaluate(fiveChats(log, { wait: "10" })), 400, "WM_SERVE_BODY", "/evaluation/0/wait"],
    [evaluate(fiveChats(log, { wait: "9d" })), 400, "WM_SERVE_BODY", "/evaluation/0/wait"],
    [evaluate(fiveChats(log, { params: { user: 1 } })), 400, "WM_SERVE_BODY", "/evaluation/0/params/user"],
    [evaluate(fiveChats("-")), 400, "WM_SERVE_BODY", "/evaluation/0/telemetry_file"],
    [evaluate({ evaluator: "nope" }), 404, "WM_SERVE_NOT_FOUND", "/evaluation/0/evaluator"],
    [
      evaluate(fiveChats(log, { scenarios: ["simple_collab_swich"] })),
      404,
      "WM_SERVE_NOT_FOUND",
      "/evaluation/0/scenarios/0",
    ],
    [
      evaluate(fiveChats(log, { scenarios: ["../markers/simple_collab_switch.yaml"] })),
      404,
      "WM_SERVE_NOT_FOUND",
      "/evaluation/0/scenarios/0",
    ],
    [ask("/", { body: "{}", headers: { "Content-Type": "text/plain" } }), 415, "WM_SERVE_MEDIA_TYPE", undefined],
    [ask("/", { body: "{}", headers: { "Content-Encoding": "gzip" } }), 415, "WM_SERVE_MEDIA_TYPE", undefined],
    [ask("/v1/nothing"), 404, "WM_SERVE_NOT_FOUND", undefined],
    [ask("/healthz", { method: "DELETE" }), 405, "WM_SERVE_NOT_FOUND", undefined],
    [ask("/v1/runs/01KNOTHERE"), 404, "WM_SERVE_NOT_FOUND", undefined],
    [ask("/v1/runs/..%2f..%2fetc"), 404, "WM_SERVE_NOT_FOUND", undefined],
    [ask("/v1/batches/none"), 404, "WM_SERVE_NOT_FOUND", undefined],
  ];
  for (const [asked, status, code, pointer] of cases) {
    const reply = await asked;
    assert.deepEqual([reply.status, reply.body.error.code, reply.body.error.pointer], [status, code, pointer]);
  }
  const { body } = await evaluate(fiveChats(log, { scenarios: ["none"] }));
  assert.ok(body.error.known.includes("simple_collab_switch"));
});

test("a large body is refused before it is read, announced or not", async (t) => {
  const { server, ask } = await evaluatorRoom(t);
  for (const head of ["Content-Length: 100000000", "Transfer-Encoding: chunked"]) {
    const socket = connect(server.port, server.host);
    socket.write(`POST / HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n${head}\r\n\r\n`);
    socket.on("error", () => undefined); // it may be reset while we still write
    const chunk = `10000\r\n${"x".repeat(65_536)}\r\n`;
    const pump = (): void => void (head.startsWith("T") && socket.writable && socket.write(chunk, pump));
    pump();
    const said = await new Promise<string>((resolve) => socket.once("data", (data) => resolve(String(data))));
    assert.match(said, /^HTTP\/1\.1 413 /);
    assert.match(said, /WM_SERVE_TOO_LARGE/);
    socket.destroy();
  }
  assert.equal((await ask("/healthz")).status, 200);
});

test("a scenario that is broken is an error of its item, in a 200", async (t) => {
  const markers = scratchFolder(t);
  writeFileSync(join(markers, "broken.yaml"), "waymark: 1\nscenario: broken\nmarkers: 5\n");
  const room = await evaluatorRoom(t, { markers });
  const reply = await room.evaluate(fiveChats(writeChats(room.folder, FIVE_CHATS), { scenarios: ["broken"] }));
  assert.deepEqual([reply.status, reply.body.verdict, reply.body.results[0].exit_code], [200, "error", 2]);
  assert.match(reply.body.results[0].error.code, /^WM_SCENARIO_/);
});

test("foreign hosts and origins are refused, addresses and localhost are not; nothing allows other pages", async (t) => {
  const { ask, server } = await evaluatorRoom(t, { hosts: ["sidecar"] });
  const own = `127.0.0.1:${server.port}`;
  const cases: readonly (readonly [Record<string, string>, number])[] = [
    [{ Host: own }, 200],
    [{ Host: `localhost:${server.port}` }, 200],
    [{ Host: "[::1]:1" }, 200],
    [{ Host: "sidecar:5053" }, 200],
    [{ Host: "evil.example" }, 403],
    [{ Host: "localhost.evil.example" }, 403],
    [{ Host: "127.0.0.1.evil.example" }, 403],
    [{ Host: own, Origin: `http://${own}` }, 200],
    [{ Host: own, Origin: "https://evil.example" }, 403],
    [{ Host: own, Origin: "null" }, 403],
  ];
  for (const [headers, status] of cases) {
    const reply = await ask("/v1/evaluators", { headers });
    assert.equal(reply.status, status, JSON.stringify(headers));
    assert.equal(reply.headers["access-control-allow-origin"], undefined);
    assert.equal(reply.headers["x-content-type-options"], "nosniff");
    assert.equal(reply.headers["cache-control"], "no-store");
  }
});

test("a token is asked of everything but the health check", async (t) => {
  const { ask } = await evaluatorRoom(t, { token: "s3cret" });
  for (const headers of [
    {},
    { Authorization: "Bearer wrong" },
    { Authorization: "s3cret" },
    { Authorization: "Basic s3cret" },
  ]) {
    const {
      status,
      body,
      headers: answered,
    } = await ask("/v1/evaluators", { headers: headers as Record<string, string> });
    assert.deepEqual([status, body.error.code, answered["www-authenticate"]], [401, "WM_SERVE_TOKEN", "Bearer"]);
  }
  assert.equal((await ask("/v1/evaluators", { headers: { Authorization: "Bearer s3cret" } })).status, 200);
  assert.equal((await ask("/healthz")).status, 200);
});

test("off loopback the server does not start without token and root", async (t) => {
  const root = scratchFolder(t);
  for (const options of [{}, { token: "x" }, { root }]) {
    await assert.rejects(startEvaluator({ listen: "0.0.0.0", port: 0, ...options }), { code: "WM_SERVE_OPEN" });
  }
  const server = await startEvaluator({ listen: "0.0.0.0", port: 0, token: "x", root });
  await server.close();
});

test("a taken port and an address that is not ours are told", async (t) => {
  const { server } = await evaluatorRoom(t);
  await assert.rejects(startEvaluator({ port: server.port }), { code: "WM_SERVE_PORT_TAKEN" });
  await assert.rejects(startEvaluator({ listen: "192.0.2.1", port: 0, token: "x", root: "." }), {
    code: "WM_SERVE_LISTEN",
  });
});

test("more requests than may work are answered 429 with the time to come back", async (t) => {
  const room = await evaluatorRoom(t, { maxConcurrent: 1 });
  const stop = new AbortController();
  const item = fiveChats(writeChats(room.folder, BROKEN), { wait: "60s" });
  const waiting = Array.from({ length: 4 }, () =>
    room.ask("/", { body: { evaluation: [item] }, signal: stop.signal }).catch(() => undefined),
  );
  while ((room.server.counts()["waiting"] ?? 0) < 4) await new Promise((resolve) => setImmediate(resolve));
  const refused = await room.evaluate(item);
  assert.deepEqual(
    [refused.status, refused.body.error.code, refused.headers["retry-after"]],
    [429, "WM_SERVE_BUSY", "1"],
  );
  stop.abort();
  await Promise.all(waiting);
  while (Object.values(room.server.counts()).some((count) => count > 0))
    await new Promise((resolve) => setImmediate(resolve));
  assert.equal(
    (await room.evaluate(fiveChats(writeChats(room.folder, FIVE_CHATS)))).body.verdict,
    "pass",
    "everything was given back",
  );
});

test("a grading that takes too long is an error of its item, and the server goes on", async (t) => {
  const room = await evaluatorRoom(t, { limitMs: 1 });
  const reply = await room.evaluate(fiveChats(writeChats(room.folder, FIVE_CHATS)), {
    evaluator: "file_exists",
    path: ".",
  });
  assert.equal(reply.status, 200);
  assert.deepEqual(
    reply.body.results.map((one: { verdict: string; error: { code: string } }) => [one.verdict, one.error.code]),
    [
      ["error", "WM_SERVE_TIME_LIMIT"],
      ["error", "WM_SERVE_TIME_LIMIT"],
    ],
  );
});

test("a bug is answered without a stack or a path", async (t) => {
  const folder = scratchFolder(t);
  const told: unknown[] = [];
  const server = await startEvaluator({
    port: 0,
    runs: folder,
    markers: "markers",
    onBug: (error) => void told.push(error),
    now: () => Number.NaN,
  });
  t.after(() => server.close());
  const response = await fetch(`${server.url}/v1/batches`, {
    method: "POST",
    body: "{}",
    headers: { "Content-Type": "application/json" },
  });
  const text = await response.text();
  assert.equal(response.status, 500);
  assert.match(text, /WM_BUG/);
  assert.doesNotMatch(text, /\bat |\.js|\/grader|RangeError/);
  assert.equal(told.length, 1);
});

test("a runs folder that cannot be made is told with its code", async (t) => {
  const folder = scratchFolder(t);
  writeFileSync(join(folder, "file"), "");
  const { ask } = await evaluatorRoom(t, { runs: join(folder, "file", "runs") });
  const reply = await ask("/v1/runs", { body: { scenarios: ["simple_collab_switch"] } });
  assert.deepEqual([reply.status, reply.body.error.code], [500, "WM_SERVE_RUNS"]);
});

test("a server that stops ends what waits, and says so", async (t) => {
  const room = await evaluatorRoom(t);
  const waiting = room.evaluate({ evaluator: "file_exists", path: join(room.folder, "never"), wait: "60s" });
  while ((room.server.counts()["waiting"] ?? 0) < 1) await new Promise((resolve) => setImmediate(resolve));
  const closed = room.server.close();
  const reply = await waiting;
  assert.deepEqual([reply.status, reply.body.error.code], [503, "WM_SERVE_STOPPING"]);
  await closed;
});
