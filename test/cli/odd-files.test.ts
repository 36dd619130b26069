import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { waymark } from "../support/processes.ts";
import { scratchFolder } from "../support/scratch.ts";

const POSIX = process.platform === "win32" ? { skip: "named pipes and devices are POSIX" } : {};
const GOOD = "waymark: 1\nscenario: good\nmarkers:\n  - event: a\n";

function using(file: string): string {
  return `waymark: 1\nscenario: using\nuse: [${JSON.stringify(file)}]\nmarkers:\n  - event: a\n`;
}

test("a pipe or a device in a scenario's place is refused and never waited for", POSIX, async (t) => {
  const cwd = scratchFolder(t);
  mkdirSync(join(cwd, "m"));
  execFileSync("mkfifo", [join(cwd, "m", "x.yaml"), join(cwd, "p.fifo")]);
  writeFileSync(join(cwd, "m", "good.yaml"), GOOD);
  writeFileSync(join(cwd, "log.ndjson"), '{"name":"a"}\n');
  for (const file of ["p.fifo", "/dev/zero", "m/x.yaml"]) {
    const { code, stdout } = await waymark(["check", file], { cwd });
    assert.equal(code, 2, file);
    assert.match(stdout, /error WM_SCENARIO_UNREADABLE[\s\S]*not a file/);
    writeFileSync(join(cwd, "using.yaml"), using(file));
    const used = await waymark(["check", "using.yaml"], { cwd });
    assert.equal(used.code, 2, file);
    assert.match(used.stdout, /using\.yaml:3:7: error WM_SCENARIO_USE[\s\S]*not a file/);
  }
  const graded = await waymark(["grade", "log.ndjson", "--markers", "m", "--scenario", "good"], { cwd });
  assert.equal(graded.code, 0, graded.stderr);
  assert.match(graded.stderr, /warning WM_SCENARIO_UNREADABLE[\s\S]*x\.yaml/);
});

test("no more of a file is read than a scenario may have", async (t) => {
  const cwd = scratchFolder(t);
  writeFileSync(join(cwd, "long.yaml"), `${GOOD}#${"x".repeat(900_000)}\n`);
  writeFileSync(join(cwd, "using.yaml"), using("long.yaml"));
  const long = await waymark(["check", "long.yaml"], { cwd });
  assert.equal(long.code, 2);
  assert.match(long.stdout, /long\.yaml:1:1: error WM_SCENARIO_YAML_LIMIT/);
  assert.match(
    (await waymark(["check", "using.yaml"], { cwd })).stdout,
    /using\.yaml:3:7: error WM_SCENARIO_YAML_LIMIT/,
  );
});

test("a path that leads nowhere is an unreadable scenario, not a bug", async (t) => {
  const cwd = scratchFolder(t);
  writeFileSync(join(cwd, "good.yaml"), GOOD);
  const paths = ["n".repeat(300), "good.yaml/x"];
  if (process.platform !== "win32") {
    symlinkSync("loop.yaml", join(cwd, "loop.yaml"));
    paths.push("loop.yaml");
  }
  for (const path of paths) {
    const { code, stdout, stderr } = await waymark(["check", path], { cwd });
    assert.equal(code, 2, stdout + stderr);
    assert.match(stdout, /error WM_SCENARIO_UNREADABLE/);
  }
});

test("a folder without a scenario, and a file where a folder is due, are told", async (t) => {
  const cwd = scratchFolder(t);
  mkdirSync(join(cwd, "empty"));
  writeFileSync(join(cwd, "good.yaml"), GOOD);
  writeFileSync(join(cwd, "log.ndjson"), '{"name":"a"}\n');
  for (const words of [["empty"], ["--markers", "empty"], ["--markers", "gone"]]) {
    const { code, stderr } = await waymark(["check", ...words], { cwd });
    assert.equal(code, 4, words.join(" "));
    assert.match(stderr, /WM_SCENARIO_NOT_FOUND/);
  }
  for (const words of [["check"], ["grade", "log.ndjson"]]) {
    const { code, stderr } = await waymark([...words, "--markers", "good.yaml"], { cwd });
    assert.equal(code, 2, words.join(" "));
    assert.match(stderr, /WM_USAGE[\s\S]*"good\.yaml" is a file/);
  }
});
