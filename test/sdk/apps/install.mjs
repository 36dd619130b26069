// Installs the SDKs that the apps beside it use into `.sdk-apps/`, from the lock file here. Where the registry cannot be
// reached it says so and ends well: the tests that need them are skipped.
import { spawnSync } from "node:child_process";
import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const folder = join(here, "..", "..", "..", ".sdk-apps");
const installed = join(folder, "installed");
const lock = readFileSync(join(here, "package-lock.json"), "utf8");
const UNREACHABLE =
  /\b(?:ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENETUNREACH|EHOSTUNREACH|ERR_SOCKET_TIMEOUT|ENOTCACHED)\b/;

function install() {
  process.stderr.write("waymark: installing the SDKs for test/sdk (once, about a minute)\n");
  mkdirSync(folder, { recursive: true });
  rmSync(installed, { force: true });
  for (const file of ["package.json", "package-lock.json"]) copyFileSync(join(here, file), join(folder, file));
  const words = ["ci", "--ignore-scripts", "--no-audit", "--no-fund", "--prefer-offline", "--fetch-retries=1"];
  const done = spawnSync("npm", words, { cwd: folder, encoding: "utf8", shell: process.platform === "win32" });
  if (done.status === 0) writeFileSync(installed, lock);
  else if (UNREACHABLE.test(done.stderr))
    process.stderr.write("waymark: the registry cannot be reached, so tests of SDKs are skipped\n");
  else {
    process.stderr.write(done.stderr);
    process.exitCode = 1;
  }
}

if (!existsSync(installed) || readFileSync(installed, "utf8") !== lock) install();
