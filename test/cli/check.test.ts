import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { waymark } from "../support/processes.ts";
import { scratchFolder } from "../support/scratch.ts";

const OPENED = '{"name":"cart_opened","data":{"version":"1.10"}}\n';
const PLACED = '{"name":"order_placed"}\n';

function scenario(version: string, extra = ""): string {
  return `waymark: 1
scenario: cart
markers:
  - name: Opened # the first step
    event: cart_opened
    where: { data.version: ${version} }
  - { name: Placed, event: order_placed }
${extra}`;
}

test("check --fix quotes what reads as another number, keeps comments, and then finds nothing", async (t) => {
  const cwd = scratchFolder(t);
  const file = join(cwd, "cart.yaml");
  writeFileSync(file, scenario("1.10"));
  const refused = await waymark(["check", "cart.yaml"], { cwd });
  assert.equal(refused.code, 2);
  assert.match(refused.stdout, /cart\.yaml:6:28: error WM_SCENARIO_YAML_TRAP/);
  const mended = await waymark(["check", "cart.yaml", "--fix"], { cwd });
  assert.equal(mended.code, 0, mended.stdout + mended.stderr);
  assert.equal(readFileSync(file, "utf8"), scenario('"1.10"'));
});

test("check grades a scenario's own examples and names the one that is wrong", async (t) => {
  const cwd = scratchFolder(t);
  writeFileSync(join(cwd, "whole.ndjson"), OPENED + PLACED);
  writeFileSync(join(cwd, "half.ndjson"), OPENED);
  const examples = (half: string) => `examples:
  - { capture: whole.ndjson, verdict: pass }
  - { capture: half.ndjson, verdict: ${half} }
`;
  writeFileSync(join(cwd, "cart.yaml"), scenario('"1.10"', examples("fail")));
  assert.equal((await waymark(["check", "cart.yaml"], { cwd })).code, 0);
  writeFileSync(join(cwd, "cart.yaml"), scenario('"1.10"', examples("pass")));
  const { code, stdout } = await waymark(["check", "cart.yaml"], { cwd });
  assert.equal(code, 2);
  assert.match(
    stdout,
    /WM_SCENARIO_EXAMPLE[\s\S]*"half\.ndjson" should be pass, but is fail: 'Placed' never reached after 'Opened'/,
  );
});

test("check --sample names fields and triggers that real events never have", async (t) => {
  const cwd = scratchFolder(t);
  writeFileSync(join(cwd, "sample.ndjson"), OPENED + PLACED);
  const rules = `rules:
  - { name: No spam, after: { event: mail_opened }, never: { event: mail_sent } }
`;
  writeFileSync(join(cwd, "cart.yaml"), scenario('"1.10"', rules).replace("data.version", "data.verison"));
  const { code, stdout } = await waymark(["check", "cart.yaml", "--sample", "sample.ndjson"], { cwd });
  assert.equal(code, 0, "warnings alone are no error");
  assert.match(stdout, /"data\.verison" — did you mean "data\.version"\?/);
  assert.match(stdout, /no event of the sample triggers the rule "No spam"/);
  assert.equal((await waymark(["check", "cart.yaml", "--sample", "sample.ndjson", "--strict"], { cwd })).code, 1);
});

test("check --reporter sarif is one SARIF 2.1.0 log with the place of each finding", async (t) => {
  const cwd = scratchFolder(t);
  writeFileSync(join(cwd, "cart.yaml"), scenario("1.10"));
  const { stdout } = await waymark(["check", "cart.yaml", "--reporter", "sarif"], { cwd });
  const log = JSON.parse(stdout) as {
    version: string;
    runs: { results: { ruleId: string; level: string; locations: { physicalLocation: { region: object } }[] }[] }[];
  };
  assert.equal(log.version, "2.1.0");
  const [result] = log.runs[0]?.results ?? [];
  assert.equal(result?.ruleId, "WM_SCENARIO_YAML_TRAP");
  assert.equal(result?.level, "error");
  assert.deepEqual(result?.locations[0]?.physicalLocation.region, { startLine: 6, startColumn: 28, endColumn: 32 });
});
