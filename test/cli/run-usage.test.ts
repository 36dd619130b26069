import assert from "node:assert/strict";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import test, { type TestContext } from "node:test";
import { scratchFolder } from "../support/scratch.ts";
import { say } from "../support/terminal.ts";

const SCENARIO = "waymark: 1\nscenario: one\nparams: { user: { default: ann } }\nmarkers: [{ event: a }]\n";

interface Place {
  readonly folder: string;
  /** Runs `waymark run` with these words; nothing of it may be started. */
  run(...words: readonly string[]): ReturnType<typeof say>;
  file(name: string, text: string): string;
}

function place(t: TestContext): Place {
  const folder = scratchFolder(t);
  writeFileSync(join(folder, "one.yaml"), SCENARIO);
  return {
    folder,
    run: (...words) => say(["run", "--dir", join(folder, "out"), "--markers", folder, ...words]),
    file: (name, text) => {
      writeFileSync(join(folder, name), text);
      return join(folder, name);
    },
  };
}

test("wrong use is told before anything is started, with exit code 2", async (t) => {
  const { run, folder } = place(t);
  const cmd = ["--", "node", "x.js"];
  const table: readonly (readonly [readonly string[], RegExp])[] = [
    [[], /WM_USAGE\n.*needs a command behind --/],
    [["-n", "0", ...cmd], /WM_USAGE_NOT_A_NUMBER/],
    [["-n", "abc", ...cmd], /WM_USAGE_NOT_A_NUMBER/],
    [["--gate", "most", ...cmd], /WM_USAGE_GATE\n.*not understood/],
    [["--gate", "0%", ...cmd], /WM_USAGE_GATE\n.*met even when no run passes/],
    [["-n", "10", "--gate", "4/5", ...cmd], /WM_USAGE_GATE\n.*is about 5 runs, but 10 are planned/],
    [["--gate", "lower:60%", ...cmd], /WM_USAGE_GATE\n.*cannot be met with 5 runs; it takes 8/],
    [["--until-sure", "--gate", "any", ...cmd], /--gate and --until-sure exclude each other/],
    [["--until-sure", "-n", "5", ...cmd], /--runs and --until-sure exclude each other/],
    [["--until-sure", "--p0", "0.9", "--p1", "50%", ...cmd], /p1 \(0.5\) must be above p0 \(0.9\)/],
    [["--until-sure", "--alpha", "x", ...cmd], /WM_USAGE_NOT_A_NUMBER/],
    [["--max", "5", ...cmd], /--max belongs to --until-sure/],
    [["--variant", "a", ...[]], /WM_USAGE_VARIANT\n.*not NAME=CMD/],
    [["--variant", "a="], /WM_USAGE_VARIANT\n.*has no command/],
    [["--variant", "a=x | y"], /WM_USAGE_VARIANT\n.*needs a shell/],
    [["--variant", "a=x", "--variant", "a=y"], /two variants are named "a"/],
    [["--variant", "a=x", ...cmd], /exclude each other/],
    [["--jobs", "0", ...cmd], /WM_USAGE_NOT_A_NUMBER/],
    [["--jobs", "2", "--self-report", "r.json", ...cmd], /--self-report names one file/],
    [["--jobs", "2", "--steps", "s.ndjson", ...cmd], /--steps names one file/],
    [["--timeout", "0s", ...cmd], /WM_USAGE_DURATION/],
    [["--timeout", "5", ...cmd], /WM_USAGE_DURATION/],
    [["--settle", "idle=20s,max=1s", ...cmd], /max is shorter than its idle time/],
    [["--settle", "soon", ...cmd], /WM_USAGE_DURATION/],
    [["--retry-errors", "-1", ...cmd], /WM_USAGE_NOT_A_NUMBER|WM_USAGE/],
    [["--evidence", "onfail", ...cmd], /Known: on, off, on-fail/],
    [["--provenance", "real", ...cmd], /Known: live, replay, simulated/],
    [["--label", "", ...cmd], /cannot be a label/],
    [["--label", "a,b", ...cmd], /cannot be a label/],
    [["--version", "model", ...cmd], /WM_USAGE_VERSION/],
    [["--prices", "nowhere.yaml", ...cmd], /WM_RUN_PRICES/],
    [["--param", "usr=bo", ...cmd], /WM_USAGE_PARAM/],
    [["--again", "latest", ...cmd], /WM_RUN_NOT_FOUND|leave out --/],
    [["--self-reports", "x", ...cmd], /did you mean "self-report"/],
    [["stray", ...cmd], /takes no words/],
    [["--map", "nowhere", ...cmd], /WM_USAGE_MAP/],
    [["--host", "https://x", ...cmd], /WM_USAGE_HOST/],
    [["--redact", "a..b", ...cmd], /WM_USAGE_REDACT/],
    [["--upstream-ca", "nowhere.pem", ...cmd], /WM_PROXY_UPSTREAM_CA/],
  ];
  for (const [words, message] of table) {
    const { code, stderr, stdout } = await run(...words);
    assert.match(stderr, message, words.join(" "));
    assert.ok(code === 2 || (code === 4 && words[0] === "--again"), `${words.join(" ")}: ${code}`);
    assert.equal(stdout, "");
  }
  assert.equal(existsSync(join(folder, "out", "runs")), false, "no run was begun");
});

test("a file of tasks that is none is refused with what is wrong in it", async (t) => {
  const { run, file } = place(t);
  const table: readonly (readonly [string, string, RegExp])[] = [
    ["a.yaml", "name: x\n", /holds no list of tasks/],
    ["b.yaml", "[]\n", /holds no list of tasks/],
    ["c.yaml", "- { nme: x }\n", /task 1 has an unknown key "nme" — did you mean "name"/],
    ["d.yaml", "- { name: x }\n- { name: x }\n", /two tasks are named "x"/],
    ["e.yaml", "- { name: x, env: { 'A B': 1 } }\n", /cannot be the name of a variable/],
    ["f.yaml", "- { name: x, params: [1] }\n", /params is no map/],
    ["g.yaml", "- { name: x, args: 'a | b' }\n", /args cannot be split into words/],
    ["h.yaml", "- [\n", /WM_SCENARIO_YAML/],
    ["i.json", "[{]", /it is no JSON/],
    ["j.json", '[{"name": ""}]', /task 1 has no name/],
    ["k.yaml", "- { name: x, params: { usr: bo } }\n", /no scenario has a parameter "usr" \(task "x"\)/],
  ];
  for (const [name, text, message] of table) {
    const { code, stderr } = await run("--task", file(name, text), "--", "node", "x.js");
    assert.match(stderr, message, name);
    assert.equal(code, 2, name);
    if (!/WM_SCENARIO|parameter/.test(message.source)) assert.match(stderr, /WM_USAGE_TASKS/);
  }
  const missing = await run("--task", "nowhere.yaml", "--", "node", "x.js");
  assert.match(missing.stderr, /WM_USAGE_TASKS\n.*cannot be read/);
});

test("nothing selected is 4: no scenario, no run", async (t) => {
  const { run } = place(t);
  assert.equal((await run("-s", "nope", "--", "node", "x.js")).code, 4);
  assert.equal((await run("--again", "latest-failed")).code, 4);
});
