import assert from "node:assert/strict";
import test from "node:test";
import { createLineSplitter } from "../../../grader/read/lines.ts";

function split(chunks: readonly (string | Buffer)[], maxBytes = 100): { lines: string[]; rest: string } {
  const lines: string[] = [];
  const splitter = createLineSplitter(maxBytes, {
    line: (bytes, start, end) => lines.push(bytes.toString("utf8", start, end)),
    tooLong: () => lines.push("<too long>"),
  });
  for (const chunk of chunks) splitter.push(Buffer.from(chunk as string));
  const rest = splitter.end();
  return { lines, rest: rest.kind === "bytes" ? rest.bytes.toString("utf8") : `<${rest.kind}>` };
}

test("only LF ends a line; a CR stays with it", () => {
  assert.deepEqual(split(["a\r\nb\rc\n\nd\u2028e\n"]), {
    lines: ["a\r", "b\rc", "", "d\u2028e"],
    rest: "<none>",
  });
});

test("a last line without newline is the rest", () => {
  assert.deepEqual(split(["a\nb"]), { lines: ["a"], rest: "b" });
});

test("lines and characters across chunks are put together", () => {
  const bytes = Buffer.from("na\u00efve-\u{1f600}\nb\n");
  assert.deepEqual(split([...bytes].map((byte) => Buffer.from([byte]))).lines, ["na\u00efve-\u{1f600}", "b"]);
});

test("a byte order mark is skipped at the start of the file only", () => {
  assert.deepEqual(split(["\ufeffa\n\ufeffb\n"]).lines, ["a", "\ufeffb"]);
  assert.deepEqual(split(["\ufeffonly"]).rest, "only");
  assert.deepEqual(split(["\ufeff"]).rest, "");
});

test("the limit counts the line's own bytes, neither mark nor line end", () => {
  const long = "x".repeat(100);
  assert.deepEqual(split([`\ufeff${long}\r\n${long}x\nz\n`]).lines, [`${long}\r`, "<too long>", "z"]);
});

test("a line over the limit is dropped while it arrives and reported once", () => {
  assert.deepEqual(split(["x".repeat(90), "x".repeat(90), "x".repeat(90), "\nok\n"]).lines, ["<too long>", "ok"]);
  assert.deepEqual(split(["x".repeat(500)]).rest, "<too long>");
});
