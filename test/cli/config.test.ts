import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import test, { type TestContext } from "node:test";
import type { Finished } from "../support/processes.ts";
import { waymark } from "../support/processes.ts";
import { scratchFolder } from "../support/scratch.ts";

interface Shown {
  readonly file: string | null;
  readonly options: readonly {
    readonly option: string;
    readonly value: unknown;
    readonly from: { readonly kind: string; readonly name?: string; readonly line?: number };
    readonly verbs: readonly string[];
  }[];
}

const CONFIG = `waymark: 1
command: node agent.js --fast
options:
  markers: scenarios
  host: [one.example, two.example]
  timeout: 10s
verbs:
  run: { runs: 7, gate: 80% }
profiles:
  ci:
    options: { timeout: 20s }
    verbs:
      run: { gate: 4/5, exit-zero: true }
`;

function place(t: TestContext, config: string = CONFIG) {
  const cwd = scratchFolder(t);
  writeFileSync(join(cwd, "waymark.config.yaml"), config);
  const say = (words: readonly string[], env: Record<string, string> = {}, at = cwd): Promise<Finished> =>
    waymark(words, { cwd: at, env });
  const valuesOf = async (words: readonly string[], env: Record<string, string> = {}) => {
    const { stdout, stderr } = await say(["config", "show", "run", "--json", ...words], env);
    assert.equal(stderr, "");
    const { options } = JSON.parse(stdout) as Shown;
    return new Map(options.map(({ option, value, from }) => [option, { value, from }]));
  };
  return { cwd, say, valuesOf };
}

test("a flag beats the environment, that a profile, that the configuration, that the default", async (t) => {
  const { say, valuesOf } = place(t);
  const plain = await valuesOf([]);
  assert.deepEqual(plain.get("gate")?.value, "80%");
  assert.deepEqual(plain.get("timeout")?.value, "10s");
  assert.deepEqual(plain.get("host")?.value, ["one.example", "two.example"]);
  assert.deepEqual(plain.get("jobs"), { value: "1", from: { kind: "default" } });
  assert.equal(plain.get("gate")?.from.line, 8);

  const ci = await valuesOf(["--profile", "ci"]);
  assert.equal(ci.get("gate")?.value, "4/5");
  assert.equal(ci.get("timeout")?.value, "20s");
  assert.equal(ci.get("runs")?.value, "7");
  assert.equal(ci.get("exit-zero")?.value, true);

  const env = await valuesOf([], { WAYMARK_PROFILE: "ci", WAYMARK_GATE: "any", WAYMARK_RUN_INDEX: "3" });
  assert.deepEqual(env.get("gate"), { value: "any", from: { kind: "environment", name: "WAYMARK_GATE" } });
  assert.equal(env.get("timeout")?.value, "20s");

  const flag = await say(["run", "--gate", "nonsense"], { WAYMARK_GATE: "any" });
  assert.match(flag.stderr, /WM_USAGE_GATE/);
  assert.doesNotMatch(flag.stderr, /WAYMARK_GATE/);
});

test("a wrong value is shown where it stands", async (t) => {
  const { say } = place(t, "waymark: 1\ncommand: node x\nverbs:\n  run:\n    timeout: soon\n");
  const { code, stderr } = await say(["run"]);
  assert.equal(code, 2);
  assert.match(stderr, /waymark\.config\.yaml:5:14: error WM_USAGE_DURATION/);
  assert.match(stderr, /5 \| {5}timeout: soon/);
  const set = await say(["run"], { WAYMARK_TIMEOUT: "later" });
  assert.match(set.stderr, /"later".*\(set by WAYMARK_TIMEOUT\)/);
});

test("every mistake of a configuration is told at once, with its place and the nearest name", async (t) => {
  const { say } = place(
    t,
    "waymark: 2\noption: { markers: x }\ngate: all\noptions:\n  markerz: x\n  quiet: perhaps\nverbs:\n  rnu: { runs: 3 }\n  run: { runz: 3, host: [[a]] }\nprofiles:\n  ci: 7\n",
  );
  const { code, stderr } = await say(["grade"]);
  assert.equal(code, 2);
  for (const said of [
    /yaml:1:10: error WM_CONFIG_WRONG_TYPE/,
    /yaml:2:1: error WM_CONFIG_UNKNOWN_KEY\n {2}unknown key "option" — did you mean "options"/,
    /yaml:3:1: error WM_CONFIG_UNKNOWN_KEY[\s\S]*Options stand under options/,
    /yaml:5:3: error WM_CONFIG_UNKNOWN_KEY\n {2}unknown option "markerz" — did you mean "markers"/,
    /yaml:6:10: error WM_CONFIG_WRONG_TYPE\n {2}"quiet" has to be true or false/,
    /no verb "rnu" to configure — did you mean "run"/,
    /unknown option "runz" — did you mean "runs"/,
    /yaml:9:26: error WM_CONFIG_WRONG_TYPE\n {2}"host" has to be a list of texts/,
    /the profile "ci" has to be a map/,
  ])
    assert.match(stderr, said);
  assert.equal((await say(["doctor"])).code, 1, "doctor works all the same, and says so");
  assert.match((await say(["doctor"])).stdout, /✗ the configuration has mistakes/);
  assert.equal((await say(["schema", "config"])).code, 0);
});

test("what is not there or no YAML is told", async (t) => {
  const { say } = place(t, "waymark: 1\nprofiles: { ci: {} }\n");
  assert.match((await say(["grade", "-c", "other.yaml"])).stderr, /WM_CONFIG_NOT_FOUND/);
  assert.match((await say(["grade", "--profile", "c"])).stderr, /WM_CONFIG_PROFILE[\s\S]*Known: ci/);
  const broken = place(t, "waymark: [1\n");
  assert.match((await broken.say(["grade"])).stderr, /yaml:1:10: error WM_CONFIG_YAML/);
  const empty = place(t, "");
  assert.match((await empty.say(["grade"])).stderr, /WM_CONFIG_WRONG_TYPE[\s\S]*waymark: 1/);
});

test("paths of a configuration count from its folder, also below it; path names it", async (t) => {
  const { cwd, say } = place(t, "waymark: 1\noptions: { markers: scenarios, reporter: [json=out/r.json, plain] }\n");
  mkdirSync(join(cwd, "scenarios"));
  mkdirSync(join(cwd, "out"));
  mkdirSync(join(cwd, "deep", "er"), { recursive: true });
  writeFileSync(join(cwd, "scenarios", "x.yaml"), "waymark: 1\nscenario: x\nmarkers: [{ event: a }]\n");
  const deep = join(cwd, "deep", "er");
  writeFileSync(join(deep, "log.ndjson"), '{"name":"a"}\n');
  assert.equal((await say(["config", "path"], {}, deep)).stdout, join("..", "..", "waymark.config.yaml\n"));
  const graded = await say(["grade", "log.ndjson", "-s", "x", "--no-store"], {}, deep);
  assert.equal(graded.code, 0, graded.stderr);
  const { options } = JSON.parse((await say(["config", "show", "grade", "--json"], {}, deep)).stdout) as Shown;
  const reporter = options.find(({ option }) => option === "reporter");
  assert.deepEqual(reporter?.value, [`json=${join("..", "..", "out", "r.json")}`, "plain"]);
});

test("show names the source of each value, and never a token", async (t) => {
  const { say } = place(t, `${CONFIG}`);
  const { stdout } = await say(["config", "show", "--profile", "ci"], { WAYMARK_TOKEN: "s3cret-word" });
  assert.match(stdout, /command +node agent\.js --fast +waymark\.config\.yaml:2:10 +run, doctor/);
  assert.match(stdout, /gate +4\/5 +waymark\.config\.yaml:13:20 \(profile ci\) +run/);
  assert.match(stdout, /token +\(set, not shown\) +WAYMARK_TOKEN/);
  assert.match(stdout, /embed-limit +20MB +default +report/);
  assert.doesNotMatch(stdout, /s3cret/);
});

test("the configuration's command is run, and what stands on the command line beats its choices", async (t) => {
  const { say } = place(
    t,
    "waymark: 1\ncommand: node -e 0\noptions: { scenario: simple_collab_switch }\nverbs: { run: { gate: all, runs: 2, settle: idle=0ms } }\n",
  );
  const ran = await say(["run", "--json", "-n", "1"]);
  assert.equal(ran.code, 3, "it sends no telemetry");
  const document = JSON.parse(ran.stdout) as { runs: readonly object[] };
  assert.equal(document.runs.length, 1);
  const sure = await say(["run", "--until-sure", "--max", "0"]);
  assert.doesNotMatch(sure.stderr, /exclude each other/);
});

test("what a run sets for its command breaks no waymark inside it", async (t) => {
  const { say } = place(t, "waymark: 1\n");
  const env = Object.fromEntries(
    ["ACTIVE", "BATCH", "FREE_PORT", "LAUNCH_ID", "PROXY_URL", "RUN_DIR", "RUN_ID", "RUN_INDEX", "RUN_ROUND"].map(
      (name) => [`WAYMARK_${name}`, "x"],
    ),
  );
  for (const name of ["SELF_REPORT", "STEPS", "TASK", "VARIANT"]) env[`WAYMARK_${name}`] = "x";
  const shown = await say(["config", "show", "--json"], env);
  const { options } = JSON.parse(shown.stdout) as Shown;
  assert.deepEqual(
    options.filter(({ from }) => from.kind === "environment"),
    [],
  );
});
