import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { createRunIds } from "../../grader/run-id.ts";
import { openStore } from "../../grader/store/store.ts";
import { evaluatorRoom, fiveChats, writeChats } from "../support/evaluator.ts";
import { runProgram, startProxy, waymark } from "../support/processes.ts";
import { needsShared, SHARED } from "../support/project.ts";
import { sampleResult } from "../support/result.ts";
import { scratchFolder } from "../support/scratch.ts";
import { FIVE_CHATS } from "../support/telemetry.ts";

const hasCurl = spawnSync("curl", ["--version"]).status === 0;
const needsCurl = (id: string) => (hasCurl ? needsShared("cases", id) : { skip: "no curl here" });

test(
  "K03: a foreign Host and a foreign Origin get 403, localhost and the bound address work, nothing is shared",
  needsCurl("K03"),
  async (t) => {
    const { server, folder } = await evaluatorRoom(t);
    const body = JSON.stringify({ evaluation: [fiveChats(writeChats(folder, FIVE_CHATS))] });
    const post = (...words: string[]) =>
      runProgram("curl", [
        "-s",
        "-D",
        "-",
        "--noproxy",
        "*",
        "-H",
        "Content-Type: application/json",
        "-d",
        body,
        ...words,
      ]);
    for (const header of ["Host: evil.example", "Origin: https://evil.example"]) {
      assert.match((await post("-H", header, server.url)).stdout, /^HTTP\/1\.1 403 /, header);
    }
    for (const url of [server.url, `http://localhost:${server.port}`]) {
      const { stdout } = await post(url);
      assert.match(stdout, /^HTTP\/1\.1 200 /, url);
      assert.doesNotMatch(stdout, /access-control-allow-origin/i);
    }
  },
);

test("K08: the evaluator's port is refused through the proxy beside it", needsCurl("K08"), async (t) => {
  const { server } = await evaluatorRoom(t);
  const cwd = scratchFolder(t);
  const proxy = await startProxy(t, ["--evaluator-port", String(server.port)], {
    cwd,
    env: { WAYMARK_CA_DIR: join(cwd, "ca") },
  });
  for (const host of ["127.0.0.1", "localhost"]) {
    const target = `http://${host}:${server.port}/healthz`;
    const plain = await runProgram("curl", [
      "-s",
      "-m",
      "5",
      "-x",
      proxy.url,
      "-o",
      "-",
      "-w",
      "\n%{http_code}",
      target,
    ]);
    assert.match(plain.stdout, /\n508$/);
    const tunnel = await runProgram("curl", [
      "-s",
      "-m",
      "5",
      "-p",
      "-x",
      proxy.url,
      "-w",
      "\n%{http_connect}",
      target,
    ]);
    assert.match(tunnel.stdout, /\n403$/);
  }
});

test(
  "H06: what the evaluator could not do is an error, never a fail, and stands apart in the rates",
  needsShared("cases", "H06"),
  async (t) => {
    const markers = scratchFolder(t);
    writeFileSync(
      join(markers, "needs.yaml"),
      "waymark: 1\nscenario: needs\nparams: { user: { type: number, required: true } }\nmarkers: [{ event: x, where: { data.u: $user } }]\n",
    );
    const room = await evaluatorRoom(t, { markers });
    const reply = await room.evaluate(fiveChats(writeChats(room.folder, FIVE_CHATS), { scenarios: ["needs"] }), {
      evaluator: "command",
      name: "none",
    });
    assert.equal(reply.status, 200);
    assert.deepEqual(
      reply.body.results.map(({ verdict }: { verdict: string }) => verdict),
      ["error", "error"],
    );
    const [rate] = room.store.passRates("scenario");
    assert.deepEqual([rate?.errors, rate?.failed, rate?.pass_rate], [1, 0, null]);
  },
);

test(
  "G02: beside a server that is asked for its runs all the time, 50,000 results leave the write-ahead log small",
  needsShared("cases", "G02"),
  async (t) => {
    const room = await evaluatorRoom(t);
    const wal = join(room.folder, "waymark.db-wal");
    const writer = openStore(join(room.folder, "waymark.db"));
    t.after(() => writer.close());
    const ids = createRunIds(Date.now);
    let largest = 0;
    let polls = 0;
    for (let stored = 0; stored < 50_000; ) {
      for (const end = stored + 500; stored < end; stored++)
        writer.saveResult(sampleResult(ids()), { gradedAt: "2026-01-01T00:00:00.000Z" });
      const { status, body } = await room.ask("/v1/runs?limit=20");
      assert.deepEqual([status, body.runs.length], [200, 20]);
      polls += 1;
      largest = Math.max(largest, statSync(wal, { throwIfNoEntry: false })?.size ?? 0);
    }
    t.diagnostic(`largest write-ahead log ${(largest / 1e6).toFixed(1)} MB over ${polls} polls`);
    assert.ok(largest < 64e6, `the write-ahead log grew to ${largest} bytes`);
  },
);

test(
  "H06: a reporter that cannot write its file ends with an exit code of its own, and leaves no empty report",
  needsShared("cases", "H06"),
  async (t) => {
    const cwd = scratchFolder(t);
    const log = writeChats(cwd, FIVE_CHATS);
    const grade = (reporter: string) =>
      waymark(["grade", "-s", "simple_collab_switch", "--reporter", reporter, log], { cwd });
    const good = await grade("json=good.json");
    assert.equal(good.code, 0, good.stderr);
    for (const file of [
      join("none", "such", "folder", "report.json"),
      ...(existsSync("/dev/full") ? ["/dev/full"] : []),
    ]) {
      const { code, stderr } = await grade(`json=${file}`);
      assert.equal(code, 3, `${file}: ${stderr}`);
      assert.match(stderr, /report|written|write/i);
      assert.notEqual(statSync(join(cwd, file), { throwIfNoEntry: false })?.size, 0);
    }
  },
);

test("K05 and K06: no expression of a request is run, and none is slow", needsShared("cases", "K05"), async (t) => {
  const room = await evaluatorRoom(t);
  const file = join(room.folder, "state.json");
  writeFileSync(file, JSON.stringify({ name: `${"a".repeat(50)}!`, list: [{ a: 1 }] }));
  const paths = readFileSync(join(SHARED, "cases", "K05", "exprs.txt"), "utf8")
    .split("\n")
    .filter((line) => line !== "");
  for (const path of paths) {
    const { status, body } = await room.evaluate({ evaluator: "json_file", path: file, where: { [path]: 1 } });
    assert.equal(status, 200, path);
    assert.notEqual(body.verdict, "pass", path);
  }
  const slow = await room.evaluate({ evaluator: "json_file", path: file, where: { "name|re": "^(a+)+$" } });
  assert.equal(slow.body.verdict, "fail");
});
