import assert from "node:assert/strict";
import { existsSync, mkdirSync, utimesSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { makeFrontFolder } from "../../../../proxy/intercept/front-folder.ts";
import { scratchFolder } from "../../../support/scratch.ts";

test("folders of killed starts go after an hour; younger ones and those of others stay", (t) => {
  const parent = scratchFolder(t);
  const now = Date.now();
  const made = (name: string, ageMs: number): string => {
    const folder = join(parent, name);
    mkdirSync(join(folder, "keys"), { recursive: true });
    utimesSync(folder, (now - ageMs) / 1000, (now - ageMs) / 1000);
    return folder;
  };
  const [left, young, other] = [made("waymark-front-a", 3_700_000), made("waymark-front-b", 60_000), made("x", 9e6)];
  const folder = makeFrontFolder(parent, now);
  assert.deepEqual([left, young, other, folder].map(existsSync), [false, true, true, true]);
});
