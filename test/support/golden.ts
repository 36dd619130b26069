import assert from "node:assert/strict";
import { existsSync, readFileSync, writeFileSync } from "node:fs";

/**
 * Compares text with a file that is reviewed as code. `UPDATE_GOLDEN=1` rewrites the file; in CI that is refused, so a
 * stale file fails there.
 */
export function golden(file: string, actual: string): void {
  const update = process.env["UPDATE_GOLDEN"] === "1";
  assert.ok(!(update && process.env["CI"]), "UPDATE_GOLDEN is refused in CI");
  if (update) writeFileSync(file, actual);
  assert.ok(existsSync(file), `${file} is missing; UPDATE_GOLDEN=1 npm test writes it`);
  assert.equal(actual, readFileSync(file, "utf8"));
}
