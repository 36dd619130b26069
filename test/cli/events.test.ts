import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { appendFileSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import test, { type TestContext } from "node:test";
import { MAIN } from "../support/project.ts";
import { scratchFolder } from "../support/scratch.ts";
import { say } from "../support/terminal.ts";

let seq = 0;

function line(name: string, data: object, more: object = {}): string {
  const at = new Date(Date.UTC(2026, 0, 31, 12, 0, ++seq)).toISOString();
  const meta = { seq, at, host: "t.example", path: "/", format: "json", request: "r", index: 0, ...more };
  return `${JSON.stringify({ name, time: at, data, $capture: meta })}\n`;
}

function start(): string {
  return `${JSON.stringify({ name: null, $capture: { control: "start", at: "2026-01-31T12:00:00.000Z", format: 1 } })}\n`;
}

function log(t: TestContext): string {
  seq = 0;
  const folder = join(scratchFolder(t), "logs");
  mkdirSync(folder);
  const lines = [
    start(),
    line("chat_switch", { tab: "chat", n: 1 }, { session: "s1" }),
    line("chat_switch", { tab: "calendar", n: 2 }, { session: "s2" }),
    line("paid\u001b[31m", { n: 3 }, { host: "pay.example", format: "otlp", retry: true }),
    `${JSON.stringify({ name: null, body: "x", $capture: { seq: ++seq, at: "2026-01-31T12:00:09Z", host: "t.example", path: "/", format: "raw", request: "r", index: 0, undecoded: "no decoder knows this body" } })}\n`,
  ];
  writeFileSync(join(folder, "telemetry-0.log"), lines.join(""));
  return folder;
}

async function found(words: readonly string[]): Promise<unknown[]> {
  const { stdout } = await say(["events", "query", ...words, "--json"]);
  return stdout
    .split("\n")
    .filter((text) => text !== "")
    .map((text) => (JSON.parse(text) as { data: { n: number } }).data.n);
}

test("query finds events with the field tests of markers", async (t) => {
  const folder = log(t);
  for (const [words, wanted] of [
    [[], [1, 2, 3]],
    [["--where", "data.tab=calendar"], [2]],
    [
      ["--where", "data.tab!=calendar"],
      [1, 3],
    ],
    [
      ["--where", "data.n|gte=2"],
      [2, 3],
    ],
    [
      ["--where", "data.tab"],
      [1, 2],
    ],
    [["--where", "$.data.n=3"], [3]],
    [["--where", 'data["tab"]|startswith=ch'], [1]],
    [["--where", "data.n|gte=2", "--where", "data.tab=calendar"], [2]],
    [
      ["--name", "chat_*"],
      [1, 2],
    ],
    [["--name", "chat_*", "--session", "s2"], [2]],
    [["--since", "2026-01-31T12:00:03Z"], [3]],
    [["--last", "1"], [1]],
  ] as const) {
    assert.deepEqual(await found([folder, ...words]), wanted, words.join(" "));
  }
});

test("field tests in a file; their mistakes have its places", async (t) => {
  const folder = log(t);
  const file = join(folder, "tests.yaml");
  writeFileSync(file, "data.n|gte: 2\nnot: { data.tab: calendar }\n");
  assert.deepEqual(await found([folder, "--where-file", file]), [3]);
  writeFileSync(file, "data.n: 1\ndata.tab|startwith: x\n");
  const { code, stderr } = await say(["events", "query", folder, "--where-file", file]);
  assert.equal(code, 2);
  assert.match(stderr, /tests\.yaml:2:\d+: error .*\n.*did you mean "startswith"/);
  const inline = await say(["events", "query", folder, "--where", "data.n|gtee=x"]);
  assert.equal(inline.code, 2);
  assert.match(inline.stderr, /--where data\.n\|gtee=x/);
  assert.equal((await say(["events", "query", folder, "--where", "=x"])).code, 2);
});

test("only the newest capture is looked at, unless all is asked for", async (t) => {
  const folder = log(t);
  writeFileSync(join(folder, "telemetry-1.log"), start() + line("x", { n: 7 }) + start() + line("x", { n: 8 }));
  assert.deepEqual(await found([folder]), [8]);
  assert.deepEqual(await found([folder, "--all"]), [1, 2, 3, 7, 8]);
});

test("stats counts by name, format and host, and what could not be read", async (t) => {
  const folder = log(t);
  const { stdout } = await say(["events", "stats", folder, "--json"]);
  const { logs } = JSON.parse(stdout) as { logs: Record<string, unknown>[] };
  const [only] = logs;
  assert.deepEqual(only?.["by_format"], { json: 2, otlp: 1 });
  assert.deepEqual(only?.["by_host"], { "t.example": 2, "pay.example": 1 });
  assert.deepEqual([only?.["events"], only?.["sessions"], only?.["retries"], only?.["undecoded"]], [3, 2, 1, 1]);
  const text = (await say(["events", "stats", folder])).stdout;
  assert.match(text, /3 events in 2 sessions/);
  assert.match(text, /2 {2}chat_switch/);
});

test("text of the log never steers the terminal", async (t) => {
  const folder = log(t);
  const { stdout } = await say(["events", "tail", "--no-follow", folder]);
  assert.ok(!stdout.includes("\u001b"), JSON.stringify(stdout));
  assert.match(stdout, /paid\\u001b\[31m/);
  assert.match(stdout, /\[retry\]/);
});

test("nothing found is told; a wrong word and a missing log too", async (t) => {
  const folder = log(t);
  const none = await say(["events", "query", folder, "--name", "nope"]);
  assert.deepEqual([none.code, none.stdout], [4, ""]);
  assert.equal((await say(["events", "tial", folder])).code, 2);
  assert.equal((await say(["events", "stats", join(folder, "none")])).code, 3);
});

test("tail goes on across a rotation until it is stopped", async (t) => {
  const folder = log(t);
  const child = spawn(process.execPath, [MAIN, "events", "tail", folder, "--json", "-n", "1"], { stdio: "pipe" });
  t.after(() => child.kill("SIGKILL"));
  let text = "";
  const heard = async (count: number): Promise<void> => {
    while (text.split("\n").length - 1 < count) text += String((await once(child.stdout, "data"))[0]);
  };
  await heard(1);
  appendFileSync(join(folder, "telemetry-0.log"), line("y", { n: 5 }));
  await heard(2);
  writeFileSync(join(folder, "telemetry-1.log"), line("y", { n: 6 }));
  await heard(3);
  const ended = once(child, "close");
  child.kill("SIGINT");
  const [code] = (await ended) as [number];
  assert.equal(code, process.platform === "win32" ? code : 130);
  const numbers = text
    .trim()
    .split("\n")
    .map((one) => (JSON.parse(one) as { data: { n: number } }).data.n);
  assert.deepEqual(numbers, [3, 5, 6]);
});
