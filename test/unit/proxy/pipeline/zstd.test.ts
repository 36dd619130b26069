import assert from "node:assert/strict";
import test from "node:test";
import fc from "fast-check";
import { inflateBody } from "../../../../proxy/pipeline/inflate.ts";
import { unzstd } from "../../../../proxy/pipeline/zstd.ts";

const MAX = 1_048_576;
/** Written by the zstd command line tool. */
const COMPRESSED = Buffer.from(
  "KLUv/QRYfQIA4gQRGICpGgPcyAmqkecIhSQJE8SKQUsVPZHpEW3QBmQ6GHIUd7QL9G0CWUDVRI934SpRCr83JSIfn4Jrv1Mldia4DWWRMAsCAAA5IC/KDJwyBbM=",
  "base64",
);

type Block = { readonly raw: string } | { readonly repeat: string; readonly times: number };

/** A frame of raw and repeated blocks by hand (RFC 8878 section 3.1), with a window of 1 MiB and no content size. */
function frame(blocks: readonly Block[], windowByte = 0x50): Buffer {
  const parts = blocks.map((block, index) => {
    const isLast = index === blocks.length - 1 ? 1 : 0;
    const body = Buffer.from("raw" in block ? block.raw : block.repeat);
    const size = "raw" in block ? body.length : block.times;
    const head = (size << 3) | ("raw" in block ? 0 : 2) | isLast;
    return Buffer.concat([Buffer.from([head & 0xff, (head >> 8) & 0xff, head >> 16]), body]);
  });
  return Buffer.concat([Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0x00, windowByte]), ...parts]);
}

function textOf(body: Uint8Array): string {
  const unpacked = unzstd(body, MAX);
  assert.ok(unpacked.ok, unpacked.ok ? "" : unpacked.why);
  return Buffer.from(unpacked.bytes).toString("utf8");
}

test("a compressed frame is inflated, under its label and without", () => {
  const batch = JSON.parse(textOf(COMPRESSED)) as { batch: unknown[] };
  assert.equal(batch.batch.length, 2);
  for (const coding of ["zstd", undefined]) {
    const { body, undecoded, notes } = inflateBody(COMPRESSED, coding, MAX);
    assert.equal(undecoded, undefined);
    assert.ok(Buffer.from(body).toString("utf8").startsWith("{"));
    assert.deepEqual(notes, coding === undefined ? ["zstd without Content-Encoding"] : []);
  }
});

test("raw and repeated blocks, several frames and skippable ones follow one another", () => {
  const skippable = Buffer.from([0x50, 0x2a, 0x4d, 0x18, 2, 0, 0, 0, 9, 9]);
  const body = Buffer.concat([
    frame([{ raw: "he" }, { repeat: "l", times: 2 }, { raw: "o" }]),
    skippable,
    frame([{ raw: " there" }]),
  ]);
  assert.equal(textOf(body), "hello there");
});

test("a cut frame gives its whole blocks and says that it is cut", () => {
  const whole = frame([{ raw: "first block, long enough to stand alone" }, { raw: "second" }]);
  const unpacked = unzstd(whole.subarray(0, whole.length - 3), MAX);
  assert.ok(unpacked.ok);
  assert.equal(unpacked.end, "cut");
  assert.equal(Buffer.from(unpacked.bytes).toString("utf8"), "first block, long enough to stand alone");
});

test("neither a bomb nor a window of gigabytes is followed", () => {
  const bomb = frame(Array.from({ length: 40 }, () => ({ repeat: "x", times: 100_000 })));
  for (const body of [bomb, frame([{ raw: "x" }], 0xff)]) {
    const unpacked = unzstd(body, MAX);
    assert.ok(!unpacked.ok && unpacked.tooLarge === true);
  }
});

test("no bytes behind the magic number make it throw", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 60 }), (bytes) => {
      unzstd(Buffer.concat([COMPRESSED.subarray(0, 4), bytes]), MAX);
      const changed = Buffer.from(COMPRESSED);
      for (const [index, byte] of bytes.entries()) if (byte > 200) changed[4 + (index % (changed.length - 4))] = byte;
      unzstd(changed, MAX);
    }),
  );
});
