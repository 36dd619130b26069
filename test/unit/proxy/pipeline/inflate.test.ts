import assert from "node:assert/strict";
import test from "node:test";
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from "node:zlib";
import { inflateBody } from "../../../../proxy/pipeline/inflate.ts";

const TEXT = JSON.stringify({ batch: [{ event: "app.start" }, { event: "task.done", note: "ž".repeat(50) }] });
const PLAIN = Buffer.from(TEXT);
const MAX = 1_000_000;

function textOf(body: Uint8Array): string {
  return Buffer.from(body).toString("utf8");
}

const cases: { what: string; body: Uint8Array; coding?: string; note?: RegExp }[] = [
  { what: "no coding", body: PLAIN },
  { what: "identity", body: PLAIN, coding: "identity" },
  { what: "gzip", body: gzipSync(PLAIN), coding: "gzip" },
  { what: "x-gzip in capitals", body: gzipSync(PLAIN), coding: "X-GZIP" },
  {
    what: "two gzip members",
    body: Buffer.concat([gzipSync(PLAIN.subarray(0, 9)), gzipSync(PLAIN.subarray(9))]),
    coding: "gzip",
  },
  { what: "deflate with its zlib wrapper", body: deflateSync(PLAIN), coding: "deflate" },
  { what: "raw deflate", body: deflateRawSync(PLAIN), coding: "deflate" },
  { what: "br", body: brotliCompressSync(PLAIN), coding: "br" },
  { what: "a list, right to left", body: gzipSync(deflateSync(PLAIN)), coding: "deflate, gzip" },
  { what: "gzip that is plain", body: PLAIN, coding: "gzip", note: /says gzip, the body is not/ },
  { what: "deflate that is plain", body: PLAIN, coding: "deflate", note: /says deflate, the body is not/ },
  { what: "br that is plain", body: PLAIN, coding: "br", note: /says br, the body is not/ },
  { what: "zstd that is plain", body: PLAIN, coding: "zstd", note: /says zstd, the body is not/ },
  { what: "an unknown coding on plain text", body: PLAIN, coding: "rot13", note: /says rot13, the body is not/ },
  { what: "gzip that is deflate", body: deflateSync(PLAIN), coding: "gzip", note: /the body is deflate/ },
  { what: "deflate that is gzip", body: gzipSync(PLAIN), coding: "deflate", note: /the body is gzip/ },
  { what: "br that is gzip", body: gzipSync(PLAIN), coding: "br", note: /says br, the body is not/ },
  { what: "gzip without a label", body: gzipSync(PLAIN), note: /^gzip without Content-Encoding$/ },
  { what: "zlib without a label", body: deflateSync(PLAIN), note: /^deflate without Content-Encoding$/ },
  {
    what: "gzip that went through a string",
    body: Buffer.from(gzipSync(PLAIN).toString("latin1"), "utf8"),
    note: /turned into text/,
  },
  {
    what: "the same under a gzip label",
    body: Buffer.from(gzipSync(PLAIN).toString("latin1"), "utf8"),
    coding: "gzip",
    note: /turned into text/,
  },
  {
    what: "gzip with bytes behind it",
    body: Buffer.concat([gzipSync(PLAIN), Buffer.from([0x80, 0xff])]),
    coding: "gzip",
    note: /wrong checksum or other bytes/,
  },
  {
    what: "gzip with a wrong checksum",
    body: withWrongChecksum(gzipSync(PLAIN)),
    coding: "gzip",
    note: /wrong checksum or other bytes/,
  },
];

for (const { what, body, coding, note } of cases) {
  test(`reads ${what}`, () => {
    const inflated = inflateBody(body, coding, MAX);
    assert.equal(inflated.undecoded, undefined);
    assert.equal(textOf(inflated.body), TEXT);
    if (note === undefined) assert.deepEqual(inflated.notes, []);
    else assert.match(inflated.notes.join("; "), note);
  });
}

test("an empty body with a coding is simply empty", () => {
  for (const coding of ["gzip", "deflate", "br", "zstd", "nonsense"]) {
    assert.deepEqual(inflateBody(new Uint8Array(), coding, MAX), { body: new Uint8Array(), notes: [] });
  }
});

test("a cut stream gives what can be read of it, and says so", () => {
  const long = Buffer.from(Array.from({ length: 3000 }, (_, index) => `{"event":"e${index}"}\n`).join(""));
  for (const [coding, whole] of [
    ["gzip", gzipSync(long)],
    ["deflate", deflateSync(long)],
    ["br", brotliCompressSync(long)],
  ] as const) {
    const { body, notes, undecoded } = inflateBody(whole.subarray(0, whole.length - 20), coding, MAX);
    assert.equal(undecoded, undefined, coding);
    assert.ok(body.length > 1000 && long.subarray(0, body.length).equals(body), coding);
    assert.match(notes.join(), /ends too early/);
  }
});

test("a bomb is stopped at the cap and named", () => {
  const zeros = Buffer.alloc(20_000_000);
  for (const [coding, bomb] of [
    ["gzip", gzipSync(zeros)],
    ["deflate", deflateSync(zeros)],
    ["deflate", deflateRawSync(zeros)],
    ["br", brotliCompressSync(zeros)],
    [undefined, gzipSync(zeros)],
    [undefined, deflateSync(zeros)],
  ] as const) {
    const { body, undecoded } = inflateBody(bomb, coding, MAX);
    assert.match(String(undecoded), /inflates to more than 1000000 bytes/, coding);
    assert.equal(body.length, bomb.length);
  }
});

test("text that only begins like a zlib header stays text", () => {
  for (const text of ["x\u0001 is how it begins", "x^2 + y^2", "h\u0005"]) {
    assert.equal(textOf(inflateBody(Buffer.from(text), undefined, MAX).body), text);
  }
});

function withWrongChecksum(gzip: Buffer): Buffer {
  const changed = Buffer.from(gzip);
  changed[changed.length - 8] = (changed[changed.length - 8] ?? 0) ^ 0xff;
  return changed;
}
