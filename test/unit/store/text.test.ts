import assert from "node:assert/strict";
import test from "node:test";
import Database from "better-sqlite3";
import fc from "fast-check";
import { decodeText, encodeText } from "../../../grader/store/text.ts";

test("ordinary text, Windows paths among it, is stored as it is", () => {
  for (const text of ["", "na\u00efve \u{1f600}", "C:\\users\\x", "a\\b", "\\u12", "\ufffd"])
    assert.equal(encodeText(text), text);
});

test("NUL, lone surrogates and what looks like their escapes are escaped", () => {
  assert.equal(encodeText("x\0y"), "x\\u0000y");
  assert.equal(encodeText("s\ud800"), "s\\ud800");
  assert.equal(encodeText("\udc00s"), "\\udc00s");
  assert.equal(encodeText("x\\u0000y"), "x\\u005cu0000y");
});

test("every text comes back from SQLite as it went in", () => {
  const db = new Database(":memory:");
  const select = db.prepare("SELECT ? AS text");
  const unit = fc.constantFrom("\\", "u", "0", "d", "8", "\0", "\ud800", "\udc00", "\ufffd", "a", "5", "c");
  const texts = fc.oneof(
    fc.string({ unit: "binary" }),
    fc.array(unit).map((units) => units.join("")),
  );
  fc.assert(
    fc.property(texts, (text) => {
      const row = select.get(encodeText(text)) as { text: string };
      assert.equal(decodeText(row.text), text);
    }),
    { numRuns: 2000 },
  );
});
