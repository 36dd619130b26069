import assert from "node:assert/strict";
import { mkdirSync, realpathSync, symlinkSync, writeFileSync } from "node:fs";
import { join, relative, sep } from "node:path";
import test from "node:test";
import { createLocator, isInside } from "../../../grader/evaluator/locator.ts";
import { scratchFolder } from "../../support/scratch.ts";

const outside = { name: "OutsideRoot" };

test("a path inside the root is handed on with its links resolved; everything else is refused alike", (t) => {
  const base = realpathSync(scratchFolder(t));
  const root = join(base, "root");
  const secret = join(base, "secret");
  mkdirSync(join(root, "sub"), { recursive: true });
  mkdirSync(secret);
  writeFileSync(join(secret, "there"), "x");
  writeFileSync(join(root, "sub", "file"), "x");
  symlinkSync(join(root, "sub"), join(root, "inner"));
  symlinkSync(secret, join(root, "outer"));
  symlinkSync(join(secret, "missing"), join(root, "dangling"));
  symlinkSync(join("..", "secret", "there"), join(root, "up"));
  symlinkSync("circle", join(root, "circle"));
  const { locate } = createLocator({ root });
  const inside = (path: string): string => {
    const place = locate(path);
    return place.kind === "here" ? relative(root, place.path) : place.why;
  };
  assert.equal(inside("sub/file"), `sub${sep}file`);
  assert.equal(inside(join(root, "inner", "file")), `sub${sep}file`);
  assert.equal(inside("sub/../sub/./file"), `sub${sep}file`);
  assert.equal(inside("none/at/all"), ["none", "at", "all"].join(sep));
  assert.equal(inside(root), "");
  const leading = [
    "../secret/there",
    "../secret/missing",
    "outer/there",
    "outer/missing",
    "dangling",
    "up",
    "circle",
    "/",
    secret,
    `${root}2`,
    join(root, ".."),
  ];
  for (const path of leading) assert.throws(() => locate(path), outside, path);
  assert.throws(() => locate("C:\\out"), outside);
});

test("a root that is itself named through a link holds the paths below its written name", (t) => {
  const base = realpathSync(scratchFolder(t));
  mkdirSync(join(base, "real"));
  symlinkSync(join(base, "real"), join(base, "alias"));
  const { locate } = createLocator({ root: join(base, "alias") });
  for (const path of [join(base, "alias", "f"), join(base, "real", "f"), "f"]) {
    assert.deepEqual(locate(path), { kind: "here", path: join(base, "real", "f") });
  }
  assert.throws(() => createLocator({ root: join(base, "none") }), { code: "WM_SERVE_ROOT" });
});

test("without a root a path stays as written, and Windows paths are known for what they are", () => {
  const { locate } = createLocator({ platform: "linux" });
  assert.deepEqual(locate("a/../b"), { kind: "here", path: "a/../b" });
  for (const path of ["C:\\out", "c:/out", "\\\\server\\share"]) assert.equal(locate(path).kind, "elsewhere", path);
  const windows = createLocator({ platform: "win32" });
  assert.equal(windows.locate("C:\\out").kind, "here");
  assert.equal(windows.locate("\\\\.\\PhysicalDrive0").kind, "elsewhere");
  assert.equal(createLocator().join("C:\\out", "a.txt"), "C:\\out\\a.txt");
});

test("a folder whose name begins like the root's is not inside it", () => {
  assert.equal(isInside(`${sep}data${sep}x`, `${sep}data`), true);
  assert.equal(isInside(`${sep}data2`, `${sep}data`), false);
});
