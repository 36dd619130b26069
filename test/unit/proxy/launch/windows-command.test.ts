import assert from "node:assert/strict";
import test from "node:test";
import { batchFileCommand, programExtensions, quoteArgument } from "../../../../proxy/launch/windows-command.ts";

// Expected values: the rules of "Parsing C command-line arguments" (Microsoft), worked out by hand.
const QUOTED: readonly (readonly [given: string, quoted: string])[] = [
  ["", '""'],
  ["a b", '"a b"'],
  ['say "hi"', '"say \\"hi\\""'],
  ["ends\\", '"ends\\\\"'],
  ['a\\"b', '"a\\\\\\"b"'],
  ["C:\\x\\y", '"C:\\x\\y"'],
];

for (const [given, quoted] of QUOTED) {
  test(`the C runtime reads ${quoted} back as ${JSON.stringify(given)}`, () =>
    assert.equal(quoteArgument(given), quoted));
}

test("a batch file gets its arguments through cmd.exe, whose characters are escaped twice", () => {
  const { file, args, verbatim } = batchFileCommand("C:\\a b\\x.cmd", ["1&2", "50%"], { ComSpec: "C:\\cmd.exe" });
  assert.equal(file, "C:\\cmd.exe");
  assert.equal(verbatim, true);
  assert.deepEqual(args.slice(0, 3), ["/d", "/s", "/c"]);
  assert.equal(args[3], '"C:\\a^ b\\x.cmd ^^^"1^^^&2^^^" ^^^"50^^^%^^^""');
});

test("a name without a known ending is tried with those of PATHEXT first", () => {
  assert.deepEqual(programExtensions("npm", { PATHEXT: ".EXE;.CMD" }), [".EXE", ".CMD", ""]);
  assert.deepEqual(programExtensions("npm.cmd", { PATHEXT: ".EXE;.CMD" }), ["", ".EXE", ".CMD"]);
  assert.deepEqual(programExtensions("v1.2", {}), [".COM", ".EXE", ".BAT", ".CMD", ""]);
});
