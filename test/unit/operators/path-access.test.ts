import assert from "node:assert/strict";
import test from "node:test";
import { compilePath } from "../../../grader/operators/path-access.ts";
import { parsePath } from "../../../grader/scenario/path.ts";
import { type JsonValue, parseJson } from "../../../proxy/record/json.ts";

function read(path: string, event: JsonValue): readonly JsonValue[] {
  const parsed = parsePath(path);
  assert.ok(parsed.ok, path);
  const access = compilePath(parsed.path);
  const all = access.all(event);
  assert.equal(access.get(event), all[0]);
  return all;
}

const CASES: readonly (readonly [path: string, event: JsonValue, found: readonly JsonValue[]])[] = [
  ["a.b", { a: { b: 1 } }, [1]],
  ["a.b", { a: { b: null } }, [null]],
  ["a.b", { a: null }, []],
  ["a.b", { "a.b": 1 }, [1]],
  ["a.b", { a: {}, "a.b": 1 }, [1]],
  ["a.b", { a: { b: 1 }, "a.b": 2 }, [1]],
  ["a.b.c", { a: { "b.c": 1 }, "a.b": { c: 2 }, "a.b.c": 3 }, [1]],
  ["a.b.c", { "a.b": { c: 2 }, "a.b.c": 3 }, [2]],
  ["a.b.c.d", { a: { b: { x: 1 }, "b.c": { d: 2 } } }, [2]],
  ["['a.b']", { a: { b: 1 } }, []],
  ["['a.b']", { "a.b": 2 }, [2]],
  ["a['b'].c", { a: { "b.c": 1 } }, []],
  ["items[0]", { items: [7, 8] }, [7]],
  ["items.0", { items: [7, 8] }, [7]],
  ["items.0", { items: { 0: 9 } }, [9]],
  ["items[0]", { items: { 0: 9 } }, []],
  ["items['0']", { items: [7] }, []],
  ["items[-1]", { items: [7, 8] }, [8]],
  ["items[-3]", { items: [7, 8] }, []],
  ["items[*].id", { items: [{ id: 1 }, {}, { id: null }, 5] }, [1, null]],
  ["items[*]", { items: { a: 1 } }, []],
  ["items[*][*]", { items: [[1, 2], 3, [4]] }, [1, 2, 4]],
  ["a.b[*]", { "a.b": [1] }, [1]],
  ["constructor", {}, []],
  ["a.constructor.name", { a: {} }, []],
  ["__proto__", {}, []],
  ["toString", { toString: 1 }, [1]],
  ["a.length", { a: [1] }, []],
  ["a.length", { a: "text" }, []],
  ["País", { País: 1 }, [1]],
  ["$odd", { $odd: 1 }, [1]],
  ["$capture.seq", { $capture: { seq: 3 } }, [3]],
  ["$.a.b", { "a.b": 1 }, []],
  ["$.a[-1]", { a: [1, 2] }, [2]],
  ["$..id", { a: [{ id: 1 }, { b: { id: 2 } }] }, [1, 2]],
  ["$.a[?@.p > 3].id", { a: [{ p: 4, id: 1 }, { p: 3, id: 2 }, null, "x"] }, [1]],
  ["$.a[?@.p]", { a: [{ p: false }, { q: 1 }] }, [{ p: false }]],
  ["$.a[1:]", { a: [1, 2, 3] }, [2, 3]],
  ["$['a','b']", { a: 1, b: 2 }, [1, 2]],
];

for (const [path, event, found] of CASES) {
  test(`${path} of ${JSON.stringify(event)} is ${JSON.stringify(found)}`, () => {
    assert.deepEqual(read(path, event), found);
  });
}

test("a key called __proto__ in the log is a key like any other", () => {
  assert.deepEqual(read("__proto__.x", parseJson('{"__proto__": {"x": 1}}')), [1]);
});

test("the lone word event is the event's name, unless quoted", () => {
  const name = parsePath("props.kind");
  const event = parsePath("event");
  const quoted = parsePath("['event']");
  assert.ok(name.ok && event.ok && quoted.ok);
  const value = { event: "field", props: { kind: "click" } };
  assert.equal(compilePath(event.path, name.path).get(value), "click");
  assert.equal(compilePath(quoted.path, name.path).get(value), "field");
});

test("an event nested deeper than the stack is walked all the same", () => {
  let deep: JsonValue = { id: 1 };
  for (let level = 0; level < 50_000; level++) deep = [deep];
  assert.deepEqual(read("$..id", { deep }), [1]);
});
