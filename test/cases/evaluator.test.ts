import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { evaluatorRoom, fiveChats, writeChats } from "../support/evaluator.ts";
import { runProgram, startProxy } from "../support/processes.ts";
import { needsShared } from "../support/project.ts";
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
