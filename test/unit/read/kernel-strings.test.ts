import assert from "node:assert/strict";
import test from "node:test";
import { createLineKernel, EVENT, FIELD, RECORD } from "../../../grader/read/line-kernel.ts";

/** What stands in the way at some place of a string; JSON allows the first six of them there. */
const ODDITIES = [
  '\\"',
  "\\\\",
  "\\u0041",
  "é",
  "\u007f",
  "\u0080",
  '"',
  "\\x",
  "\\",
  "\u001f",
  "\u0000",
  "\t",
  "\\u00",
];

/** Strings of every length around the 16 and 32 bytes that are looked at together, as values and as keys. */
function* lines(): Generator<string> {
  for (let length = 0; length <= 70; length++) {
    const text = "abcdefgh ".repeat(8).slice(0, length);
    yield `{"${text}":"${text}"}`;
    for (const odd of ODDITIES) {
      for (const at of new Set([0, 1, 14, 15, 16, 17, 30, 31, 32, 33, length - 1, length])) {
        if (at < 0 || at > length) continue;
        const string = text.slice(0, at) + odd + text.slice(at);
        yield `{"a":{"b":"${string}","c":[],"d":"${text}"}}`;
        yield `{"a":{"${string}":1,"${text}x":{}},"b":"${text}"}`;
        yield `{"a":"${string}"}`;
      }
    }
  }
}

function isObject(line: string): boolean {
  try {
    JSON.parse(line);
    return true;
  } catch {
    return false;
  }
}

test("strings of every length, with whatever in them, are told from faulty ones as JSON.parse tells them", () => {
  const kernel = createLineKernel({ name: "name", time: "time" }, 1 << 16);
  assert.ok(kernel !== undefined);
  const block = kernel.blocks[0];
  const all = [...lines()];
  let valid = 0;
  for (let from = 0; from < all.length; from += 200) {
    const batch = all.slice(from, from + 200);
    const end = block.byteOffset + block.write(`${batch.join("\n")}\n`);
    assert.equal(kernel.scan(block.byteOffset, end), batch.length);
    batch.forEach((line, index) => {
      const isEvent = kernel.records[RECORD * index + FIELD.kind] === EVENT;
      assert.equal(isEvent, isObject(line), line);
      if (isEvent) valid += 1;
    });
  }
  assert.ok(valid > 5000 && valid < all.length - 5000, `${valid} of ${all.length}`);
});
