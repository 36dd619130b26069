import assert from "node:assert/strict";
import test from "node:test";
import { createNumbering } from "../../../../proxy/log/numbering.ts";

test("the digits are those of the number, one after the other and after any jump", () => {
  const digitsOf = createNumbering();
  for (let number = 0; number < 3_500; number++) assert.equal(digitsOf(number), String(number));
  for (let power = 1; power <= Number.MAX_SAFE_INTEGER; power *= 10) {
    for (const number of [power - 1, power, power + 1, power * 2 - 7].filter((one) => one >= 0)) {
      assert.equal(digitsOf(number), String(number));
    }
  }
  for (const number of [1_000, 999, 1_000, 0, 12_000, 1_000, Number.MAX_SAFE_INTEGER]) {
    assert.equal(digitsOf(number), String(number));
  }
});
