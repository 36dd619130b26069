import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import test, { type TestContext } from "node:test";
import { versionsOf } from "../../../grader/trials/versions.ts";
import { gitLinesChanged, gitVersion } from "../../../grader/trials/versions-git.ts";
import { WAYMARK_VERSION } from "../../../proxy/record/version.ts";
import { scratchFolder } from "../../support/scratch.ts";

const git = (cwd: string, ...words: string[]): string =>
  execFileSync("git", ["-c", "user.name=t", "-c", "user.email=t@t", "-c", "commit.gpgsign=false", ...words], {
    cwd,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "ignore"],
  }).trim();

function hasGit(): boolean {
  try {
    git(".", "--version");
    return true;
  } catch {
    return false;
  }
}
const needsGit = { skip: hasGit() ? false : "there is no git" };

function repository(t: TestContext): string {
  const folder = scratchFolder(t);
  git(folder, "init", "-q");
  writeFileSync(join(folder, "a.txt"), "one\n");
  git(folder, "add", ".");
  git(folder, "commit", "-qm", "one");
  return folder;
}

test("versions are what the user says, waymark itself and the scenarios", async (t) => {
  const cwd = scratchFolder(t);
  writeFileSync(join(cwd, "prompt.md"), "Be careful.\n");
  const versions = await versionsOf({
    flags: ["app=1.4.2", "model=m-7=x", "prompt=@prompt.md"],
    cwd,
    scenarios: [{ id: "checkout", sha256: "ab12" }],
  });
  const { git: _, ...rest } = versions;
  assert.deepEqual(rest, {
    waymark: WAYMARK_VERSION,
    "scenario:checkout": "sha256:ab12",
    app: "1.4.2",
    model: "m-7=x",
    prompt: `sha256:${createHash("sha256").update("Be careful.\n").digest("hex")}`,
  });
});

test("a wrong --version is refused with what is wrong", async (t) => {
  const cwd = scratchFolder(t);
  for (const flag of ["app", "=1", "app=", "a b=1", "prompt=@none.md", "__proto__ =1"]) {
    await assert.rejects(versionsOf({ flags: [flag], cwd }), { code: "WM_USAGE_VERSION" }, flag);
  }
});

test("what the user says wins over what git says", async (t) => {
  assert.equal((await versionsOf({ flags: ["git=mine"], cwd: scratchFolder(t) }))["git"], "mine");
});

test("the git commit is found from below, and changed tracked files make it dirty", needsGit, async (t) => {
  const folder = repository(t);
  const head = git(folder, "rev-parse", "HEAD");
  mkdirSync(join(folder, "deep", "down"), { recursive: true });
  assert.equal(await gitVersion(join(folder, "deep", "down")), head);
  writeFileSync(join(folder, "untracked.txt"), "x");
  assert.equal(await gitVersion(folder), head, "untracked files do not count");
  writeFileSync(join(folder, "a.txt"), "two\n");
  assert.equal(await gitVersion(folder), `${head}+dirty`);
});

test("packed refs, detached heads and work trees are read like git reads them", needsGit, async (t) => {
  const folder = repository(t);
  const head = git(folder, "rev-parse", "HEAD");
  git(folder, "pack-refs", "--all");
  assert.equal(await gitVersion(folder), head);
  git(folder, "checkout", "-q", "--detach");
  assert.equal(await gitVersion(folder), head);
  const tree = join(scratchFolder(t), "tree");
  git(folder, "worktree", "add", "-q", "-b", "other", tree);
  git(tree, "commit", "-q", "--allow-empty", "-m", "two");
  assert.equal(await gitVersion(tree), git(tree, "rev-parse", "HEAD"));
  assert.notEqual(await gitVersion(tree), head);
});

test("without a repository, a commit or a sound .git there is no version", needsGit, async (t) => {
  const folder = scratchFolder(t);
  git(folder, "init", "-q");
  assert.equal(await gitVersion(folder), undefined);
  rmSync(join(folder, ".git"), { recursive: true });
  writeFileSync(join(folder, ".git"), "gitdir: nowhere\n");
  assert.equal(await gitVersion(folder), undefined);
});

test("the size of a change of commits is its lines", needsGit, async (t) => {
  const folder = repository(t);
  const before = git(folder, "rev-parse", "HEAD");
  writeFileSync(join(folder, "a.txt"), "two\nthree\n");
  git(folder, "commit", "-qam", "two");
  const after = git(folder, "rev-parse", "HEAD");
  assert.equal(await gitLinesChanged(folder, before, `${after}+dirty`), 3);
  assert.equal(await gitLinesChanged(folder, before, "0".repeat(40)), undefined);
  assert.equal(await gitLinesChanged(folder, "--output=x", after), undefined);
});
