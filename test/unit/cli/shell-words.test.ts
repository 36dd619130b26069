import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import test from "node:test";
import { shellWords } from "../../../cli/shell-words.ts";

const TEXTS = [
  "node agent.js --fast",
  "  node   agent.js\t--x ",
  "node 'a b' \"c d\" e\\ f",
  `'it'"'"'s' "say \\"hi\\"" 'a\\b' "a\\b" "a\\\\b"`,
  "a'b'\"c\"d '' \"\" e",
  "--json='{\"a\": [1, 2]}' 007 1e3 -n 5 --",
  "*.js ?x [ab] {a,b} # %d",
  "größe 日本 🎂",
  "a\\\nb 'x\ny' \"p\\\nq\"",
  "",
];

test("words are those of a POSIX shell", { skip: process.platform === "win32" ? "no POSIX shell" : false }, () => {
  for (const text of TEXTS) {
    // Without file names to match and as arguments of a function, the shell gives its own words back.
    const script = `set -f\nshow() { for word; do printf '%s\\0' "$word"; done; }\nshow ${text.replace("#", "\\#")}`;
    const said = spawnSync("/bin/sh", ["-c", script], { encoding: "utf8" });
    const split = shellWords(text);
    assert.ok(split.ok, text);
    assert.deepEqual(split.words, said.stdout.split("\0").slice(0, -1), text);
  }
});

test("what only a shell could do is refused, in single quotes it is a text", () => {
  for (const text of ["a | b", "a; b", "a && b", "a > f", "echo $HOME", 'echo "$HOME"', "`id`", "(a)", "$(id)"]) {
    const split = shellWords(text);
    assert.ok(!split.ok && /needs a shell/.test(split.why), text);
    assert.ok(shellWords(`'${text}'`).ok, text);
  }
  for (const [text, why] of [
    ["'open", /never closed/],
    ['"open', /never closed/],
    ["end\\", /backslash/],
  ] as const) {
    const split = shellWords(text);
    assert.ok(!split.ok && why.test(split.why), text);
  }
});
