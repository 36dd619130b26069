import assert from "node:assert/strict";
import test from "node:test";
import fc from "fast-check";
import type { PathSegment } from "../../grader/scenario/ast.ts";
import { formatPath, parsePath, splitModifiers } from "../../grader/scenario/path.ts";
import { faultsOf } from "../support/scenario.ts";

const plainKey = fc.stringMatching(/^[A-Za-zÀ-ÿ0-9_$ -]{1,8}$/);
const segment: fc.Arbitrary<PathSegment> = fc.oneof(
  plainKey.map((key): PathSegment => ({ kind: "key", key, exact: false })),
  fc.string().map((key): PathSegment => ({ kind: "key", key, exact: true })),
  fc.integer({ min: -999, max: 999 }).map((index): PathSegment => ({ kind: "index", index: index + 0 })),
  fc.constant<PathSegment>({ kind: "each" }),
);

test("a path that was written is read back as the same segments", () => {
  fc.assert(
    fc.property(fc.array(segment, { minLength: 1, maxLength: 8 }), (segments) => {
      const text = formatPath(segments);
      fc.pre(!/^\$(?=[.[]|$)/.test(text));
      const parsed = parsePath(text);
      assert.ok(parsed.ok, text);
      assert.deepEqual(parsed.path.kind === "dotted" && parsed.path.segments, segments);
    }),
  );
});

test("any text is a path or says at which character it is none", () => {
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.stringMatching(/^[a.[\]'"*|\\0-]{0,12}$/)), (text) => {
      const parsed = parsePath(text);
      if (!parsed.ok) assert.ok(parsed.at >= 0 && parsed.at <= text.length && parsed.why !== "");
    }),
  );
});

test("splitting modifiers off loses nothing, and never splits inside a quoted bracket", () => {
  fc.assert(
    fc.property(fc.stringMatching(/^[a.|[\]'"\\]{0,14}$/), (key) => {
      const { path, modifiers } = splitModifiers(key);
      assert.equal([path, ...modifiers].join("|"), key);
    }),
  );
  fc.assert(
    fc.property(fc.string(), (name) => {
      const path = formatPath([{ kind: "key", key: name, exact: true }]);
      assert.deepEqual(splitModifiers(`${path}|not`), { path, modifiers: ["not"] });
    }),
  );
});

const lines = fc.constantFrom(
  "waymark: 1",
  "scenario: x",
  "markers:",
  "  - event: a",
  "  - name: A",
  "    where: { data.x|gte: 1, data.y: $v }",
  "    within: 5s",
  "    within: 5",
  "    capture: { v: data.v }",
  "  - one_of:",
  "      - - { event: b }",
  "  - any_order: [p, { event: c }]",
  "define:",
  "  p: { where: { event: $q }, params: [q] }",
  "  r: [p, r]",
  "rules:",
  "  - never: p",
  "  - { after: A, expect: { event: b }, within: 1m }",
  "  - { pattern: p, with: { q: 1 } }",
  "    repeat: {max: 3}",
  "    where: { $.a[?@.b: 1 }",
  "  <<: *x",
  "use: [lib.yaml]",
  "events: { name: event, session: [a, b['c']] }",
  "params: { a: { type: number, default: 5 } }",
);
const texts = fc.oneof(
  fc.string(),
  fc.array(lines, { maxLength: 14 }).map((parts) => parts.join("\n")),
  fc.array(fc.oneof(lines, fc.string({ maxLength: 12 })), { maxLength: 14 }).map((parts) => parts.join("\r\n")),
);

test("any text loads or is refused with faults whose places are inside the file", () => {
  fc.assert(
    fc.property(texts, (text) => {
      for (const { place, message, fix } of faultsOf(text, "any.yaml")) {
        assert.ok(message !== "" && fix !== "");
        assert.ok(place !== undefined, message);
        const all = text.split("\n");
        assert.ok(place.line >= 1 && place.line <= all.length, `${message} at line ${place.line}`);
        const line = all[place.line - 1] ?? "";
        assert.ok(
          place.column >= 1 && place.column <= line.length + 1,
          `${message} at column ${place.column} of ${line}`,
        );
      }
    }),
    { numRuns: 500 },
  );
});
