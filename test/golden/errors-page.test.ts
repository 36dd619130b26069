import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { CATALOGUE, type FaultCode } from "../../proxy/record/fault.ts";
import { golden } from "../support/golden.ts";
import { PROJECT } from "../support/project.ts";

const AREAS: Readonly<Record<string, string>> = {
  USAGE: "Command line",
  CONFIG: "The configuration",
  SCENARIO: "Scenario files",
  LOG: "Logs",
  STORE: "The database",
  RUN: "Runs",
  COMPARE: "Comparisons",
  FORMAT: "Formats of your own",
  LEARN: "Learning",
  PROXY: "The proxy",
  CERTS: "The certificate authority",
  OPEN: "Opening apps",
  SERVE: "The evaluator server",
  OUTPUT: "Output",
  DEMO: "The demo",
  BUG: "Bugs",
};

function errorsPage(): string {
  const sections = Object.entries(AREAS).map(([area, title]) => {
    const codes = (Object.keys(CATALOGUE) as FaultCode[]).filter((code) => code.split("_")[1] === area);
    return `## ${title}\n\n${codes.map(entry).join("\n\n")}`;
  });
  const intro =
    "# Errors\n\nEvery code waymark can raise, what it means and what to do. `waymark help CODE` prints the same.\nThis page is made from `proxy/record/fault.ts`; `UPDATE_GOLDEN=1 npm test` writes it anew.";
  return `${intro}\n\n${sections.join("\n\n")}\n`;
}

function entry(code: FaultCode): string {
  const { what, fix, exit } = CATALOGUE[code];
  return `### ${code}\n\n${what} Exit code ${exit}.\n\nWhat to do: ${fix}`;
}

test("docs/errors.md says of every code what it means and what to do", () => {
  golden(join(PROJECT, "docs", "errors.md"), errorsPage());
});

test("every code belongs to an area with a heading", () => {
  const strays = Object.keys(CATALOGUE).filter((code) => AREAS[code.split("_")[1] ?? ""] === undefined);
  assert.deepEqual(strays, []);
});

test("every code is raised by at least one test", () => {
  const tests = readdirSync(join(PROJECT, "test"), { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".ts") && !file.endsWith("errors-page.test.ts"))
    .map((file) => readFileSync(join(PROJECT, "test", file), "utf8"))
    .join("\n");
  const untested = Object.keys(CATALOGUE).filter((code) => !new RegExp(`\\b${code}\\b`).test(tests));
  assert.deepEqual(untested, []);
});
