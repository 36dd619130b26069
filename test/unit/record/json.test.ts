import assert from "node:assert/strict";
import test from "node:test";
import fc from "fast-check";
import { parseJson, stringifyJson } from "../../../proxy/record/json.ts";

test("integers beyond 2^53 keep their digits there and back", () => {
  const text = '{"id":50000000014435121,"neg":-9007199254740993,"safe":9007199254740991,"list":[12345678901234567890]}';
  const value = parseJson(text) as Record<string, unknown>;
  assert.equal(value["id"], 50000000014435121n);
  assert.equal(value["safe"], 9007199254740991);
  assert.equal(stringifyJson(parseJson(text)), text);
});

test("long fractions and exponents stay numbers", () => {
  assert.deepEqual(parseJson('{"a":0.1234567890123456,"b":1234567890123456e3}'), {
    a: Number("0.1234567890123456"),
    b: Number("1234567890123456e3"),
  });
});

test("of a repeated key the last value counts, with long numbers as without", () => {
  assert.deepEqual(parseJson('{"a":1,"a":2}'), { a: 2 });
  assert.deepEqual(parseJson('{"a":12345678901234567,"a":2}'), { a: 2 });
});

test("a key named __proto__ is an ordinary key", () => {
  for (const text of ['{"__proto__":{"x":1}}', '{"__proto__":{"x":12345678901234567890}}']) {
    const value = parseJson(text) as object;
    assert.equal(Object.getPrototypeOf(value), Object.prototype);
    assert.deepEqual(Object.keys(value), ["__proto__"]);
  }
});

test("what is not exactly one JSON value throws SyntaxError", () => {
  for (const text of ["", "{", '{"a":2}TRAILER', "{'a':1}", "NaN", '{"a":12345678901234567890}x']) {
    assert.throws(() => parseJson(text), SyntaxError, text);
  }
});

test("any JSON survives a round trip", () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const text = JSON.stringify(value);
      assert.equal(stringifyJson(parseJson(text)), JSON.stringify(JSON.parse(text)));
    }),
  );
});

test("only a number that a double cannot hold becomes a bigint, wherever sixteen digits stand", () => {
  assert.deepEqual(
    parseJson('{"a":9007199254740991,"b":"9007199254740993","c":0.1234567890123456,"d":"x, 9007199254740993"}'),
    {
      a: 9007199254740991,
      b: "9007199254740993",
      c: 0.1234567890123456,
      d: "x, 9007199254740993",
    },
  );
  assert.deepEqual(parseJson("[-9007199254740993,12345678901234567890,1e300]"), [
    -9007199254740993n,
    12345678901234567890n,
    1e300,
  ]);
});
