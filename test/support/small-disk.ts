import { spawnSync } from "node:child_process";
import type { TestContext } from "node:test";
import { scratchFolder } from "./scratch.ts";

const canMount = process.platform === "linux" && process.getuid?.() === 0;
/** The test option of a test that needs one. */
export const needsSmallDisk = { skip: canMount ? false : "a small disk can only be mounted by root on Linux" };

/** Runs `mount`; true when it succeeded. */
export function mount(...args: string[]): boolean {
  return spawnSync("mount", args, { stdio: "ignore" }).status === 0;
}

/** A disk of 1 MB; undefined, and the test skipped, where mounting is not allowed although we are root. */
export function smallDisk(t: TestContext): string | undefined {
  const cleanUp: (() => unknown)[] = [];
  const dir = scratchFolder({ after: (clean) => void cleanUp.push(clean as () => unknown) });
  const isMounted = mount("-t", "tmpfs", "-o", "size=1m", "tmpfs", dir);
  t.after(() => {
    if (isMounted) spawnSync("umount", ["-l", dir]);
    for (const clean of cleanUp) clean();
  });
  if (!isMounted) t.skip("mount is not allowed here");
  return isMounted ? dir : undefined;
}
