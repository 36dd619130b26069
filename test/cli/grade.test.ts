import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { closeSync, mkdirSync, openSync, symlinkSync, writeFileSync, writeSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { runProgram, waymark } from "../support/processes.ts";
import { MAIN } from "../support/project.ts";
import { scratchFolder } from "../support/scratch.ts";

const NO_FIFO = process.platform === "win32" ? { skip: "no FIFOs on Windows" } : {};
const EVENT = '{"name":"a","time":"2026-01-01T00:00:00.000Z","data":{"k":1}}\n';
const MARKER = "markers:\n  - { name: first, event: a }\n";

/** Scenarios by what `grade -v` says of them. */
const SLOW: readonly (readonly [reason: string, text: string])[] = [
  ["it has rules", `${MARKER}rules:\n  - { never: { event: b } }\n`],
  ["it orders events by time", `events: { order: time }\n${MARKER}`],
  [
    "its markers have limits of time",
    "markers:\n  - { name: first, event: a }\n  - { name: last, event: b, within: 5s }\n",
  ],
  ["one of its markers asks for no event name", "markers:\n  - { name: first, where: { data.k: 1 } }\n"],
];

test("grade -v says which scenarios have every event parsed, and why", async (t) => {
  const cwd = scratchFolder(t);
  writeFileSync(join(cwd, "t.log"), EVENT);
  mkdirSync(join(cwd, "m"));
  const put = (id: string, text: string): void =>
    writeFileSync(join(cwd, "m", `${id}.yaml`), `waymark: 1\nscenario: ${id}\n${text}`);
  for (const [index, [, text]] of SLOW.entries()) put(`slow_${index}`, text);
  put("quick", MARKER);
  put("other", `events: { name: title }\n${MARKER}`);
  const grade = async (...words: readonly string[]): Promise<string[]> => {
    const { code, stderr } = await waymark(["grade", "t.log", "--markers", "m", "--no-store", ...words], { cwd });
    assert.notEqual(code, 2, stderr);
    return stderr.split("\n").filter((line) => /^(every event|the log is scanned|--fast)/.test(line));
  };
  put("tight", `limits: { line_bytes: 99 }\n${MARKER}`);

  const again = "the log is scanned 2 times, because the scenarios differ in limits: line_bytes";
  const said = SLOW.map(([reason], index) => `every event is parsed for the scenario slow_${index}, because ${reason}`);
  assert.deepEqual(await grade("-v"), [...said, again]);
  assert.deepEqual(await grade(), [], "only who asks for more hears of it");
  assert.deepEqual(await grade("-v", "-s", "quick"), []);
  assert.deepEqual(await grade("-v", "-s", "quick", "--session", "s"), [
    "every event is parsed, because only one session counts",
  ]);
  assert.deepEqual(await grade("-v", "-s", "quick", "-s", "other"), [
    "every event is parsed, because the scenarios quick and other do not read name and time of an event from the same keys",
  ]);
  assert.deepEqual(await grade("-v", "-s", "quick", "-s", "tight"), [again]);
  put("by_ts", `events: { time: ts }\n${MARKER}`);
  assert.deepEqual(await grade("-v", "-s", "quick", "-s", "by_ts"), [
    "every event is parsed, because the scenarios quick and by_ts do not read name and time of an event from the same keys",
  ]);
  put("other_tight", `limits: { line_bytes: 99 }\nevents: { name: title }\n${MARKER}`);
  assert.deepEqual(await grade("-v", "-s", "quick", "-s", "other_tight"), [again], "each is scanned by its own keys");
  assert.deepEqual(await grade("-v", "-s", "quick", "--fast", "--wait", "1ms"), [
    "--fast changes nothing here, because a log that is followed is read in full",
  ]);
});

test("stdin is scanned as a file is: the same result, and --fast changes nothing and says so", async (t) => {
  const cwd = scratchFolder(t);
  const idle = '{"name":"idle","data":{}}\n'.repeat(50_000);
  const log = `${EVENT}${idle}torn\n${EVENT}`;
  writeFileSync(join(cwd, "t.log"), log);
  writeFileSync(join(cwd, "s.yaml"), `waymark: 1\nscenario: s\n${MARKER}`);
  const words = ["--markers", ".", "-s", "s", "--no-store", "--json"];
  const documentOf = (text: string): unknown => {
    const { results } = JSON.parse(text) as { readonly results: readonly Record<string, unknown>[] };
    return results.map(({ log: _log, range: _range, run: _run, markers: _markers, ...rest }) => rest);
  };
  const file = await waymark(["grade", "t.log", ...words], { cwd });
  const piped = await waymark(["grade", "-", "--fast", "-v", ...words], { cwd, stdin: log });
  assert.deepEqual([file.code, piped.code], [0, 0], piped.stderr);
  const named = JSON.stringify(documentOf(file.stdout)).replaceAll("t.log", "-");
  assert.deepEqual(documentOf(piped.stdout), JSON.parse(named));
  assert.match(
    piped.stderr,
    /^--fast changes nothing for a stream, because what it leaves out could not be read later$/m,
  );
});

test("without WebAssembly every event is parsed, which -v says, with the same result", async (t) => {
  const cwd = scratchFolder(t);
  writeFileSync(join(cwd, "t.log"), EVENT);
  writeFileSync(join(cwd, "s.yaml"), `waymark: 1\nscenario: s\n${MARKER}`);
  const words = ["grade", "t.log", "--markers", ".", "-s", "s", "--no-store", "-v"];
  const bare = await waymark(words, { cwd, env: { NODE_OPTIONS: "--jitless" } });
  assert.equal(bare.code, 0, bare.stderr);
  assert.match(bare.stderr, /^every event is parsed, because the scanner cannot be had here: it takes WebAssembly/m);
  const usual = await waymark(words, { cwd });
  assert.equal(bare.stdout.replace(/r-\S+/g, ""), usual.stdout.replace(/r-\S+/g, ""));
});

test("a word that can be no name of a file is no log, and no crash", async (t) => {
  const cwd = scratchFolder(t);
  symlinkSync("loop.log", join(cwd, "loop.log"));
  writeFileSync(join(cwd, "s.yaml"), `waymark: 1\nscenario: s\n${MARKER}`);
  for (const [word, code] of [
    ["loop.log", "ELOOP"],
    ["x".repeat(5000), "ENAMETOOLONG"],
  ] as const) {
    const { code: exit, stdout, stderr } = await waymark(["grade", word, "--markers", ".", "--no-store"], { cwd });
    assert.equal(exit, 3, stderr);
    assert.match(stdout + stderr, new RegExp(`cannot be read \\(${code}\\)`));
    assert.doesNotMatch(stderr, /at .*\.js/);
  }
});

test("a pipe nobody writes to, or nobody has opened, is let go of when the wait is over", NO_FIFO, async (t) => {
  const cwd = scratchFolder(t);
  assert.equal(spawnSync("mkfifo", [join(cwd, "pipe")]).status, 0);
  writeFileSync(join(cwd, "s.yaml"), `waymark: 1\nscenario: s\n${MARKER}`);
  const words = ["grade", "pipe", "--markers", ".", "--no-store", "--wait", "200ms"];
  const many = ["a", "b", "c", "d", "e", "f"].map((name) => `pipe-${name}`);
  assert.equal(spawnSync("mkfifo", many, { cwd }).status, 0);
  const last = openSync(join(cwd, "pipe-f"), "r+");
  writeSync(last, EVENT);
  const all = await waymark(["grade", ...many, ...words.slice(2)], { cwd, endAfterMs: 20_000 });
  closeSync(last);
  assert.deepEqual([all.code, all.signal], [3, null]);
  assert.equal(all.stdout.match(/pass +1\/1/g)?.length, 1, "silent ones do not keep the last one waiting");
  const unopened = await waymark(words, { cwd, endAfterMs: 20_000 });
  assert.deepEqual([unopened.code, unopened.signal], [3, null]);

  const both = openSync(join(cwd, "pipe"), "r+");
  writeSync(both, '{"name":"b"}\n{"name":"a');
  const silent = await waymark(words, { cwd, endAfterMs: 20_000 });
  closeSync(both);
  assert.deepEqual([silent.code, silent.signal], [1, null], silent.stderr);
  assert.match(silent.stdout, /1 event/, "what the wait cut off is no torn line");
});

test("stdin that is a folder is an error that says so", NO_FIFO, async (t) => {
  const cwd = scratchFolder(t);
  writeFileSync(join(cwd, "s.yaml"), `waymark: 1\nscenario: s\n${MARKER}`);
  const program = [MAIN, "grade", "-", "--markers", ".", "--no-store"];
  const { code, stdout } = await runProgram("sh", ["-c", '"$0" "$@" < .', process.execPath, ...program], { cwd });
  assert.equal(code, 3);
  assert.match(stdout, /- cannot be read \(it is a folder\)/);
});
