import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { PROJECT } from "./project.ts";

const SOURCES = join(PROJECT, "test", "sdk", "apps");
const INSTALLED = join(PROJECT, ".sdk-apps");
const LOCK = join(SOURCES, "package-lock.json");

/** Test option that skips, with its reason, where the real SDKs have not been installed. */
export const NEEDS_SDKS = { skip: isInstalled() ? false : "the SDKs are not installed (npm run test:sdk does it)" };

function isInstalled(): boolean {
  const mark = join(INSTALLED, "installed");
  return existsSync(mark) && readFileSync(mark, "utf8") === readFileSync(LOCK, "utf8");
}

/** A folder with the apps of test/sdk/apps, from where they find their SDKs; removed when the test ends. */
export function sdkApps(t: Pick<TestContext, "after">): string {
  const folder = mkdtempSync(join(INSTALLED, "apps-"));
  t.after(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 }));
  cpSync(SOURCES, folder, { recursive: true });
  return folder;
}

/** The version of an SDK, as the lock file pins it. */
export function sdkVersion(name: string): string {
  const { packages } = JSON.parse(readFileSync(LOCK, "utf8")) as { packages: Record<string, { version?: string }> };
  return packages[`node_modules/${name}`]?.version ?? "unknown";
}
