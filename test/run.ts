import { spawn } from "node:child_process";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

// `node --test` takes folders on Node 20 and globs on 22, and neither takes both, so the files are listed here.
const here = fileURLToPath(new URL(".", import.meta.url));
const everyday = ["rooms", "unit", "contract", "golden", "property", "cases", "cli"];
const [only = "", ...names] = process.argv.slice(2);
const suites = only === "" ? everyday : only === "--" ? everyday : only.split(",");
const wanted = names.filter((name) => !name.startsWith("-"));

function testFiles(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".test.js"))
    .map((file) => join(folder, file))
    .sort();
}

function exists(folder: string): boolean {
  return readdirSync(here).includes(folder);
}

const files = suites
  .filter(exists)
  .flatMap((suite) => testFiles(join(here, suite)))
  .filter((file) => wanted.length === 0 || wanted.some((name) => file.includes(name)));
if (files.length === 0) {
  process.stderr.write(`no test files in ${suites.join(", ")}\n`);
  process.exit(1);
}
const reporter = process.env["WAYMARK_TEST_REPORTER"] ?? "spec";
const args = ["--test", `--test-reporter=${reporter}`, "--test-concurrency=2", ...files];
spawn(process.execPath, args, { stdio: "inherit" }).on("exit", (code) => process.exit(code ?? 1));
