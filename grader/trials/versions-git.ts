import { execFile } from "node:child_process";
import { readFileSync, statSync } from "node:fs";
import { devNull } from "node:os";
import { dirname, isAbsolute, join, resolve } from "node:path";

/** Git on a large repository with a cold cache takes its time; longer than this a run does not wait. */
const GIT_MS = 5000;
const COMMIT = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/;

/**
 * The commit that stands checked out around `folder`: `1f0c…`, or `1f0c…+dirty` when tracked files differ from it. Without
 * the program `git`, or when it takes longer than five seconds, it is only the commit. Undefined outside a repository and
 * before its first commit. Nothing of the repository is changed, and none of its hooks is run.
 */
export async function gitVersion(folder: string): Promise<string | undefined> {
  const dotGit = findDotGit(resolve(folder));
  if (dotGit === undefined) return undefined;
  const commit = commitIn(dotGit) ?? (await git(["rev-parse", "--verify", "HEAD"], folder))?.trim();
  if (commit === undefined || !COMMIT.test(commit)) return undefined;
  const changes = await git(["status", "--porcelain", "--untracked-files=no", "--ignore-submodules"], folder);
  return changes === undefined || changes.trim() === "" ? commit : `${commit}+dirty`;
}

/** How many lines were added and removed between two commits; undefined when that cannot be told. */
export async function gitLinesChanged(folder: string, from: string, to: string): Promise<number | undefined> {
  const [old, now] = [from, to].map((version) => version.replace(/\+dirty$/, ""));
  if (old === undefined || now === undefined || !COMMIT.test(old) || !COMMIT.test(now)) return undefined;
  const summary = await git(["diff", "--shortstat", "--no-ext-diff", "--no-textconv", old, now], folder);
  if (summary === undefined) return undefined;
  const counts = [...summary.matchAll(/([0-9]+) (?:insertion|deletion)/g)].map((match) => Number(match[1]));
  return counts.reduce((sum, count) => sum + count, 0);
}

/** The `.git` of the folder or of the nearest one above it. */
function findDotGit(folder: string): string | undefined {
  for (let at = folder; ; at = dirname(at)) {
    const candidate = join(at, ".git");
    if (statSync(candidate, { throwIfNoEntry: false }) !== undefined) return candidate;
    if (dirname(at) === at) return undefined;
  }
}

/** The commit HEAD names, read from the files of the repository; undefined where they are not simple. */
function commitIn(dotGit: string): string | undefined {
  try {
    const own = gitFolder(dotGit);
    const head = readFileSync(join(own, "HEAD"), "utf8").trim();
    const ref = /^ref: (refs\/[^\0]+)$/.exec(head)?.[1];
    if (ref === undefined) return COMMIT.test(head) ? head : undefined;
    const shared = commonFolder(own);
    return looseRef(join(shared, ref)) ?? packedRef(join(shared, "packed-refs"), ref);
  } catch {
    return undefined; // not laid out as expected: git itself is asked
  }
}

/** A work tree has a file `.git` that says where its folder is. */
function gitFolder(dotGit: string): string {
  if (statSync(dotGit).isDirectory()) return dotGit;
  const target = /^gitdir: (.+)$/m.exec(readFileSync(dotGit, "utf8"))?.[1]?.trim() ?? "";
  return isAbsolute(target) ? target : resolve(dirname(dotGit), target);
}

function commonFolder(own: string): string {
  const file = join(own, "commondir");
  if (statSync(file, { throwIfNoEntry: false }) === undefined) return own;
  return resolve(own, readFileSync(file, "utf8").trim());
}

function looseRef(file: string): string | undefined {
  if (statSync(file, { throwIfNoEntry: false })?.isFile() !== true) return undefined;
  const text = readFileSync(file, "utf8").trim();
  return COMMIT.test(text) ? text : undefined;
}

function packedRef(file: string, ref: string): string | undefined {
  if (statSync(file, { throwIfNoEntry: false }) === undefined) return undefined;
  const line = readFileSync(file, "utf8")
    .split(/\r?\n/)
    .find((one) => one.endsWith(` ${ref}`));
  const [commit = ""] = (line ?? "").split(" ");
  return COMMIT.test(commit) ? commit : undefined;
}

/** What git prints; undefined when there is no git, it fails, or it takes too long. */
function git(words: readonly string[], cwd: string): Promise<string | undefined> {
  const safe = ["-c", "core.fsmonitor=false", "-c", `core.hooksPath=${devNull}`, ...words];
  const env = { ...process.env, GIT_OPTIONAL_LOCKS: "0", GIT_TERMINAL_PROMPT: "0", LC_ALL: "C" };
  const options = { cwd, env, timeout: GIT_MS, maxBuffer: 16 * 1024 * 1024, windowsHide: true };
  return new Promise((done) => {
    try {
      execFile("git", safe, options, (error, stdout) => done(error === null ? stdout : undefined));
    } catch {
      done(undefined); // the folder is gone, or cannot be a working folder
    }
  });
}
