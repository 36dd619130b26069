import assert from "node:assert/strict";
import test from "node:test";
import { fault, renderFault, WaymarkError, waymarkError } from "../../../proxy/record/fault.ts";

const text = "markers:\n  - name: a\n    regx: ^cart\n";

test("a fault shows place, code, message, the line with carets, and the fix", () => {
  const place = { file: "markers/checkout.yaml", line: 3, column: 5, length: 4 };
  const shown = renderFault(
    fault("WM_SCENARIO_UNKNOWN_KEY", 'unknown key "regx"', { place, text, fix: 'use "where"' }),
  );
  assert.equal(
    shown,
    [
      "markers/checkout.yaml:3:5: error WM_SCENARIO_UNKNOWN_KEY",
      '  unknown key "regx"',
      "  3 |     regx: ^cart",
      "    |     ^^^^",
      '  fix: use "where"',
    ].join("\n"),
  );
});

test("control characters of a file never reach the terminal", () => {
  const place = { file: "a.yaml", line: 1, column: 1 };
  const shown = renderFault(fault("WM_SCENARIO_YAML", "bad", { place, text: "\u001b[31mred" }));
  assert.ok(!shown.includes("\u001b"));
});

test("carets stay under the place in a very long line", () => {
  const place = { file: "a.yaml", line: 1, column: 5001, length: 3 };
  const [, , line = "", carets = ""] = renderFault(
    fault("WM_SCENARIO_YAML", "bad", { place, text: `${"x".repeat(5000)}abc${"y".repeat(5000)}` }),
  ).split("\n");
  assert.equal(line.slice(carets.indexOf("^"), carets.lastIndexOf("^") + 1), "abc");
});

test("several faults are one error whose exit code is that of its first error", () => {
  const error = new WaymarkError([
    fault("WM_SCENARIO_LINT", "odd", { severity: "warning" }),
    fault("WM_SCENARIO_NOT_FOUND", "none"),
  ]);
  assert.equal(error.exitCode, 4);
  assert.match(error.message, /odd[\s\S]*none/);
});

test("the first cause is kept", () => {
  const cause = new Error("EACCES");
  assert.equal(waymarkError("WM_LOG_UNREADABLE", "no", { cause }).cause, cause);
});

test("a message that quotes hostile text shows it as text, and not without end", () => {
  const shown = renderFault(fault("WM_USAGE", `no "\u001b[31m\u202e\0" and ${"x".repeat(100_000)}`));
  assert.ok(!/[\p{Cc}\p{Cf}]/u.test(shown.replaceAll("\n", "")));
  assert.ok(shown.length < 3000);
});
