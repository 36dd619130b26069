import assert from "node:assert/strict";
import test from "node:test";
import { remembering } from "../../../../proxy/intercept/head-memo.ts";
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
