import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { runProgram, startProxy, waymark } from "../support/processes.ts";
import { at } from "../support/records.ts";
import { scratchFolder } from "../support/scratch.ts";
import { seqsOf, seriesLines } from "../support/series.ts";

const NEEDS_CURL = { skip: spawnSync("curl", ["--version"]).status === 0 ? false : "no curl here" };
const URL = "http://mobile.events.data.microsoft.com/OneCollector/1.0/";
const SCENARIO = "waymark: 1\nscenario: two\nmarkers: [{ event: first }, { event: second }]\n";

test(
  "two runs at once beside one proxy are told apart by the credentials of `waymark env --run`",
  NEEDS_CURL,
  async (t) => {
    const cwd = scratchFolder(t);
    mkdirSync(join(cwd, "markers"));
    writeFileSync(join(cwd, "markers", "two.yaml"), SCENARIO);
    const env = { WAYMARK_CA_DIR: join(cwd, "ca") };
    const say = async (...words: readonly string[]) => waymark(words, { cwd, env });
    const proxy = await startProxy(t, ["--sink"], { cwd, env });
    const start = async (): Promise<string> => {
      const { stdout, stderr } = await say("runs", "start", "-s", "two", "--json");
      assert.notEqual(stdout, "", stderr);
      return (JSON.parse(stdout) as { readonly run: string }).run;
    };
    const [one, two] = [await start(), await start()];
    const send = async (run: string | undefined, name: string): Promise<void> => {
      const asked = run === undefined ? [] : ["--run", run.slice(0, 20)];
      const { stdout, stderr } = await say("env", "--port", String(proxy.port), "--json", ...asked);
      assert.notEqual(stdout, "", stderr);
      const { http_proxy: address = "" } = JSON.parse(stdout) as Record<string, string>;
      assert.equal(address, `http://${run === undefined ? "" : `${run}:@`}127.0.0.1:${proxy.port}`);
      const body = `{"name":"${name}","iKey":"o:k","data":{}}`;
      const sent = await runProgram("curl", ["-q", "-sS", "-f", "-x", address, "-d", body, URL]);
      assert.equal(sent.code, 0, sent.stderr);
    };
    await send(one, "first");
    await send(two, "first");
    await send(two, "other");
    await send(one, "second");
    await send(undefined, "of nobody");
    const stop = async (run: string) => {
      const { stdout, stderr } = await say("runs", "stop", run, "--json", "--idle", "0s");
      assert.notEqual(stdout, "", stderr);
      const [result] = (JSON.parse(stdout) as { readonly results: readonly Record<string, unknown>[] }).results;
      const lines = seriesLines(join(cwd, ".waymark", "runs", run, "telemetry"));
      const names = lines.flatMap((line) => (line["name"] === null ? [] : [line["name"]]));
      return { verdict: result?.["verdict"], names, seqs: seqsOf(lines) };
    };
    // The second did not send its last event, whatever the first one sent.
    assert.deepEqual(await stop(two), { verdict: "fail", names: ["first", "other", "of nobody"], seqs: [1, 2, 3] });
    assert.deepEqual(await stop(one), { verdict: "pass", names: ["first", "second", "of nobody"], seqs: [1, 2, 3] });
    const stranger = await runProgram("curl", [
      "-q",
      "-sS",
      "-x",
      `http://a:b@127.0.0.1:${proxy.port}`,
      "-d",
      "{}",
      URL,
    ]);
    assert.equal(stranger.code, 0, stranger.stderr);
    const { stderr } = await proxy.stop();
    assert.match(stderr, /the proxy credentials "a" name no run; what comes with them is recorded without one\n/);
    const whole = seriesLines(join(cwd, "logs", "telemetry")).filter(({ name }) => name !== null);
    assert.deepEqual(
      whole.map((line) => at(line, "$capture", "run")),
      [one, two, two, one, undefined],
    );
    const unknown = await say("env", "--run", "01ZZZ");
    assert.deepEqual([unknown.code, unknown.stdout], [4, ""]);
    assert.match(unknown.stderr, /WM_RUN_NOT_FOUND/);
  },
);
