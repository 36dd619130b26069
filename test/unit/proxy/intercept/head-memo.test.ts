import assert from "node:assert/strict";
import test from "node:test";
import { KnownHead, remembering } from "../../../../proxy/intercept/head-memo.ts";
import { type Parsed, parseRequestHead, type RequestHead } from "../../../../proxy/intercept/http1-head.ts";

const head = (number: number): string =>
  `POST /collect?n=${number} HTTP/1.1\r\nHost: a.test\r\nContent-Length: ${number}`;

test("a head that is said again is the same object, read once", () => {
  let reads = 0;
  const read = remembering<RequestHead>((text): Parsed<RequestHead> => {
    reads += 1;
    return parseRequestHead(text);
  });
  const first = read(head(1));
  assert.deepEqual(first, parseRequestHead(head(1)));
  assert.equal(read(`${head(0).slice(0, 0)}${head(1)}`), first);
  assert.equal(reads, 1);
  assert.notEqual(read(head(2)), first);
});

test("whatever was read before, a head comes out as it stands there", () => {
  const read = remembering(parseRequestHead);
  for (let round = 0; round < 3; round += 1) {
    for (let number = 0; number < 200; number += 1)
      assert.deepEqual(read(head(number)), parseRequestHead(head(number)));
    assert.equal(read("nothing of the kind").ok, false);
  }
});

test("a long head is not kept", () => {
  const read = remembering(parseRequestHead);
  const long = `${head(1)}\r\nCookie: ${"c".repeat(4_000)}`;
  assert.notEqual(read(long), read(long));
});

test("a connection knows the head it repeats, wherever it stands, and no other", () => {
  const known = new KnownHead<string>();
  const bytes = Buffer.from("AA\r\n\r\n");
  const place = { from: 0, end: bytes.length };
  known.said("A", bytes, place);
  assert.equal(known.in(bytes, 0), undefined, "said once");
  known.said("A", bytes, place);
  assert.equal(known.in(Buffer.from("bodyAA\r\n\r\nAA"), 4), "A");
  assert.equal(known.length, 6);
  for (const other of ["", "AA\r\n\r", "AB\r\n\r\n", "aAA\r\n\r\n"])
    assert.equal(known.in(Buffer.from(other), 0), undefined);
  known.said("B", Buffer.from("B\n\n"), { from: 0, end: 3 });
  assert.equal(known.in(bytes, 0), undefined, "another was said since");
  assert.equal(known.in(Buffer.from("B\n\n"), 0), undefined);
});
