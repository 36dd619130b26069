import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { waymark } from "../support/processes.ts";
import { schemaProblems } from "../support/schemas.ts";
import { scratchFolder } from "../support/scratch.ts";

const SHOP = `waymark: 1
scenario: shop
events: { session: $capture.session }
markers:
  - { name: Cart, event: cart_opened }
  - { name: Paid, event: paid, where: { data.total|gte: 1 }, within: 5s }
rules:
  - { name: No crash, never: { event: crash } }
`;

function line(name: string, second: number, data = {}): string {
  const at = `2026-01-01T00:00:0${second}.000Z`;
  return `${JSON.stringify({ name, time: at, data, $capture: { seq: second + 1, at, session: "A" } })}\n`;
}

const GOOD = line("cart_opened", 0) + line("scroll", 1) + line("paid", 3, { total: 7 }) + line("receipt", 4);

test("mutate reports shares, names the useless marker and exits by it; --json says the same", async (t) => {
  const cwd = scratchFolder(t);
  writeFileSync(join(cwd, "good.ndjson"), GOOD);
  writeFileSync(join(cwd, "shop.yaml"), SHOP);
  const good = await waymark(["mutate", "-s", "shop.yaml", "--runs", "good.ndjson"], { cwd });
  assert.equal(good.code, 0, good.stdout + good.stderr);
  assert.match(good.stdout, /planted defects caught {2}100\.0 %/);
  assert.match(good.stdout, /false alarms {12}0 /);
  writeFileSync(
    join(cwd, "useless.yaml"),
    SHOP.replace("  - { name: Paid", "  - { name: Anything, where: {} }\n  - { name: Paid"),
  );
  const useless = await waymark(["mutate", "-s", "useless.yaml", "good.ndjson"], { cwd });
  assert.equal(useless.code, 1, useless.stdout + useless.stderr);
  assert.match(useless.stdout, /✗ marker 'Anything' cannot fail: another event also satisfies it/);
  assert.doesNotMatch(useless.stdout, /'(Cart|Paid|No crash)' cannot fail/);
  const json = await waymark(["mutate", "-s", "useless.yaml", "good.ndjson", "--json"], { cwd });
  assert.equal(json.code, 1);
  assert.deepEqual(schemaProblems("mutate", json.stdout), []);
  const [scenario] = JSON.parse(json.stdout).scenarios;
  assert.equal(scenario.falseAlarms, 0);
  assert.equal(scenario.met, false);
  const named = scenario.items.filter(({ status }: { status: string }) => status === "cannot_fail");
  assert.deepEqual(
    named.map(({ target }: { target: unknown }) => target),
    [{ kind: "marker", name: "Anything" }],
  );
});

test("mutate without a run makes one up and says so; a run that fails is WM_LEARN_NO_PASSING_RUN", async (t) => {
  const cwd = scratchFolder(t);
  writeFileSync(join(cwd, "shop.yaml"), SHOP);
  writeFileSync(join(cwd, "bad.ndjson"), line("cart_opened", 0));
  const made = await waymark(["mutate", "-s", "shop.yaml"], { cwd });
  assert.equal(made.code, 0, made.stdout + made.stderr);
  assert.match(made.stdout, /made up from the markers/);
  const bad = await waymark(["mutate", "-s", "shop.yaml", "bad.ndjson"], { cwd });
  assert.equal(bad.code, 4);
  assert.match(bad.stderr, /left out, it does not pass: .*'Paid' never reached/);
  assert.match(bad.stderr, /WM_LEARN_NO_PASSING_RUN/);
  const wrong = await waymark(["mutate", "-s", "shop.yaml", "--min-score", "lots"], { cwd });
  assert.equal(wrong.code, 2);
  assert.match(wrong.stderr, /--min-score got "lots"/);
});

const EXAMPLES: readonly (readonly [mutation: string, verdict: string])[] = [
  ["drop: Cart", "fail"],
  ["swap: Cart, Paid", "fail"],
  ["duplicate: Paid", "pass"],
  ["delay: Paid", "fail"],
  ["delay: Paid to limit", "pass"],
  ["delay: Paid by 1s", "pass"],
  ["change: Paid data.total", "fail"],
  ["remove: Paid data.total", "fail"],
  ["forbid: No crash", "fail"],
  ["cut: Paid", "fail"],
  ["move: Paid", "fail"],
  ["unrelated", "pass"],
  ["jitter", "pass"],
  ["shift", "pass"],
  ["session", "pass"],
];

test("check makes the mutations of a scenario's examples and says which does not get its verdict", async (t) => {
  const cwd = scratchFolder(t);
  writeFileSync(join(cwd, "good.ndjson"), GOOD);
  const withExamples = (list: typeof EXAMPLES): string =>
    `${SHOP}examples:\n${list.map(([mutate, verdict]) => `  - { capture: good.ndjson, mutate: "${mutate}", verdict: ${verdict} }\n`).join("")}`;
  writeFileSync(join(cwd, "shop.yaml"), withExamples(EXAMPLES));
  const right = await waymark(["check", "shop.yaml"], { cwd });
  assert.equal(right.code, 0, right.stdout + right.stderr);
  assert.doesNotMatch(right.stdout, /warning/);
  writeFileSync(
    join(cwd, "shop.yaml"),
    withExamples(EXAMPLES.map(([mutate, verdict]) => [mutate, verdict === "pass" ? "fail" : "pass"])),
  );
  const wrong = await waymark(["check", "shop.yaml"], { cwd });
  assert.equal(wrong.code, 2);
  assert.equal(wrong.stdout.match(/error WM_SCENARIO_EXAMPLE/g)?.length, EXAMPLES.length);
  assert.match(wrong.stdout, /with "drop: Cart" should be pass, but is fail: 'Cart' never reached/);
});

test("check says of a mutation that cannot be made what there is", async (t) => {
  const cwd = scratchFolder(t);
  writeFileSync(join(cwd, "good.ndjson"), GOOD);
  const odd = ["drop: Crat", "mend: Cart", "delay: Cart", "change: Paid data.sum", "forbid: Cart", "drop"];
  const list = odd.map((mutate) => `  - { capture: good.ndjson, mutate: "${mutate}", verdict: fail }\n`).join("");
  writeFileSync(
    join(cwd, "shop.yaml"),
    `${SHOP}examples:\n${list}  - { capture: gone.ndjson, mutate: "drop: Cart", verdict: fail }\n`,
  );
  const { code, stdout } = await waymark(["check", "shop.yaml"], { cwd });
  assert.equal(code, 2);
  for (const said of [
    /no marker is named "Crat"; there is Cart, Paid/,
    /begins with no mutation; there is drop, swap/,
    /"Cart" has no limit; write how long/,
    /"Paid" tests no field "data\.sum"; it has .*data\.total/,
    /"Cart" forbids nothing; there is No crash/,
    /gone\.ndjson/,
  ])
    assert.match(stdout, said);
});
