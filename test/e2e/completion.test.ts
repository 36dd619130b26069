import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import test, { type TestContext } from "node:test";
import { openStore } from "../../grader/store/store.ts";
import { keepRun, writeScenario } from "../support/kept-runs.ts";
import { runProgram, waymark } from "../support/processes.ts";
import { MAIN } from "../support/project.ts";
import { scratchFolder } from "../support/scratch.ts";

function needs(shell: string): { readonly skip: string | false } {
  return { skip: spawnSync(shell, ["--version"]).status === 0 ? false : `${shell} is not installed` };
}

/** A project with a scenario, a profile and a labelled run, and a `waymark` on the path. */
async function place(t: TestContext) {
  const cwd = scratchFolder(t);
  const bin = join(cwd, "bin");
  mkdirSync(bin);
  mkdirSync(join(cwd, "markers"));
  for (const name of ["waymark", "grade"]) {
    writeFileSync(join(bin, name), `#!/bin/sh\nexec "${process.execPath}" "${MAIN}" "$@"\n`);
    chmodSync(join(bin, name), 0o755);
  }
  const scenario = writeScenario(join(cwd, "markers", "trip.yaml"), ["a"]);
  writeFileSync(join(cwd, "waymark.config.yaml"), "waymark: 1\nprofiles: { nightly: {} }\n");
  const store = openStore(join(cwd, ".waymark", "waymark.db"));
  await keepRun(join(cwd, ".waymark", "runs"), store, { id: "01RUN", events: ["a"] }, scenario);
  store.close();
  assert.equal((await waymark(["runs", "label", "latest", "main"], { cwd })).code, 0);
  return { cwd, env: { PATH: `${bin}:${process.env["PATH"]}`, HOME: cwd, TERM: "dumb" } };
}

/** What stands behind `waymark`, and what has to be offered. */
const WANTED = [
  [["gra"], ["grade"]],
  [["run", "--ga"], ["--gate"]],
  [["grade", "-s", "tr"], ["trip"]],
  [["run", "--profile", ""], ["nightly"]],
  [["completion", "z"], ["zsh"]],
  [["runs", "sho"], ["show"]],
  [["schema", "reg"], ["regrade"]],
  [["report", "label:"], ["label:main"]],
  [["run", "--gate", "low"], ["lower:60%"]],
] as const;

test("words are completed: verbs, options, scenarios, profiles, runs and labels", async (t) => {
  const { cwd, env } = await place(t);
  for (const [words, offered] of WANTED) {
    const { code, stdout } = await waymark(["completion", "words", "--", ...words], { cwd, env });
    assert.equal(code, 0);
    assert.deepEqual(stdout.trimEnd().split("\n"), offered, words.join(" "));
  }
  const silent = await waymark(["completion", "words", "--", "run", "--", "node", "ag"], { cwd, env });
  assert.deepEqual([silent.code, silent.stdout], [0, ""], "a command of one's own is the shell's");
  writeFileSync(join(cwd, "waymark.config.yaml"), "waymark: [");
  const broken = await waymark(["completion", "words", "--", "grade", "-s", ""], { cwd, env });
  assert.deepEqual([broken.code, broken.stderr], [0, ""], "whoever presses tab wants no error");
});

test("an unknown shell is refused with the known ones", async () => {
  const { code, stderr } = await waymark(["completion", "bsh"]);
  assert.equal(code, 2);
  assert.match(stderr, /did you mean "bash"[\s\S]*Known: bash, zsh, fish, pwsh/);
});

test("bash completes with the script, also words with a colon", needs("bash"), async (t) => {
  const { cwd, env } = await place(t);
  const script = `eval "$(waymark completion bash)"
complete -p waymark grade >/dev/null || exit 9
try() { COMP_WORDS=("$@"); COMP_CWORD=$(( $# - 1 )); _waymark_words; echo "\${COMPREPLY[*]}"; }
try waymark gra
try waymark run --ga
try grade -s tr
try waymark report label : ma
try waymark run --reporter = juni
try waymark grade mark
`;
  const { code, stdout, stderr } = await runProgram("bash", ["--norc", "-c", script], { cwd, env });
  assert.equal(code, 0, stderr);
  assert.deepEqual(stdout.trimEnd().split("\n"), ["grade", "--gate", "trip", "main", "junit", "markers"]);
});

test("zsh takes the script and completes with it", needs("zsh"), async (t) => {
  const { cwd, env } = await place(t);
  const script = `autoload -Uz compinit; compinit -u -D
eval "$(waymark completion zsh)"
[[ $_comps[waymark] == _waymark_words && $_comps[grade] == _waymark_words ]] || exit 9
compadd() { print -r -- "\${(P)\${@[-1]}}"; }
_files() { print files }
try() { words=("$@"); CURRENT=$#; _waymark_words; }
try waymark gra
try waymark grade -s tr
try grade --sin
try waymark report label:
try waymark run -- node x
`;
  const { code, stdout, stderr } = await runProgram("zsh", ["-f", "-c", script], { cwd, env });
  assert.equal(code, 0, stderr);
  assert.deepEqual(stdout.trimEnd().split("\n"), ["grade", "trip", "--since", "label:main", "files"]);
});

test("fish takes the script and completes with it", needs("fish"), async (t) => {
  const { cwd, env } = await place(t);
  const lines = ["waymark gra", "waymark grade -s tr", "grade --sin", "waymark report label:"];
  const script = ["waymark completion fish | source", ...lines.map((line) => `complete -C '${line}'`)].join("\n");
  const { code, stdout, stderr } = await runProgram("fish", ["--no-config", "-c", script], { cwd, env });
  assert.equal(code, 0, stderr);
  assert.deepEqual(stdout.trimEnd().split("\n"), ["grade", "trip", "--since", "label:main"]);
});
