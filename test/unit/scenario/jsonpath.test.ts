import assert from "node:assert/strict";
import test from "node:test";
import type { JsonValue } from "../../../proxy/record/json.ts";
import { evaluateQuery } from "../../../proxy/record/json-path/evaluate.ts";
import { parseJsonPath } from "../../../proxy/record/json-path/reader.ts";

const STORE: JsonValue = {
  store: {
    book: [
      { category: "reference", author: "Nigel Rees", title: "Sayings of the Century", price: 8.95 },
      { category: "fiction", author: "Evelyn Waugh", title: "Sword of Honour", price: 12.99 },
      { category: "fiction", author: "Herman Melville", title: "Moby Dick", isbn: "0-553-21311-3", price: 8.99 },
      {
        category: "fiction",
        author: "J. R. R. Tolkien",
        title: "The Lord of the Rings",
        isbn: "0-395-19395-8",
        price: 22.99,
      },
    ],
    bicycle: { color: "red", price: 399 },
  },
};
const COMPARED: JsonValue = { obj: { x: "y" }, arr: [2, 3] };
const FILTERED: JsonValue = {
  a: [3, 5, 1, 2, 4, 6, { b: "j" }, { b: "k" }, { b: {} }, { b: "kilo" }],
  o: { p: 1, q: 2, r: 3, s: 5, t: { u: 6 } },
  e: "f",
};
const LETTERS: JsonValue = ["a", "b", "c", "d", "e", "f", "g"];

/** The example tables of RFC 9535. */
const TABLES: readonly (readonly [query: string, root: JsonValue, found: readonly JsonValue[]])[] = [
  // figure 1 and table 2
  ["$.store.book[*].author", STORE, ["Nigel Rees", "Evelyn Waugh", "Herman Melville", "J. R. R. Tolkien"]],
  ["$.store..price", STORE, [8.95, 12.99, 8.99, 22.99, 399]],
  ["$..book[2].author", STORE, ["Herman Melville"]],
  ["$..book[2].publisher", STORE, []],
  ["$..book[-1].title", STORE, ["The Lord of the Rings"]],
  ["$..book[0,1].title", STORE, ["Sayings of the Century", "Sword of Honour"]],
  ["$..book[:2].title", STORE, ["Sayings of the Century", "Sword of Honour"]],
  ["$..book[?@.isbn].title", STORE, ["Moby Dick", "The Lord of the Rings"]],
  ["$..book[?@.price<10].title", STORE, ["Sayings of the Century", "Moby Dick"]],
  // table 9, slices
  ["$[1:3]", LETTERS, ["b", "c"]],
  ["$[5:]", LETTERS, ["f", "g"]],
  ["$[1:5:2]", LETTERS, ["b", "d"]],
  ["$[5:1:-2]", LETTERS, ["f", "d"]],
  ["$[::-1]", LETTERS, ["g", "f", "e", "d", "c", "b", "a"]],
  // table 12, filters
  ["$.a[?@.b == 'kilo']", FILTERED, [{ b: "kilo" }]],
  ["$.a[?(@.b == 'kilo')]", FILTERED, [{ b: "kilo" }]],
  ["$.a[?@>3.5]", FILTERED, [5, 4, 6]],
  ["$.a[?@.b]", FILTERED, [{ b: "j" }, { b: "k" }, { b: {} }, { b: "kilo" }]],
  ["$[?@.*]", FILTERED, [(FILTERED as { a: JsonValue }).a, (FILTERED as { o: JsonValue }).o]],
  ["$.o[?@<3, ?@<3]", FILTERED, [1, 2, 1, 2]],
  ['$.a[?@<2 || @.b == "k"]', FILTERED, [1, { b: "k" }]],
  ['$.a[?match(@.b, "[jk]")]', FILTERED, [{ b: "j" }, { b: "k" }]],
  ['$.a[?search(@.b, "[jk]")]', FILTERED, [{ b: "j" }, { b: "k" }, { b: "kilo" }]],
  ["$.o[?@>1 && @<4]", FILTERED, [2, 3]],
  ["$.o[?@.u || @.x]", FILTERED, [{ u: 6 }]],
  ["$.a[?@.b == $.x]", FILTERED, [3, 5, 1, 2, 4, 6]],
  ["$.a[?@ == @]", FILTERED, (FILTERED as { a: readonly JsonValue[] }).a],
];

for (const [query, root, found] of TABLES) {
  test(`RFC 9535: ${query}`, () => {
    const parsed = parseJsonPath(query);
    assert.ok(parsed.ok, query);
    assert.deepEqual(evaluateQuery(parsed.query, root), found);
  });
}

/** Table 11: whether the comparison holds for `{"obj": {"x": "y"}, "arr": [2, 3]}`. */
const COMPARISONS: readonly (readonly [comparison: string, holds: boolean])[] = [
  ["$.absent1 == $.absent2", true],
  ["$.absent1 <= $.absent2", true],
  ["$.absent == 'g'", false],
  ["$.absent1 != $.absent2", false],
  ["$.absent != 'g'", true],
  ["1 <= 2", true],
  ["1 > 2", false],
  ["13 == '13'", false],
  ["'a' <= 'b'", true],
  ["'a' > 'b'", false],
  ["$.obj == $.arr", false],
  ["$.obj != $.arr", true],
  ["$.obj == $.obj", true],
  ["$.obj != $.obj", false],
  ["$.arr == $.arr", true],
  ["$.obj == 17", false],
  ["$.obj != 17", true],
  ["$.obj <= $.arr", false],
  ["$.obj < $.arr", false],
  ["$.obj <= $.obj", true],
  ["1 <= $.arr", false],
  ["1 >= $.arr", false],
  ["true <= true", true],
  ["true > true", false],
];

for (const [comparison, holds] of COMPARISONS) {
  test(`RFC 9535, table 11: ${comparison} is ${holds}`, () => {
    const parsed = parseJsonPath(`$[?${comparison}]`);
    assert.ok(parsed.ok, comparison);
    assert.equal(evaluateQuery(parsed.query, COMPARED).length > 0, holds);
  });
}

for (const bad of [
  "$[?(@.a",
  "$.a[01]",
  "$[-0]",
  "$.",
  "$..",
  "$[?@.* == 1]",
  "$[?@.a === 1]",
  "$[?length(@.*) > 1]",
  "$[?match(@.a, 'x') == true]",
  "$[?count(@.a)]",
  "$['\\x']",
  "$.a b",
  "$[(@.length-1)]",
  "$[?@.a =~ /x/]",
  "$.a.trim()",
]) {
  test(`no RFC 9535 query: ${bad}`, () => {
    assert.equal(parseJsonPath(bad).ok, false);
  });
}
