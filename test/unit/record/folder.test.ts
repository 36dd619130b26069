import assert from "node:assert/strict";
import { existsSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { makeFolder } from "../../../proxy/record/folder.ts";
import { scratchFolder } from "../../support/scratch.ts";

const IS_POSIX = process.platform !== "win32";

test("makes what is missing, and is content with what is there", (t) => {
  const dir = scratchFolder(t);
  makeFolder(join(dir, "a", "b", "c"));
  makeFolder(join(dir, "a", "b", "c"));
  makeFolder(join(dir, "a", "..", "d", "."));
  assert.ok(statSync(join(dir, "a", "b", "c")).isDirectory());
  assert.ok(statSync(join(dir, "d")).isDirectory());
});

test("every folder made gets the mode", { skip: !IS_POSIX && "file modes are POSIX" }, (t) => {
  const dir = scratchFolder(t);
  makeFolder(join(dir, "x", "y"), 0o700);
  for (const path of ["x", join("x", "y")]) assert.equal(statSync(join(dir, path)).mode & 0o777, 0o700, path);
});

test("a file in the way is told as the system tells it, and nothing is made", (t) => {
  const dir = scratchFolder(t);
  writeFileSync(join(dir, "file"), "");
  assert.throws(() => makeFolder(join(dir, "file")), { code: "EEXIST" });
  assert.throws(() => makeFolder(join(dir, "file", "below")), { code: IS_POSIX ? "ENOTDIR" : "ENOENT" });
});

test("a link to nowhere is an error", { skip: !IS_POSIX && "links need rights on Windows" }, (t) => {
  const dir = scratchFolder(t);
  symlinkSync(join(dir, "nowhere"), join(dir, "link"));
  assert.throws(() => makeFolder(join(dir, "link")), { code: "EEXIST" });
});

test("where no folder can be made it says so instead of hanging", {
  skip: !existsSync("/proc/self") && "no /proc",
}, () => {
  assert.throws(() => makeFolder("/proc/waymark/logs"), { code: "ENOENT" });
});
