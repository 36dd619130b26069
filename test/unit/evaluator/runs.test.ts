import assert from "node:assert/strict";
import { appendFileSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { request } from "node:http";
import { join } from "node:path";
import test from "node:test";
import { createClient, type EvaluatorError } from "../../../client/index.ts";
import { wilson } from "../../../grader/statistics/interval.ts";
import { chatLines, type EvaluatorRoom, evaluatorRoom, fiveChats, writeChats } from "../../support/evaluator.ts";
import { scratchFolder } from "../../support/scratch.ts";
import { FIVE_CHATS } from "../../support/telemetry.ts";

const SCENARIO = "simple_collab_switch";
const SETTLE = { settle: { idle: "0ms" } };
const BROKEN = ["general", "design", "design", "release", "random"];

/** Lines as the proxy writes them now, so that they arrive after the run began. */
function arriving(chats: readonly string[]): string {
  const at = new Date().toISOString();
  return chatLines(chats)
    .split("\n")
    .filter((line) => line !== "")
    .map(
      (line) =>
        `${JSON.stringify({ ...JSON.parse(line), $capture: { at, host: "t.example", path: "/", format: "ndjson", request: "r", index: 0 } })}\n`,
    )
    .join("");
}

function clientOf({ server }: EvaluatorRoom) {
  return createClient({ url: server.url });
}

test("a run over a log of its own: graded, stored, with steps, cost, claim and evidence", async (t) => {
  const room = await evaluatorRoom(t);
  const client = clientOf(room);
  const run = await client.startRun({
    scenarios: [SCENARIO],
    labels: ["nightly"],
    variant: "new",
    versions: { app: "1.2" },
  });
  assert.equal(run.env["WAYMARK_RUN_ID"], run.id);
  writeFileSync(join(run.telemetry, "telemetry-0.log"), chatLines(BROKEN));
  await client.steps(run.id, [
    { name: "plan", cost_usd: 0.25, tokens_in: 10, tokens_out: 5 },
    { name: "act", cost_usd: 0.5 },
  ]);
  await client.selfReport(run.id, { claim: "done", text: "all five chats opened" });
  const shot = await client.attach(run.id, { name: "last.png", kind: "screenshot", body: new Uint8Array([1, 2, 3]) });
  assert.equal(shot.sha256, "039058c6f2c0cb492c533b0a4d14ef77cc0f78abccced5287d84a1a2011cfb81");
  const ended = await client.stopRun(run.id, { ...SETTLE, exit_code: 0 });
  assert.deepEqual([ended.state, ended.verdict, ended.success], ["graded", "fail", false]);
  assert.equal(ended.manifest.used?.cost_usd, 0.75);
  assert.equal(ended.manifest.self_report?.claims_success, true);
  const stored = room.store.getRun(run.id);
  assert.deepEqual(
    [stored.verdict, stored.costUsd, stored.selfReport, stored.agrees, stored.variant],
    ["fail", 0.75, "done", false, "new"],
  );
  assert.deepEqual([stored.labels, stored.trial], [["nightly"], run.id]);
  assert.deepEqual(
    stored.steps.map(({ name }) => name),
    ["Switched to general", "Switched to design", "plan", "act"],
    "the stretches up to each marker, then what was posted",
  );
  assert.equal(ended.manifest.measures?.["steps"], 5);
  assert.deepEqual(readdirSync(run.folder).sort(), [
    "evidence",
    "order.json",
    "posted-steps.ndjson",
    "result.json",
    "run.json",
    "telemetry",
  ]);
  assert.deepEqual([...readFileSync(join(run.folder, "evidence", "last.png"))], [1, 2, 3]);
  assert.deepEqual(await client.stopRun(run.id, SETTLE), ended, "a run that is over is answered as it stands");
  await assert.rejects(client.steps(run.id, [{ name: "late" }]), { status: 409, code: "WM_SERVE_STATE" });
  await client.attach(run.id, { name: "last.png", kind: "screenshot", body: "again" });
  assert.deepEqual(
    room.store.getRun(run.id).artifacts.map(({ path }) => path),
    ["evidence/last-2.png", "evidence/last.png"],
  );
});

test("runs that share one log each get their own part of it, as a capture that stands alone", async (t) => {
  const room = await evaluatorRoom(t);
  const client = clientOf(room);
  const log = join(scratchFolder(t), "telemetry");
  mkdirSync(log);
  const file = join(log, "telemetry-0.log");
  writeFileSync(file, `${arriving(FIVE_CHATS)}${arriving(["general"]).trimEnd().slice(0, 40)}`);
  const verdicts: unknown[] = [];
  for (const chats of [BROKEN, FIVE_CHATS]) {
    const run = await client.startRun({ scenarios: [SCENARIO], telemetry_file: log });
    appendFileSync(file, `"}\n${arriving(chats)}${arriving(["general"]).slice(0, 50)}`);
    const ended = await client.stopRun(run.id, SETTLE);
    verdicts.push([ended.verdict, ended.results[0]?.events, ended.results[0]?.stream.end]);
    const again = await room.evaluate(fiveChats(run.telemetry));
    assert.equal(again.body.verdict, ended.verdict, "graded again from its folder");
  }
  assert.deepEqual(verdicts, [
    ["fail", 5, "complete"],
    ["pass", 5, "complete"],
  ]);
});

test("a batch has the gate and the statistics of its runs", async (t) => {
  const room = await evaluatorRoom(t);
  const client = clientOf(room);
  const { id } = await client.startBatch({ gate: "80%" });
  for (const chats of [FIVE_CHATS, FIVE_CHATS, BROKEN, FIVE_CHATS, FIVE_CHATS]) {
    const run = await client.startRun({ scenarios: [SCENARIO], batch: id });
    writeFileSync(join(run.telemetry, "telemetry-0.log"), chatLines(chats));
    await client.stopRun(run.id, SETTLE);
  }
  const document = await client.batch(id);
  const [group] = document.groups;
  assert.deepEqual([group?.stats.n, group?.stats.passed, group?.stats.rate], [5, 4, 0.8]);
  const { low, high } = wilson({ passed: 4, runs: 5 });
  assert.deepEqual([group?.stats.interval?.low, group?.stats.interval?.high], [low, high]);
  assert.deepEqual([document.gate.met, document.exit_code, document.verdict], [true, 0, "pass"]);
  assert.deepEqual(
    document.trials.map(({ index }) => index),
    [1, 2, 3, 4, 5],
  );
  assert.match(group?.words[0] ?? "", /^4 of 5 passed: 80% \(95% interval 38–96%\)/);
  assert.equal(room.store.getBatch(id)?.exitCode, 0);
  await assert.rejects(client.startBatch({ gate: "most" }), { status: 400, pointer: "/gate" });
});

test("a batch whose runs are not all over has an open gate, unless what is over decides it", async (t) => {
  const room = await evaluatorRoom(t);
  const client = clientOf(room);
  const { id } = await client.startBatch({ gate: "all", runs: 3 });
  const gates: unknown[] = [];
  const begin = () => client.startRun({ scenarios: [SCENARIO], batch: id });
  const end = async (run: { id: string; telemetry: string }, chats: readonly string[]) => {
    writeFileSync(join(run.telemetry, "telemetry-0.log"), chatLines(chats));
    await client.stopRun(run.id, SETTLE);
    const { gate, exit_code } = await client.batch(id);
    gates.push([gate.met, exit_code]);
  };
  await end(await begin(), FIVE_CHATS);
  const [second, third, more] = [await begin(), await begin(), await begin()];
  await end(second, FIVE_CHATS);
  await end(third, FIVE_CHATS); // three are over as planned, but a fourth is under way
  await end(more, FIVE_CHATS);
  await begin();
  await end(await begin(), BROKEN);
  assert.deepEqual(gates, [
    [null, 3],
    [null, 3],
    [null, 3],
    [true, 0],
    [false, 1],
  ]);
});

test("a batch tells claims against the grade and variants against each other, as run does", async (t) => {
  const room = await evaluatorRoom(t);
  const client = clientOf(room);
  const { id } = await client.startBatch({});
  for (const [variant, chats] of [
    ["old", BROKEN],
    ["new", FIVE_CHATS],
  ] as const) {
    const run = await client.startRun({ scenarios: [SCENARIO], batch: id, variant });
    writeFileSync(join(run.telemetry, "telemetry-0.log"), chatLines(chats));
    await client.selfReport(run.id, { claim: "I have completed the task" });
    await client.stopRun(run.id, SETTLE);
  }
  const document = await client.batch(id);
  assert.deepEqual([document.agreement?.claimed_passed, document.agreement?.claimed_failed], [1, 1]);
  assert.equal(document.comparisons?.length, 1);
});

test("a run goes on after the server was started anew", async (t) => {
  const first = await evaluatorRoom(t);
  const run = await clientOf(first).startRun({ scenarios: [SCENARIO] });
  await first.server.close();
  const second = await evaluatorRoom(t, { runs: join(first.folder, "runs") });
  writeFileSync(join(run.telemetry, "telemetry-0.log"), chatLines(FIVE_CHATS));
  assert.equal((await clientOf(second).stopRun(run.id, SETTLE)).verdict, "pass");
});

test("evidence that is too large or badly named leaves nothing behind", async (t) => {
  const room = await evaluatorRoom(t, { maxUploadBytes: 1000 });
  const client = clientOf(room);
  const run = await client.startRun({ scenarios: [SCENARIO] });
  const refused = (name: string, body: string) =>
    client.attach(run.id, { name, body }).then(
      () => undefined,
      (error: EvaluatorError) => error.status,
    );
  assert.equal(await refused("big.log", "x".repeat(1001)), 413);
  for (const name of ["../up.log", "a/b", "nul", ".hidden", "a\\b", "x."])
    assert.equal(await refused(name, "x"), 400, name);
  assert.deepEqual(readdirSync(join(run.folder, "evidence")), []);
});

test("a wait for a marker ends when it comes, and names what was awaited when it does not", async (t) => {
  const room = await evaluatorRoom(t);
  const client = clientOf(room);
  const run = await client.startRun({ scenarios: [SCENARIO] });
  const file = join(run.telemetry, "telemetry-0.log");
  writeFileSync(file, chatLines(["general"]));
  const waiting = client.markers(run.id, { wait: "60s", marker: "Switched to design" });
  appendFileSync(file, chatLines(["general", "design"]).split("\n").slice(1).join("\n"));
  const reached = await waiting;
  assert.equal(reached.decided, true);
  assert.deepEqual(reached.results[0]?.found, ["Switched to general", "Switched to design"]);
  const vain = await client.markers(run.id, { wait: "300ms", marker: "Switched to support" });
  assert.equal(vain.decided, false);
  assert.deepEqual(vain.waited?.awaited, [{ scenario: SCENARIO, marker: "Switched to support" }]);
  assert.equal(vain.waited?.last_event?.name, "chat_switch");
  const whole = client.markers(run.id, { wait: "60s" });
  appendFileSync(file, chatLines(FIVE_CHATS).split("\n").slice(2).join("\n"));
  assert.deepEqual([(await whole).decided, (await whole).results[0]?.verdict], [true, "pass"]);
  await assert.rejects(client.markers(run.id, { wait: "1s", marker: "Switched to nowhere" }), { status: 404 });
  assert.equal(room.store.listRuns().length, 0, "looking stores nothing");
});

test("an item waits for a log that is not there yet, and a file that comes", async (t) => {
  const room = await evaluatorRoom(t);
  const log = join(room.folder, "later.ndjson");
  const waiting = room.evaluate(fiveChats(log, { wait: "60s" }), { evaluator: "file_exists", path: log, wait: "60s" });
  while ((room.server.counts()["waiting"] ?? 0) < 1) await new Promise((resolve) => setImmediate(resolve));
  writeChats(room.folder, FIVE_CHATS, "later.ndjson");
  const { body } = await waiting;
  assert.deepEqual([body.verdict, body.results[0].waited.timed_out], ["pass", false]);
  const vain = await room.ask("/?wait=100ms", { body: { evaluation: [fiveChats(writeChats(room.folder, BROKEN))] } });
  assert.equal(vain.body.results[0].waited.timed_out, true);
  assert.match(
    vain.body.summary,
    /\(waited .* for 'Switched to support'; the last event was chat_switch at 2026-01-01T00:00:04/,
  );
});

test("self-report, labels and evidence can hang on a result that was only graded", async (t) => {
  const room = await evaluatorRoom(t);
  const { body } = await room.evaluate(fiveChats(writeChats(room.folder, FIVE_CHATS)));
  const { run } = body.results[0].results[0];
  assert.equal((await room.ask(`/v1/runs/${run}/self-report`, { body: { claim: "done" } })).status, 200);
  assert.equal(room.store.getRun(run).selfReport, "done");
  const found = await room.ask(`/v1/runs/${run}`);
  assert.deepEqual([found.status, found.body.verdict], [200, "pass"]);
  assert.equal((await room.ask(`/v1/runs/${run}/attach?name=a.log`, { body: "x" })).status, 409);
  assert.equal((await room.ask("/v1/runs?limit=1")).body.runs[0].id, run);
});

test("events are counted by name, and from a reset on anew", async (t) => {
  const room = await evaluatorRoom(t);
  const log = writeChats(room.folder, FIVE_CHATS);
  const before = await room.ask(`/v1/events?telemetry_file=${encodeURIComponent(log)}&limit=2`);
  assert.deepEqual(before.body.counts, { total: 5, undecoded: 0, bad: 0, by_name: { chat_switch: 5 } });
  assert.deepEqual(
    before.body.events.map((event: { data: { chatId: string } }) => event.data.chatId),
    ["release", "random"],
  );
  assert.deepEqual((await room.ask("/v1/reset", { body: { telemetry_file: log } })).body.counts.total, 0);
  assert.equal((await room.ask(`/v1/events?telemetry_file=${encodeURIComponent(log)}`)).body.counts.total, 0);
  appendFileSync(log, arriving(["general"]));
  assert.equal((await room.ask(`/v1/events?telemetry_file=${encodeURIComponent(log)}`)).body.counts.total, 1);
  const graded = await room.evaluate(fiveChats(log, { since: "reset" }));
  assert.equal(graded.body.results[0].results[0].events, 1);
});

test("a stream tells of results and of telemetry as they come, and is given back when its reader goes", async (t) => {
  const room = await evaluatorRoom(t);
  const log = writeChats(room.folder, FIVE_CHATS);
  const heard: string[] = [];
  const outgoing = request(`${room.server.url}/v1/stream?telemetry_file=${encodeURIComponent(log)}`);
  const response = await new Promise<import("node:http").IncomingMessage>((resolve) =>
    outgoing.on("response", resolve).end(),
  );
  assert.equal(response.headers["content-type"], "text/event-stream");
  response.setEncoding("utf8").on("error", () => undefined);
  const until = async (pattern: RegExp): Promise<void> => {
    while (!pattern.test(heard.join("")))
      await new Promise<void>((resolve) => response.once("data", (text: string) => resolve(void heard.push(text))));
  };
  await until(/waymark/);
  await room.evaluate(fiveChats(log));
  await until(/event: result\ndata: .*"verdict":"pass"/);
  appendFileSync(log, chatLines(["general"]));
  await until(/event: telemetry\ndata: .*"chat_switch"/);
  outgoing.destroy();
  while ((room.server.counts()["waiting"] ?? 1) > 0) await new Promise((resolve) => setImmediate(resolve));
  assert.ok(existsSync(log));
});
