import assert from "node:assert/strict";
import { constants } from "node:buffer";
import test from "node:test";
import { MAX_DEPTH, type ParsedLine, parseLine } from "../../../grader/read/parse.ts";

function parse(line: string | Buffer): ParsedLine {
  const bytes = Buffer.from(line as string);
  return parseLine(bytes, 0, bytes.length);
}

test("a line of spaces, tabs and CR is blank", () => {
  for (const line of ["", "   ", "\t\r", "\r"]) assert.equal(parse(line).kind, "blank");
});

test("an object is an event, whatever stands around it", () => {
  assert.deepEqual(parse('  {"name":"a"} \r'), { kind: "event", value: { name: "a" } });
});

test("control lines, undecoded and truncated bodies are no events", () => {
  assert.equal(parse('{"name":null,"$capture":{"control":"tick"}}').kind, "control");
  assert.equal(parse('{"name":null,"$capture":{"undecoded":"no decoder"}}').kind, "undecoded");
  assert.equal(parse('{"name":"a","$capture":{"truncated":true}}').kind, "undecoded");
});

test("JSON that is no object is bad and whole", () => {
  for (const line of ["null", "0", "[]", "true", '"x"']) {
    const parsed = parse(line);
    assert.ok(parsed.kind === "bad" && parsed.whole, line);
  }
});

test("what RFC 8259 forbids is bad and not whole", () => {
  const forbidden = [
    "{bad",
    '{"a":2}TRAILER',
    '{"a":1}{"b":2}',
    '{"a":NaN}',
    '{"a":01}',
    '\ufeff{"a":1}',
    '{"a":"\t"}',
  ];
  for (const line of [...forbidden, '{"a":1}\u0000', "\0\0\0", '{"a":1}\r{"b":2}', '{"name":"b",', "{'a':1}"]) {
    const parsed = parse(line);
    assert.ok(parsed.kind === "bad" && !parsed.whole, line);
  }
});

test("bytes that are no UTF-8 make a line bad; U+FFFD itself does not", () => {
  const invalid = Buffer.concat([Buffer.from('{"a":"'), Buffer.from([0xc3, 0x28]), Buffer.from('"}')]);
  assert.deepEqual(parse(invalid), { kind: "bad", why: "not valid UTF-8", whole: false });
  const surrogate = Buffer.concat([Buffer.from('{"a":"'), Buffer.from([0xed, 0xa0, 0x80]), Buffer.from('"}')]);
  assert.equal(parse(surrogate).kind, "bad");
  assert.deepEqual(parse('{"a":"\ufffd"}'), { kind: "event", value: { a: "\ufffd" } });
});

test("integers beyond 2^53 keep their digits, wherever they stand", () => {
  for (let pad = 0; pad < 40; pad++) {
    const line = `${" ".repeat(pad)}{"id":50000000014435121,"k":"${"x".repeat(pad)}","n":-9007199254740993}`;
    assert.deepEqual(parse(line), {
      kind: "event",
      value: { id: 50000000014435121n, k: "x".repeat(pad), n: -9007199254740993n },
    });
  }
});

test("nesting up to the limit is read, beyond it the line is bad and nothing crashes", () => {
  const nested = (depth: number): string => `${'{"a":'.repeat(depth)}1${"}".repeat(depth)}`;
  assert.equal(parse(nested(MAX_DEPTH)).kind, "event");
  for (const depth of [MAX_DEPTH + 1, 5000, 1_000_000]) {
    const parsed = parse(nested(depth));
    assert.ok(parsed.kind === "bad" && /nested deeper/.test(parsed.why), String(depth));
  }
  const withLongInteger = parse(`{"id":12345678901234567,"a":${"[".repeat(100_000)}${"]".repeat(100_000)}}`);
  assert.equal(withLongInteger.kind, "bad");
  const wide = parse(`{"a":[${"{},".repeat(5000)}{}]}`);
  assert.equal(wide.kind, "event");
});

test("an own key named __proto__ is a field like any other", () => {
  const parsed = parse('{"__proto__":{"x":1},"name":"a"}');
  assert.ok(parsed.kind === "event");
  assert.deepEqual(Object.keys(parsed.value), ["__proto__", "name"]);
});

test("a long run of digits is walked once, wherever it stands", () => {
  const digits = "1".repeat(4_000_000);
  // Walking it again from every sixteenth byte would take a million seconds.
  assert.equal(parse(`{"name":"a","x":"${digits}"}`).kind, "event");
  assert.equal(parse(`{"name":"a","x":0.${digits}}`).kind, "event");
});

test("an integer of more than 4000 digits makes a line bad; one of 4000 keeps them all", () => {
  const most = "7".repeat(4000);
  assert.deepEqual(parse(`{"n":-${most}}`), { kind: "event", value: { n: -BigInt(most) } });
  const parsed = parse(`{"n":${most}7}`);
  assert.ok(parsed.kind === "bad" && !parsed.whole);
  assert.equal(parsed.why, "holds an integer of more than 4000 digits");
  assert.equal(parse(`{"n":${"7".repeat(16_000_000)}}`).kind, "bad");
});

test("only the name null and a control word make a control line, only words an undecoded one", () => {
  for (const line of [
    '{"name":"a","$capture":{"control":"start"}}',
    '{"$capture":{"control":"start"}}',
    '{"name":null,"$capture":{"control":"pause"}}',
    '{"name":null,"$capture":{"control":null}}',
    '{"name":"a","$capture":{"undecoded":null}}',
    '{"name":"a","$capture":{"undecoded":""}}',
    '{"name":"a","$capture":{"undecoded":false}}',
  ]) {
    assert.equal(parse(line).kind, "event", line);
  }
});

test("a line that no text could hold is bad, and is not read", () => {
  const line = Buffer.alloc(constants.MAX_STRING_LENGTH + 1);
  assert.deepEqual(parseLine(line, 0, line.length), { kind: "bad", why: "longer than a text can be", whole: false });
});
