import assert from "node:assert/strict";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { waymark } from "../../cli/waymark.ts";
import { scratchFolder } from "../support/scratch.ts";
import { say } from "../support/terminal.ts";

/** What is wrong, the scenario's lines after its head, and where the fault must point (line:column of the file). */
const SCENARIOS: readonly (readonly [code: string, yaml: string, place: string, says: RegExp])[] = [
  ["WM_SCENARIO_UNKNOWN_KEY", "markers:\n  - { event: a, withn: 5s }", "4:17", /did you mean "within"/],
  ["WM_SCENARIO_WRONG_TYPE", "markers: 5", "3:10", /a list/],
  ["WM_SCENARIO_MISSING_KEY", "rules:\n  - { name: r, each: { event: a } }", "4:5", /must/],
  ["WM_SCENARIO_EMPTY", "markers: []", "3:10", /neither markers nor rules|empty/],
  ["WM_SCENARIO_DUPLICATE_NAME", "markers:\n  - { name: A, event: a }\n  - { name: A, event: b }", "5:13", /"A"/],
  ["WM_SCENARIO_PATH", "markers:\n  - { event: a, where: { 'data[': 1 } }", "4:30", /data\[/],
  ["WM_SCENARIO_JSONPATH", "markers:\n  - { event: a, where: { '$[?(@.x.constructor())]': 1 } }", "4:45", /./],
  [
    "WM_SCENARIO_MODIFIER",
    "markers:\n  - { event: a, where: { data.x|contain: y } }",
    "4:26",
    /did you mean "contains"/,
  ],
  ["WM_SCENARIO_ARGUMENT", "markers:\n  - { event: a, where: { data.x|exists: maybe } }", "4:41", /true or false/],
  ["WM_SCENARIO_REGEX", "markers:\n  - { event: a, where: { data.x|re: '(a' } }", "4:37", /./],
  ["WM_SCENARIO_DURATION", "markers:\n  - { event: a, within: 5 }", "4:25", /5s/],
  ["WM_SCENARIO_UPPER_BOUND", "markers:\n  - { event: a, repeat: { max: 3 } }", "4:25", /rule/],
  [
    "WM_SCENARIO_UNKNOWN_PATTERN",
    "define: { cart: { event: cart } }\nmarkers:\n  - { pattern: crat }",
    "5:16",
    /did you mean "cart"/,
  ],
  ["WM_SCENARIO_CYCLE", "define: { a: b, b: a }\nmarkers:\n  - { pattern: a }", "3:", /a/],
  ["WM_SCENARIO_VARIABLE", "markers:\n  - { event: a, where: { data.x: $nobody } }", "4:34", /nobody/],
  ["WM_SCENARIO_USE", "use: [gone.yaml]\nmarkers:\n  - { event: a }", "3:7", /gone\.yaml/],
  ["WM_SCENARIO_YAML", "markers: [", "", /./],
  ["WM_SCENARIO_YAML_TRAP", "markers:\n  - { event: a, where: { data.v: 1.10 } }", "4:34", /[Qq]uote/],
];

for (const [code, yaml, place, says] of SCENARIOS) {
  test(`${code}: exit 2, with the place and what to do`, async (t) => {
    const file = join(scratchFolder(t), "x.yaml");
    writeFileSync(file, `waymark: 1\nscenario: x\n${yaml}\n`);
    const { code: exit, stdout } = await say(["check", file]);
    assert.equal(exit, 2, stdout);
    assert.ok(stdout.includes(`${file}:${place}`), stdout);
    assert.ok(stdout.includes(code), stdout);
    assert.match(stdout, says);
    assert.match(stdout, / {2}fix: ./);
  });
}

test("all problems of a file are told at once", async (t) => {
  const file = join(scratchFolder(t), "x.yaml");
  writeFileSync(
    file,
    "waymark: 1\nscenario: x\nmarkrs: []\nmarkers:\n  - { event: a, within: 5 }\n  - { event: b, where: { x|foo: 1 } }\n",
  );
  const { stdout } = await say(["check", file]);
  for (const code of ["WM_SCENARIO_UNKNOWN_KEY", "WM_SCENARIO_DURATION"]) assert.ok(stdout.includes(code), stdout);
});

test("WM_SCENARIO_VERSION, WM_SCENARIO_UNREADABLE: another version, and no such file", async (t) => {
  const folder = scratchFolder(t);
  writeFileSync(join(folder, "new.yaml"), "waymark: 2\nscenario: x\nmarkers: [{ event: a }]\n");
  assert.match((await say(["check", join(folder, "new.yaml")])).stdout, /new\.yaml:1:10: error WM_SCENARIO_VERSION/);
  const gone = await say(["check", join(folder, "gone.yaml")]);
  assert.equal(gone.code, 2);
  assert.match(gone.stdout, /WM_SCENARIO_UNREADABLE/);
});

test("WM_SCENARIO_NOT_FOUND: exit 4 with near misses", async () => {
  const { code, stderr } = await say(["grade", "-s", "simple_collab_swich", "--no-store"]);
  assert.equal(code, 4);
  assert.match(stderr, /WM_SCENARIO_NOT_FOUND[\s\S]*simple_collab_switch/);
});

test("WM_USAGE and its kin: exit 2, and what would be right", async (t) => {
  const wrong: readonly (readonly [words: string[], code: string, says: RegExp])[] = [
    [["grad"], "WM_USAGE", /did you mean "grade"/],
    [["grade", "--scenarios", "x"], "WM_USAGE", /did you mean "scenario"/],
    [["proxy", "--port", "abc"], "WM_USAGE_NOT_A_NUMBER", /abc/],
    [["proxy", "--rotate-size", "many"], "WM_USAGE_SIZE", /64MB/],
    [["proxy", "--rotate-age", "5"], "WM_USAGE_DURATION", /30s/],
    [["proxy", "--map", "nonsense"], "WM_USAGE_MAP", /HOST=HOST:PORT/],
    [["grade", "-s", "simple_collab_switch", "--param", "nonsense"], "WM_USAGE_PARAM", /NAME=VALUE/],
    [["grade", "-s", "simple_collab_switch", "--since", "yesterday"], "WM_USAGE_SINCE", /ISO/],
  ];
  const db = join(scratchFolder(t), "x.db");
  for (const [words, code, says] of wrong) {
    const { code: exit, stderr } = await say(words[0] === "grade" ? [...words, "--db", db] : words);
    assert.equal(exit, 2, stderr);
    assert.ok(stderr.includes(code), stderr);
    assert.match(stderr, says);
  }
});

test("WM_LOG_NOT_FOUND, WM_LOG_NO_EVENTS: nothing to look at is said in words", async (t) => {
  const folder = scratchFolder(t);
  const scenario = join(folder, "x.yaml");
  writeFileSync(scenario, "waymark: 1\nscenario: x\nmarkers: [{ event: a }]\n");
  const missing = await say(["check", scenario, "--sample", join(folder, "gone.ndjson")]);
  assert.match(missing.stdout, /WM_LOG_NOT_FOUND/);
  writeFileSync(join(folder, "empty.ndjson"), "");
  const empty = await say(["check", scenario, "--sample", join(folder, "empty.ndjson")]);
  assert.match(empty.stdout, /WM_LOG_NO_EVENTS/);
});

test("WM_OUTPUT_FAILED: a report that cannot be written changes the exit code, not the verdict", async (t) => {
  const folder = scratchFolder(t);
  writeFileSync(join(folder, "x.yaml"), "waymark: 1\nscenario: x\nmarkers: [{ event: a }]\n");
  writeFileSync(join(folder, "x.ndjson"), '{"name":"a"}\n');
  mkdirSync(join(folder, "taken"));
  const words = ["grade", join(folder, "x.ndjson"), "-s", join(folder, "x.yaml"), "--no-store"];
  const { code, stdout, stderr } = await say([...words, "--reporter", `plain,json=${join(folder, "taken")}`]);
  assert.equal(code, 3);
  assert.match(stdout, /pass/);
  assert.match(stderr, /WM_OUTPUT_FAILED/);
});

test("WM_BUG: what should be impossible exits 70, shows the stack and asks for a report", async () => {
  const said: string[] = [];
  const broken = {
    out: (): never => {
      throw new RangeError("no output today");
    },
    err: (text: string) => void said.push(text),
    outIsTerminal: false,
    errIsTerminal: false,
    colour: false,
    env: {},
  };
  assert.equal(await waymark(["--version"], broken), 70);
  assert.match(said.join(""), /WM_BUG[\s\S]*no output today[\s\S]*report/);
});

test("WM_DEMO_FAILED: a demo whose app cannot run says so", async (t) => {
  // Makes every program of Node's that the runs start end before it begins.
  const env = { ...process.env, NODE_OPTIONS: "--no-such-option" } as Record<string, string>;
  const { code, stderr } = await say(["demo", "--dir", join(scratchFolder(t), "demo")], env);
  assert.equal(code, 3, stderr);
  assert.match(stderr, /WM_DEMO_FAILED[\s\S]*run 1 of the demo could not be graded/);
});

const PROXY_OPTIONS: readonly (readonly [code: string, words: readonly string[], says: RegExp])[] = [
  ["WM_USAGE_SIZE", ["--rotate-size", "0"], /--rotate-size got "0"/],
  ["WM_USAGE_SIZE", ["--rotate-size", "0.2B"], /at least a byte/],
  ["WM_USAGE_DURATION", ["--rotate-age", "0s"], /above zero/],
  ["WM_USAGE_HOST", ["--host", "*:https"], /"\*:https" is no host pattern/],
  ["WM_USAGE_HOST", ["--bypass", "https://a.example"], /no host pattern/],
  ...["https://a=b:1", "*.a.example=b:1", "*:https=b:1", "a:0=b:1", "a:99999=b:1", "=b:1", "a=b", "a=b:0", "a=*:1"].map(
    (map) => ["WM_USAGE_MAP", ["--map", map], /is not HOST=HOST:PORT/] as const,
  ),
];

for (const [code, words, says] of PROXY_OPTIONS) {
  test(`${code}: ${words.join(" ")} is refused before anything is written`, async (t) => {
    const folder = scratchFolder(t);
    const out = ["--out", join(folder, "logs"), "--port", "0"];
    const { code: exit, stderr } = await say(["proxy", ...out, ...words], { WAYMARK_CA_DIR: join(folder, "ca") });
    assert.equal(exit, 2, stderr);
    assert.ok(stderr.includes(code), stderr);
    assert.match(stderr, says);
    assert.equal(existsSync(join(folder, "logs")), false);
  });
}

test("a database that cannot be opened costs the keeping, not the verdict; an empty --db is wrong use", async (t) => {
  const folder = scratchFolder(t);
  writeFileSync(join(folder, "x.yaml"), "waymark: 1\nscenario: x\nmarkers: [{ event: a }]\n");
  writeFileSync(join(folder, "x.ndjson"), '{"name":"a"}\n');
  writeFileSync(
    join(folder, "garbage.db"),
    "this is no database, but long enough to have a header of its own kind".repeat(20),
  );
  const words = ["grade", join(folder, "x.ndjson"), "-s", join(folder, "x.yaml")];
  const { code, stdout, stderr } = await say([...words, "--db", join(folder, "garbage.db")]);
  assert.equal(code, 3);
  assert.match(stdout, /pass/);
  assert.match(stderr, /WM_STORE_DAMAGED/);
  assert.equal((await say([...words, "--db", ""])).code, 2);
});
